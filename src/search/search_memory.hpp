// Refuses a search that cannot fit the host's memory, before its queries exist.
#pragma once

#include <cstdint>

#include "kann/search.hpp"

namespace kann::detail {

/// Counts the memory that every search takes on the host for `queries` queries: a copy of them in float32, and the
/// rows; on the CPU also their order. The memory for the data is not known before the search. Blocks: if the host's
/// memory does not suffice for a search on the CPU, it asks whether there is a CUDA device.
/// @param beside bytes that the caller needs for the search, such as the queries as given
/// @throws Error resources, as base::check_host_memory().
void check_query_memory(int dimensions, std::int64_t queries, const SearchOptions& options, double beside,
                        const char* what);

}  // namespace kann::detail
