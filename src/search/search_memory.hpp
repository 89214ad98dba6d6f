// How much of the host's memory a search takes.
#pragma once

#include <cstdint>

#include "kann/search.hpp"

#include "cpu/backend.hpp"

namespace kann::detail {

/// The properties of a search that its memory per point depends on.
struct PointLoad {
  int dimensions = 3;
  std::int64_t k = 0;
  int shifts = 0;           ///< of the shifted sort; 0: an exact search
  bool is_float64 = false;  ///< one of the clouds, or both
  bool is_mixed = false;    ///< only one of them
  bool is_self = false;
  bool may_skip = false;      ///< invalid points
  bool keeps_orders = false;  ///< kann::Index makes it
  bool is_on_gpu = false;     ///< orders and lists are in the memory of GPUs; otherwise, in that of the host
};

/// Bytes of the host's memory that a search takes per point, beside the clouds as given and beside the rows, of 8 bytes
/// per neighbour.
cpu::PointBytes point_bytes(const PointLoad& load);

/// Counts the memory that every search takes on the host for `queries` queries: a copy of them in float32, and the
/// rows; on the CPU also their order. The memory for the data is not known before the search. Blocks: if the host's
/// memory does not suffice for a search on the CPU, it asks whether there is a CUDA device.
/// @param beside bytes that the caller needs for the search, such as the queries as given
/// @throws Error resources, as base::check_host_memory().
void check_query_memory(int dimensions, std::int64_t queries, const SearchOptions& options, double beside,
                        const char* what);

}  // namespace kann::detail
