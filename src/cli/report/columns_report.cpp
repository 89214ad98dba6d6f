#include "cli/report/columns_report.hpp"

#include <cmath>
#include <fmt/format.h>

namespace kann::cli {

std::string_view word_of(TransferMethod method) {
  switch (method) {
    case TransferMethod::nearest:
      return "nearest";
    case TransferMethod::mean:
      return "mean";
    case TransferMethod::idw:
      return "idw";
    case TransferMethod::vote:
      return "vote";
    case TransferMethod::rbf:
      return "rbf";
  }
  return "";
}

void write_answers(JsonWriter& json, const Options& options, const Report& report) {
  if (report.pairs) {
    const Join join = options.join.value_or(Join::left);
    json.key("join");
    json.begin_object();
    json.member("queries", join == Join::inner ? "inner" : join == Join::left ? "left" : "anti");
    json.member("pairs", report.pairs->pairs);
    json.member("queries_with_pair", report.pairs->queries);
    json.end_object();
  }
  if (report.columns && !report.columns->transferred.empty()) {
    const ColumnFacts& facts = *report.columns;
    json.key("transfer");
    json.begin_object();
    json.key("attributes");
    json.begin_array();
    for (const auto& attribute : facts.transferred) {
      json.begin_object();
      json.member("name", attribute.name);
      json.member("by", word_of(attribute.by));
      json.end_object();
    }
    json.end_array();
    json.member("without_neighbors", facts.without_neighbors);
    json.member("singular", facts.singular);
    json.member("by_distance", facts.by_distance);
    json.member("nan_values", facts.nan_values);
    json.end_object();
  }
  if (report.columns && report.columns->outliers) {
    const auto& outliers = *report.columns->outliers;
    json.key("outliers");
    json.begin_object();
    json.member("k", outliers.options.k);
    json.member("sigma", outliers.options.sigma);
    json.member("mean", outliers.mean);
    json.member("deviation", outliers.deviation);
    json.member("threshold", outliers.threshold);
    json.member("count", outliers.count);
    json.member("dropped", options.drop_outliers);
    json.end_object();
  }
  if (report.columns && report.columns->features) {
    json.key("features");
    json.begin_object();
    json.key("columns");
    json.begin_array();
    for (const Attribute& column : feature_columns(options.features)) json.value(column.name);
    json.end_array();
    json.member("too_few", report.columns->features->too_few);
    json.member("undetermined", report.columns->features->undetermined);
    json.end_object();
  }
  if (report.picture_written && report.picture) {
    json.key("picture");
    json.begin_object();
    json.member("path", *options.picture);
    json.member("drawn", report.picture->drawn);
    json.member("outside", report.picture->outside);
    json.member("left_out", report.picture->left_out);
    json.end_object();
  }
}

void write_clusters(JsonWriter& json, const ClusterOptions& options, const std::optional<ClusterCounts>& counts) {
  json.key("clusters");
  json.begin_object();
  json.member("radius", options.radius);
  json.member("min_points", options.min_points);
  if (counts) {
    json.member("count", counts->clusters);
    json.member("largest", counts->largest);
    json.member("noise", counts->noise);
  }
  json.end_object();
}

std::string outliers_text(const Report& report) {
  if (!report.columns || !report.columns->outliers) return "";
  const auto& o = *report.columns->outliers;
  const std::string limit = std::isnan(o.threshold) ? "no query has neighbours at a finite distance"
                                                    : fmt::format("mean distance > {:.4g}", o.threshold);
  return fmt::format("; {} outlier{} ({})", o.count, o.count == 1 ? "" : "s", limit);
}

}  // namespace kann::cli
