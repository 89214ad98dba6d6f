// The exact search for some queries of a shifted sort: doubtful ones, which get the exact row, and those of the sample.
#pragma once

#include <cstdint>
#include <memory>

#include "kann/array.hpp"

#include "cpu/data_orders.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

/// Replaces the rows of doubtful queries by those of the exact search, and sets Answer::sample_ids and doubtful. The
/// queries of `work` are in the order of shift 0, and may be put into another one. Blocks.
/// @param ranks the ranks of the queries in shift 0; in a part of a self-query, their own places there
/// @param marks for each row, whether its query is doubtful; changed
template <int D>
void search_exactly(Workspace<D>& work, DataOrders<D>& data, std::shared_ptr<const ShiftOrders<D>> orders,
                    Array<std::uint32_t> ranks, Array<std::uint8_t>& marks, const HostRows& rows);

/// Bytes that search_exactly() takes in addition to Workspace, the orders of the shifts, the ranks and the marks.
template <int D>
double exact_rows_bytes(const Problem& problem);

}  // namespace kann::cpu
