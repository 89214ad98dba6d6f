// Warnings about an answer that is correct by definition, but may not be what the user expects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// The number of rows of the answer to `problem` that have fewer than k neighbours because of an explicit window,
/// though there are enough points. To be counted before a radius shortens rows.
std::int64_t rows_cut_by_window(const problem::Problem& problem, const Neighbors& rows);

/// One line per warning: k is larger than the number of data points, the clouds do not meet or nearly all queries are
/// farther from the data than the data are wide, a window is too narrow (for `short_rows` rows, as rows_cut_by_window()
/// counts), distances are past float32, or the approximate answer is worse than the defaults promise.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows);

/// The properties of a request that warnings depend on.
struct AskedRows {
  std::int64_t k;
  int dimensions;
  problem::Survey data, queries;
  bool drop_self;
  std::string data_name, query_name;  ///< query_name is empty in a self-query
  bool is_periodic;
};

/// The number of neighbours whose distance is infinite because it is past float32.
std::int64_t distances_past_float32(const Neighbors& rows);

/// The warnings about an exact search that is made of several, in a periodic box or in tiles, and has `past_float32`
/// distances past float32. It does not check whether nearly all queries are far from the data.
std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32);

/// The warnings about a shifted sort in tiles; `short_rows` is the number that rows_cut_by_window() gives.
std::vector<std::string> shifted_warnings(const AskedRows& asked, const problem::Problem& problem,
                                          std::int64_t short_rows, std::int64_t past_float32, const Sample& sample);

}  // namespace kann::detail
