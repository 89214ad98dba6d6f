// Parallel loops in the default floating-point environment; exceptions reach the caller.
//
// A loop asks for a number of threads and works with those that there are: its blocks are divided among them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/first_exception.hpp"
#include "base/thread_pool.hpp"

namespace kann::base {

/// The number of threads for an option of value `asked`; 0 means one per processor that this process may use, or
/// OMP_NUM_THREADS. At most 1,024.
int thread_count(int asked);

/// Calls f(thread, threads) on up to `threads` threads, for 0 ≤ thread < threads. Returns when all are done. f must not
/// throw.
template <class F>
void on_pool(int threads, F&& f) {
  const auto call = [](void* context, int thread, int count) noexcept {
    (*static_cast<std::remove_reference_t<F>*>(context))(thread, count);
  };
  thread_pool().run(threads, call, &f);
}

/// Calls f(block, begin, end) for `threads` consecutive blocks of [0, n), each on its own thread if so many can be
/// started. Returns when all are done.
template <class F>
void parallel_blocks(std::int64_t n, int threads, F&& f) {
  FirstException first;
  on_pool(threads, [&](int thread, int count) {
    // n·block does not overflow: n < 2³², and there are at most 1,024 threads.
    for (int block = thread; block < threads; block += count)
      first.capture([&] { f(block, n * block / threads, n * (block + 1) / threads); });
  });
  first.rethrow();
}

/// Calls f(begin, end) for chunks of at most `grain` of [0, n), scheduled dynamically: for uneven work. Returns when
/// all are done.
template <class F>
void parallel_chunks(std::int64_t n, std::int64_t grain, int threads, F&& f) {
  FirstException first;
  std::atomic<std::int64_t> next{0};
  on_pool(threads, [&](int, int) {
    for (std::int64_t begin; !first.caught() && (begin = next.fetch_add(grain)) < n;)
      first.capture([&] { f(begin, std::min(n, begin + grain)); });
  });
  first.rethrow();
}

/// Calls f(i) for every i of [0, n) in even blocks. Returns when all are done. f must not throw.
template <class F>
void parallel_for(std::int64_t n, int threads, F&& f) {
  on_pool(threads, [&](int thread, int count) {
    const std::int64_t end = n * (thread + 1) / count;
    for (std::int64_t i = n * thread / count; i < end; ++i) f(i);
  });
}

}  // namespace kann::base
