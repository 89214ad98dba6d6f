#include "cli/job/answers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "cli/report/answers_report.hpp"

namespace kann::cli {
namespace {

bool has_neighbor(const Neighbors& n, std::int64_t row) {
  return n.k > 0 && n.ids[static_cast<std::size_t>(row * n.k)] != k_missing_id;
}

/// The values as float64; NaN for queries without a neighbour.
Array<double> as_float64(const AttributeValues& values, const Neighbors& neighbors) {
  return std::visit(
      [&](const auto& typed) {
        Array<double> out(typed.size());
        for (std::size_t i = 0; i < typed.size(); ++i)
          out[i] = has_neighbor(neighbors, static_cast<std::int64_t>(i)) ? static_cast<double>(typed[i])
                                                                         : std::numeric_limits<double>::quiet_NaN();
        return out;
      },
      values);
}

/// Whether there are values that float64 does not hold.
bool is_rounded_by_float64(const AttributeValues& values) {
  return std::visit(
      []<class T>(const Array<T>& typed) {
        constexpr auto last = std::int64_t{1} << 53;
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
          return std::ranges::any_of(
              typed, [](T value) { return std::cmp_greater(value, last) || std::cmp_less(value, -last); });
        return false;
      },
      values);
}

/// Converts float64 values to the type of `like`: for whole numbers, means are rounded and kept in the range of the
/// type, and NaN becomes 0.
AttributeValues as_type_of(const AttributeValues& like, const Array<double>& values) {
  return std::visit(
      [&]<class T>(const Array<T>&) -> AttributeValues {
        Array<T> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          if constexpr (std::is_floating_point_v<T>) {
            out[i] = static_cast<T>(values[i]);
          } else {
            constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
            constexpr double past = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
            const double rounded = std::nearbyint(values[i]);
            out[i] = std::isnan(rounded) ? T{0}
                     : rounded < least   ? std::numeric_limits<T>::min()
                     : rounded >= past   ? std::numeric_limits<T>::max()
                                         : static_cast<T>(rounded);
          }
        }
        return out;
      },
      like);
}

/// The number of values that lie below the smallest, or above the largest, of the values that they are made from by
/// more than these differ.
std::int64_t count_beyond(const Attribute& made, const Attribute& from) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::int64_t i = 0; i < from.size(); ++i)
    if (const double value = from.at(i); std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  const double range = most - least;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < made.size(); ++i) count += made.at(i) < least - range || made.at(i) > most + range;
  return count;
}

/// The first neighbour's id or distance of each row, or the value that stands for a missing one.
template <class T>
Attribute first_of_rows(std::string name, const Neighbors& n, const Array<T>& values, T none) {
  Array<T> out(static_cast<std::size_t>(n.queries));
  for (std::int64_t q = 0; q < n.queries; ++q)
    out[static_cast<std::size_t>(q)] = n.k > 0 ? values[static_cast<std::size_t>(q * n.k)] : none;
  return {std::move(name), std::move(out)};
}

Attribute outlier_flags(const OutlierResult& outliers) { return {"outlier", outliers.is_outlier}; }

/// Transfers adjacent attributes with the same method in one run: rbf solves one system for all of a run.
void transfer_all(const Options& options, const SearchedClouds& clouds, int threads, Answers& answers) {
  for (const TransferSource& from : transferred_attributes(options, clouds.data)) {
    const auto [asked, is_for_others] = asked_method(options.transfer_by, options.transfer[from.name], from.name);
    answers.transferred.push_back({{}, is_for_others ? transfer_method(*from.attribute, asked) : asked, asked, from});
  }
  auto& all = answers.transferred;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    for (end = begin + 1; end < all.size() && all[end].method == all[begin].method; ++end)
      if (all[end].from.attribute != all[end - 1].from.attribute + 1) break;
    TransferResult result = transfer(clouds.data.points, clouds.queries.points, clouds.neighbors,
                                     std::span(all[begin].from.attribute, end - begin),
                                     {.method = all[begin].method,
                                      .rbf = options.rbf.value_or(RbfOptions()),
                                      .periodic = options.search.periodic,
                                      .device = options.search.device,
                                      .threads = threads});
    for (std::size_t i = begin; i < end; ++i) all[i].attribute = std::move(result.attributes[i - begin]);
    answers.without_neighbors = result.without_neighbors;
    answers.singular = std::max(answers.singular, result.singular);
    answers.by_distance = std::max(answers.by_distance, result.by_distance);
    answers.nan_values += result.nan_values;
  }
}

}  // namespace

Answers make_answers(const Options& options, const SearchedClouds& clouds, int threads) {
  Answers answers;
  if (options.outliers) answers.outliers = find_outliers(clouds.neighbors, *options.outliers, threads);
  transfer_all(options, clouds, threads, answers);
  return answers;
}

AnswerFacts facts_of(const Options& options, const Answers& answers) {
  AnswerFacts facts;
  for (const Transferred& t : answers.transferred) {
    facts.transferred.push_back({t.attribute.name, t.method});
    if (t.method == TransferMethod::vote && t.asked != t.method)
      facts.voted_instead.push_back({t.attribute.name, options.transfer[t.from.name], t.asked});
    const bool is_float64 = options.output_format == NeighborFormat::npz && t.method != TransferMethod::vote;
    if (t.method == TransferMethod::rbf)
      if (const std::int64_t values = count_beyond(t.attribute, *t.from.attribute))
        facts.beyond.push_back({t.attribute.name, values});
    if (is_float64 && is_rounded_by_float64(t.attribute.values)) facts.rounded.push_back(t.attribute.name);
  }
  facts.without_neighbors = answers.without_neighbors;
  facts.singular = answers.singular;
  facts.by_distance = answers.by_distance;
  facts.nan_values = answers.nan_values;
  if (const auto& o = answers.outliers)
    facts.outliers = {*options.outliers, o->mean, o->deviation, o->threshold, o->outliers};
  return facts;
}

std::vector<std::string> warnings_of(const Options& options, const AnswerFacts& facts, std::int64_t queries) {
  std::vector<std::string> lines;
  for (const auto& [name, given_name, asked] : facts.voted_instead)
    lines.push_back(fmt::format("{} has whole numbers, so queries get the most frequent one; --by {}={} {} it", name,
                                given_name, word_of(asked),
                                asked == TransferMethod::rbf ? "interpolates" : "averages"));
  for (const std::string& name : facts.rounded)
    lines.push_back(fmt::format("attr_{} has whole numbers past 2^53, which float64 rounds; a cloud keeps them", name));
  if (facts.without_neighbors > 0)
    lines.push_back(fmt::format(
        "{} of {} queries have no neighbour; what they get is NaN, or 0 in whole numbers{}", facts.without_neighbors,
        queries,
        options.cloud_format && !options.drop_outliers ? "; --outliers 1,1e9 --drop-outliers leaves them out" : ""));
  if (const std::int64_t reduced = facts.singular - facts.by_distance; reduced > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have neighbours that do not determine the polynomial (too "
                    "few, on a line or a plane); theirs has a lower degree",
                    reduced, queries));
  if (facts.by_distance > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have a system that is singular, as the kernel is the same "
                    "at several neighbours; their values are those of idw",
                    facts.by_distance, queries));
  for (const auto& [name, values] : facts.beyond)
    lines.push_back(
        fmt::format("--by rbf: {} of {} values of {} are farther from those of the data than these are apart; try "
                    "--rbf-smoothing, another --rbf-epsilon or --by idw",
                    values, queries, name));
  if (facts.nan_values > 0)
    lines.push_back(fmt::format("{} values of neighbours are NaN or infinite; they are left out", facts.nan_values));
  return lines;
}

std::vector<Attribute> npz_extras(const Answers& answers, const Neighbors& neighbors) {
  std::vector<Attribute> extras;
  for (const Transferred& t : answers.transferred) {
    const bool is_voted = t.method == TransferMethod::vote;
    extras.push_back({"attr_" + t.attribute.name,
                      is_voted ? t.attribute.values : AttributeValues(as_float64(t.attribute.values, neighbors))});
  }
  if (answers.outliers) extras.push_back(outlier_flags(*answers.outliers));
  return extras;
}

std::vector<Attribute> cloud_columns(const Answers& answers, const Neighbors& neighbors, int dimensions, int threads) {
  std::vector<Attribute> columns;
  columns.push_back(first_of_rows("nn_id", neighbors, neighbors.ids, k_missing_id));
  columns.push_back(
      first_of_rows("nn_distance", neighbors, neighbors.distances, std::numeric_limits<float>::infinity()));
  columns.push_back({"mean_distance", mean_distances(neighbors, 0, threads)});
  columns.push_back({"density", densities(neighbors, dimensions, threads)});
  if (answers.outliers) columns.push_back(outlier_flags(*answers.outliers));
  for (const Transferred& t : answers.transferred) {
    const auto* const means = std::get_if<Array<double>>(&t.attribute.values);
    columns.push_back({t.attribute.name, means ? as_type_of(t.from.attribute->values, *means) : t.attribute.values});
  }
  return columns;
}

}  // namespace kann::cli
