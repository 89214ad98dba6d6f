// Refuses work that does not fit the host's memory, before anything is allocated for it.
#pragma once

#include <cstdint>

namespace kann::base {

/// Bytes of host memory that can be allocated now: MemAvailable of Linux, or less if the control group (a container) or
/// the limit of address space allows less.
std::int64_t available_host_memory();

/// The maximum of the bytes of host memory that this program has had in use; 0 if the system does not say. (getrusage()
/// counts those of the process that started it, too, where it was forked from a large one.)
std::int64_t peak_host_memory();

/// @throws Error resources if `queries` rows of `k` neighbours (8 bytes each) do not fit the host's memory.
void check_result_size(std::int64_t queries, std::int64_t k);

/// @throws Error resources ("host memory: WHAT needs 2.00 GB, 1.00 GB are available") if `bytes` are not available.
void check_host_memory(double bytes, const char* what);

/// Makes free() give memory back to the system from 256 KiB on, for the rest of the process. glibc keeps what was freed
/// below a size that grows to 32 MB, in pieces: the peak of a search in tiles was 1.6 times its budget.
void return_freed_memory();

}  // namespace kann::base
