// Warnings about an answer that is correct by definition, but may not be what the user expects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// The rows of the answer to `problem` that an explicit window has left with fewer than k neighbours, though there are
/// points enough. To be counted before a radius shortens rows.
std::int64_t rows_cut_by_window(const problem::Problem& problem, const Neighbors& rows);

/// One line per warning: k is larger than the number of data points, the clouds do not meet or nearly all queries are
/// farther from the data than these are wide, a window is too narrow (for `short_rows`, by rows_cut_by_window()),
/// distances are past float32, or the approximate answer is worse than the defaults promise.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows);

/// What a search was asked for.
struct AskedRows {
  std::int64_t k;
  int dimensions;
  problem::Survey data, queries;
  bool drop_self;
  std::string data_name, query_name;  ///< of a self-query, the second is empty
  bool is_periodic;
};

/// Neighbours whose distance is infinite: it is past float32.
std::int64_t distances_past_float32(const Neighbors& rows);

/// The same of an exact search that is made of several, in a periodic box or in tiles, of whose neighbours so many are
/// past float32. The distances of its queries are not looked at.
std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32);

/// The same of such a shifted sort that has left `short_rows` rows, by rows_cut_by_window().
std::vector<std::string> shifted_warnings(const AskedRows& asked, const problem::Problem& problem,
                                          std::int64_t short_rows, std::int64_t past_float32, const Sample& sample);

}  // namespace kann::detail
