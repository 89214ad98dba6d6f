// The two methods of the CPU backend.
#pragma once

#include "cpu/data_orders.hpp"
#include "cpu/vector/names.hpp"

namespace kann::cpu {

/// The answer to a problem, by each method; `data` holds the orders of the problem's data. Both block, and may be
/// called by several threads.
template <int D>
Answer shifted_sort(const Problem& problem, DataOrders<D>& data);
template <int D>
Answer exact(const Problem& problem, DataOrders<D>& data);

}  // namespace kann::cpu
