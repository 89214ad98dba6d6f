// Refuses work that does not fit the host's memory, before anything is allocated for it.
#pragma once

#include <cstdint>
#include <string>

namespace kann::base {

/// Bytes of host memory that can be allocated now: MemAvailable of Linux, or less if the control group (a container) or
/// the limit on the address space allows less.
std::int64_t available_host_memory();

/// The largest number of bytes of host memory that this program has used at a time; 0 if the system does not say.
/// (getrusage() also counts the memory of the process that forked it.)
std::int64_t peak_host_memory();

/// Bytes of memory that the program itself takes, as peak_host_memory() counts them: its code and that of libraries,
/// its threads, and what is too small to be charged to a budget. Measured for clouds of 1,000 points, without
/// statistics: 11 MB with 2 threads, 12 MB with 32. MPI takes 10 MB more, and the driver of a GPU takes memory of its
/// own, which is not counted.
double program_bytes(int threads, bool has_ranks);

/// E.g. "900 bytes", "52.6 MB", "9.2 GB", "1.76 TB".
std::string bytes_text(double bytes);

/// The same for so many bytes or some more: what it says, as an option, is enough.
std::string enough_text(double bytes);

/// @throws Error resources if `queries` rows of `k` neighbours (8 bytes each) do not fit the host's memory.
void check_result_size(std::int64_t queries, std::int64_t k);

/// What takes fewer bytes is not checked: to read what is available takes 30 µs, as long as a search among 100 points.
inline constexpr double k_unchecked_bytes = 1 << 26;

/// Whether `bytes` are available, or so few that they are not checked.
bool has_host_memory(double bytes);

/// @throws Error resources ("host memory: WHAT needs 2 GB, 1 GB are available") unless has_host_memory().
void check_host_memory(double bytes, const char* what);

/// Where addresses are limited (ulimit -v), makes all threads allocate from one arena: glibc reserves 64 MB of
/// addresses for each other one, and a search in tiles failed within its budget of 600 MB. To be called before threads
/// start.
void save_addresses();

/// Returns what is free to the system, and makes free() return blocks of 256 KiB and more, for the rest of the process:
/// to be called before and between works that take much memory. By default, glibc keeps freed blocks below a threshold
/// that grows to 32 MB, which fragments: the peak of a search in tiles was 1.6 times its budget.
void return_freed_memory();

}  // namespace kann::base
