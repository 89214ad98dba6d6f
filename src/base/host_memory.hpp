// Refuses work that does not fit the host's memory, before anything is allocated for it.
#pragma once

#include <cstdint>

namespace kann::base {

/// Bytes of host memory that can be allocated now: MemAvailable of Linux, or less if the control group (a container) or
/// the limit on the address space allows less.
std::int64_t available_host_memory();

/// The largest number of bytes of host memory that this program has used at a time; 0 if the system does not say.
/// (getrusage() also counts the memory of the process that forked it.)
std::int64_t peak_host_memory();

/// @throws Error resources if `queries` rows of `k` neighbours (8 bytes each) do not fit the host's memory.
void check_result_size(std::int64_t queries, std::int64_t k);

/// @throws Error resources ("host memory: WHAT needs 2.00 GB, 1.00 GB are available") if `bytes` are not available.
void check_host_memory(double bytes, const char* what);

/// Makes free() return blocks of 256 KiB and more to the system, for the rest of the process. By default, glibc keeps
/// freed blocks below a threshold that grows to 32 MB, which fragments: the peak of a search in tiles was 1.6 times its
/// budget.
void return_freed_memory();

}  // namespace kann::base
