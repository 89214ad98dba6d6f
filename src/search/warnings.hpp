// Warnings about an answer that is correct by definition, but may not be what the user expects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// The number of rows of an approximate answer to `problem` that have fewer than k neighbours because of a narrow
/// window, though there are enough points. To be counted before a radius shortens rows.
std::int64_t rows_cut_by_window(const problem::Problem& problem, const Neighbors& rows);

/// The distances of some queries to their nearest neighbours: those of every step-th query, at most 4,096.
class FirstDistances {
 public:
  static constexpr float k_none = -1;  ///< the query has no neighbour, or was not added

  explicit FirstDistances(std::int64_t queries)
      : step_(std::max<std::int64_t>(1, (queries + k_most - 1) / k_most)),
        distances_(static_cast<std::size_t>((queries + step_ - 1) / step_), k_none) {}

  /// The nearest neighbour of a query by its number. Several threads may call it, each for other queries.
  void add(std::int64_t query, std::int64_t id, float distance) {
    if (query % step_ == 0 && id != k_missing_id) distances_[static_cast<std::size_t>(query / step_)] = distance;
  }
  void add(std::int64_t first, const Neighbors& rows) {
    for (std::int64_t query = (first + step_ - 1) / step_ * step_; query < first + rows.queries; query += step_) {
      const auto at = static_cast<std::size_t>((query - first) * rows.k);
      add(query, rows.ids[at], rows.distances[at]);
    }
  }

  const std::vector<float>& distances() const { return distances_; }

 private:
  static constexpr std::int64_t k_most = 4096;
  std::int64_t step_;
  std::vector<float> distances_;
};

/// One line per warning: k is larger than the number of data points, the clouds do not meet or nearly all queries are
/// farther from the data than the data are wide, a window is too narrow (for `short_rows` rows, as rows_cut_by_window()
/// counts), distances are past float32, or an approximate answer misses many neighbours.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows);

/// The properties of a request that warnings depend on.
struct AskedRows {
  std::int64_t k;
  int dimensions;
  problem::Survey data, queries;
  bool drop_self;
  std::string data_name, query_name;  ///< query_name is empty in a self-query
  bool is_wrapped;                    ///< in a periodic box or on a sphere: the boxes around the clouds say nothing
};

/// The number of neighbours whose distance is infinite because it is past float32.
std::int64_t distances_past_float32(const Neighbors& rows);

/// The warnings about a search that is made of several, in a periodic box or from files, and has `past_float32`
/// distances past float32. @param first those of FirstDistances; empty: they are not looked at
std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32, std::span<const float> first);

/// From this distance on, a row may have left out images of its neighbours that are nearer than its last; infinite
/// where that cannot be.
double far_distance(const SearchOptions& options);

/// How many rows have a neighbour that is farther.
std::int64_t far_rows(const SearchOptions& options, const Neighbors& rows);

/// Warns of so many rows.
void warn_of_far_rows(const SearchOptions& options, std::int64_t rows, std::vector<std::string>& warnings);

}  // namespace kann::detail
