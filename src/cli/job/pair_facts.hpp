// How many pairs of queries and data points there are, and which queries a cloud lacks for that.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// All neighbours are pairs. Reads all rows; blocks. @throws as RowBlocks::for_each.
PairFacts pairs_of(const RowBlocks& rows);

/// Per query of a block, whether --join or --drop-outliers leaves it out of a cloud: 1, else 0. Empty: none is.
/// @param is_outlier per query; only read with --drop-outliers
std::vector<std::uint8_t> left_out(const Options& options, const Rows& rows, const Array<std::uint8_t>* is_outlier);

}  // namespace kann::cli
