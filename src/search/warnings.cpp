#include "search/warnings.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace kann::detail {
namespace {

using Warning = std::optional<std::string>;

Warning about_missing(const problem::Prepared& prepared) {
  const problem::Problem& p = prepared.problem;
  const std::int64_t available = p.data_count - (p.drop_self ? 1 : 0);
  if (p.query_count == 0 || p.k <= available) return {};
  const std::string count = std::to_string(p.data_count) + (prepared.data_skipped ? " valid point" : " point") +
                            (p.data_count == 1 ? "" : "s");
  return "k=" + std::to_string(p.k) + " but " + prepared.data->name + " has " + count +
         (p.drop_self ? ", the query itself among them" : "") + "; missing neighbours are id -1, distance inf";
}

Warning about_window(const problem::Problem& p, std::int64_t count) {
  if (count == 0) return {};
  return "--window " + std::to_string(p.window) + " is too narrow for k=" + std::to_string(p.k) + ": " +
         (count == 1 ? "1 row has" : std::to_string(count) + " rows have") +
         " fewer neighbours; missing ones are id -1, distance inf";
}

/// Distances that are infinite, though the neighbour exists.
Warning about_overflow(const problem::Prepared& prepared, const Neighbors& neighbors) {
  if (!(2 * prepared.width > std::numeric_limits<float>::max())) return {};  // the diagonal is shorter
  std::int64_t count = 0;
  for (std::size_t i = 0; i < neighbors.ids.size(); ++i)
    count += neighbors.ids[i] != k_missing_id && std::isinf(neighbors.distances[i]);
  if (count == 0) return {};
  if (count == 1) return "1 distance is larger than float32 can hold and is written as inf";
  return std::to_string(count) + " distances are larger than float32 can hold and are written as inf";
}

/// With the defaults recall is .97 and more on all but a few clouds; that of a sample varies by about .005.
constexpr double k_low_recall = 0.95;

Warning about_recall(const Sample& sample) {
  const std::optional<double>& recall = sample.recall;
  if (!recall || *recall >= k_low_recall) return {};
  char text[16];
  std::snprintf(text, sizeof text, "%.4f", *recall);
  return std::string("the approximate answer has recall ") + text + " (of " + std::to_string(sample.queries) +
         " queries, searched exactly); --exact finds all";
}

}  // namespace

std::int64_t rows_cut_by_window(const problem::Problem& p, const Neighbors& rows) {
  const bool may_be_short = p.method == Method::shifted_sort && !p.searches_doubtful;
  if (!may_be_short || p.k > p.data_count - (p.drop_self ? 1 : 0)) return 0;
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows.queries; ++row) count += rows.ids[(row + 1) * p.k - 1] == k_missing_id;
  return count;
}

std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows) {
  std::vector<std::string> warnings;
  for (const Warning& warning : {about_missing(prepared), about_window(prepared.problem, short_rows),
                                 about_overflow(prepared, result.neighbors), about_recall(result.report.sample)})
    if (warning) warnings.push_back(*warning);
  return warnings;
}

}  // namespace kann::detail
