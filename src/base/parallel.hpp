// Loops over threads (OpenMP), in the default floating-point environment, with exceptions carried out of the parallel
// region.
#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

#include "base/first_exception.hpp"
#include "base/float_environment.hpp"

namespace kann::base {

/// The threads that `asked` means: 0 is all that the machine, or OMP_NUM_THREADS, offers. Bounded, since libgomp ends
/// the process when it cannot start a thread.
inline int thread_count(int asked) {
  constexpr int maximum = 1024;
  return std::clamp(asked > 0 ? asked : omp_get_max_threads(), 1, maximum);
}

/// Calls f(block, begin, end) for `threads` consecutive blocks of [0, n), each on a thread of its own. Blocks.
template <class F>
void parallel_blocks(std::int64_t n, int threads, F&& f) {
  FirstException first;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int block = 0; block < threads; ++block) {
    const DefaultFloatEnvironment environment;
    // n·block fits: n < 2³² and no machine has 2³¹ threads.
    first.capture([&] { f(block, n * block / threads, n * (block + 1) / threads); });
  }
  first.rethrow();
}

/// Calls f(begin, end) for chunks of at most `grain` of [0, n), handed to threads as they become free: for work that
/// is uneven. Blocks.
template <class F>
void parallel_chunks(std::int64_t n, std::int64_t grain, int threads, F&& f) {
  FirstException first;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t begin = 0; begin < n; begin += grain) {
    const DefaultFloatEnvironment environment;
    if (!first.caught()) first.capture([&] { f(begin, std::min(n, begin + grain)); });
  }
  first.rethrow();
}

/// Calls f(i) for every i of [0, n) in even blocks. Blocks. f must not throw.
template <class F>
void parallel_for(std::int64_t n, int threads, F&& f) {
#pragma omp parallel num_threads(threads)
  {
    const DefaultFloatEnvironment environment;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }
}

}  // namespace kann::base
