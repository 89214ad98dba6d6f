// Refuses a search that cannot fit the host's memory before its queries are there.
#pragma once

#include <cstdint>

#include "kann/search.hpp"

namespace kann::detail {

/// Counts what every search takes on the host for so many queries: a copy of them in float32, and the rows; on the CPU
/// their order, too. What the data take is not known before the search. Blocks: where the CPU has not enough memory, it
/// asks whether there is a device.
/// @param beside bytes that the caller takes for the search, such as those of the queries as given
/// @throws Error resources, as base::check_host_memory().
void check_query_memory(int dimensions, std::int64_t queries, const SearchOptions& options, double beside,
                        const char* what);

}  // namespace kann::detail
