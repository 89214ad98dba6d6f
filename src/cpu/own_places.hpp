// Where the queries of a part of a self-query are among the data.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// For each query, its own place in an order of the data. Blocks.
/// @pre problem.is_part_of_self_query()
/// @param data_rows,query_rows the rows of all data and of all queries, in their orders. E.g. if the data are in the
///   order 2 0 3 1, and the queries, which are rows 2 and 3 of them, in the order 1 0, the places are 2 0.
Array<std::uint32_t> own_places(const Problem& problem, const Array<std::uint32_t>& data_rows,
                                const Array<std::uint32_t>& query_rows);

/// Bytes that own_places() takes.
double own_places_bytes(const Problem& problem);

}  // namespace kann::cpu
