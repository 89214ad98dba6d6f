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

/// One line per warning: k is larger than the number of data points, a window is too narrow (for `short_rows`, by
/// rows_cut_by_window()), distances are past float32, or the approximate answer is worse than the defaults promise.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result,
                                        std::int64_t short_rows);

/// What a search was asked for that is made of several, in a periodic box or in tiles.
struct AskedRows {
  std::int64_t k, data_count, query_count;  ///< valid points
  bool drop_self, data_skipped;
  std::string data_name;
};

/// Neighbours whose distance is infinite: it is past float32.
std::int64_t distances_past_float32(const Neighbors& rows);

/// What to say about its rows, of which so many neighbours are past float32.
std::vector<std::string> row_warnings(const AskedRows& asked, std::int64_t past_float32);

/// The same of a shifted sort that has left `short_rows` rows, by rows_cut_by_window().
std::vector<std::string> shifted_warnings(const AskedRows& asked, const problem::Problem& problem,
                                          std::int64_t short_rows, std::int64_t past_float32, const Sample& sample);

}  // namespace kann::detail
