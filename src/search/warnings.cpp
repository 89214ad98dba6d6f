#include "search/warnings.hpp"

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>

namespace kann::detail {
namespace {

using Warning = std::optional<std::string>;

Warning about_missing(const AskedRows& asked) {
  const std::int64_t available = asked.data_count - (asked.drop_self ? 1 : 0);
  if (asked.query_count == 0 || asked.k <= available) return {};
  const std::string count = std::to_string(asked.data_count) + (asked.data_skipped ? " valid point" : " point") +
                            (asked.data_count == 1 ? "" : "s");
  return "k=" + std::to_string(asked.k) + " but " + asked.data_name + " has " + count +
         (asked.drop_self ? ", the query itself among them" : "") + "; missing neighbours are id -1, distance inf";
}

AskedRows asked_rows(const problem::Prepared& prepared) {
  const problem::Problem& p = prepared.problem;
  return {p.k,
          p.data_count,
          p.query_count,
          p.drop_self,
          prepared.data_skipped > 0,
          prepared.data ? prepared.data->name : ""};
}

Warning about_window(const problem::Problem& p, std::int64_t count) {
  if (count == 0) return {};
  return "--window " + std::to_string(p.window) + " is too narrow for k=" + std::to_string(p.k) + ": " +
         (count == 1 ? "1 row has" : std::to_string(count) + " rows have") +
         " fewer neighbours; missing ones are id -1, distance inf";
}

Warning about_overflow(std::int64_t count) {
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

std::vector<std::string> present(std::initializer_list<Warning> warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings)
    if (warning) texts.push_back(*warning);
  return texts;
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
  const bool may_overflow = 2 * prepared.width > std::numeric_limits<float>::max();  // the diagonal is shorter
  return present({about_missing(asked_rows(prepared)), about_window(prepared.problem, short_rows),
                  may_overflow ? about_overflow(distances_past_float32(result.neighbors)) : Warning(),
                  about_recall(result.report.sample)});
}

std::int64_t distances_past_float32(const Neighbors& rows) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < rows.ids.size(); ++i)
    count += rows.ids[i] != k_missing_id && std::isinf(rows.distances[i]);
  return count;
}

std::vector<std::string> shifted_warnings(const AskedRows& asked, const problem::Problem& problem,
                                          std::int64_t short_rows, std::int64_t past_float32, const Sample& sample) {
  return present(
      {about_missing(asked), about_window(problem, short_rows), about_overflow(past_float32), about_recall(sample)});
}

std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32) {
  return present({about_missing(asked), about_overflow(past_float32)});
}

}  // namespace kann::detail
