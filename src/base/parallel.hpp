// Parallel loops (OpenMP), in the default floating-point environment; exceptions reach the caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

#include "base/first_exception.hpp"
#include "base/float_environment.hpp"

namespace kann::base {

/// The number of threads for an option of value `asked`; 0 means all that the machine has, or OMP_NUM_THREADS. At most
/// 1,024, since libgomp ends the process when it cannot start a thread.
inline int thread_count(int asked) {
  constexpr int maximum = 1024;
  return std::clamp(asked > 0 ? asked : omp_get_max_threads(), 1, maximum);
}

/// Calls f(block, begin, end) for `threads` consecutive blocks of [0, n), each on its own thread. Returns when all are
/// done.
template <class F>
void parallel_blocks(std::int64_t n, int threads, F&& f) {
  FirstException first;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int block = 0; block < threads; ++block) {
    const DefaultFloatEnvironment environment;
    // n·block does not overflow: n < 2³², and there are at most 1,024 threads.
    first.capture([&] { f(block, n * block / threads, n * (block + 1) / threads); });
  }
  first.rethrow();
}

/// Calls f(begin, end) for chunks of at most `grain` of [0, n), scheduled dynamically: for uneven work. Returns when
/// all are done.
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

/// Calls f(i) for every i of [0, n) in even blocks. Returns when all are done. f must not throw.
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
