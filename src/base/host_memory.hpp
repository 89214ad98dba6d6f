// Refuses work that the host's memory cannot hold, before any of it is allocated.
#pragma once

#include <cstdint>

namespace kann::base {

/// Bytes of host memory that could be allocated now: what Linux calls available, or less where a control group (a
/// container) or the limit of address space says so.
std::int64_t available_host_memory();

/// @throws Error resources when `queries` rows of `k` neighbours (8 bytes each) do not fit the host's memory.
void check_result_size(std::int64_t queries, std::int64_t k);

/// @throws Error resources, saying that `what` needs `bytes`, when there are fewer.
void check_host_memory(double bytes, const char* what);

}  // namespace kann::base
