// Parallel loops in the default floating-point environment; exceptions reach the caller.
//
// A loop asks for a number of threads and works with those that are free: each takes one part after the other until
// none is left.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/threads/first_exception.hpp"
#include "base/threads/thread_pool.hpp"

namespace kann::base {

/// The number of threads for an option of value `asked`; 0 means OMP_NUM_THREADS, or one per processor that this
/// process is granted (granted_processors.hpp), rounded up. At most 1,024.
int thread_count(int asked);

/// Calls f() on the caller's thread, and on those of up to `threads` − 1 others that are ready before it returns there.
/// Returns when all calls have. f must not throw.
template <class F>
void on_pool(int threads, F&& f) {
  const auto call = [](void* context) noexcept { (*static_cast<std::remove_reference_t<F>*>(context))(); };
  thread_pool().run(threads, call, &f);
}

/// The threads of so many that can have one of `pieces` of work: to call others takes as long as the search of a query.
inline int threads_for(std::int64_t pieces, int threads) {
  return static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(pieces, 1), threads));
}

/// Calls f(block, begin, end) for `threads` consecutive blocks of [0, n), each once. Returns when all are done.
template <class F>
void parallel_blocks(std::int64_t n, int threads, F&& f) {
  FirstException first;
  std::atomic<int> next{0};
  on_pool(threads_for(n, threads), [&] {
    // n·block does not overflow: n < 2³², and there are at most 1,024 threads.
    for (int block; (block = next++) < threads;)
      first.capture([&] { f(block, n * block / threads, n * (block + 1) / threads); });
  });
  first.rethrow();
}

/// Calls f(begin, end) for chunks of at most `grain` of [0, n): for uneven work. Returns when all are done.
template <class F>
void parallel_chunks(std::int64_t n, std::int64_t grain, int threads, F&& f) {
  FirstException first;
  std::atomic<std::int64_t> next{0};
  on_pool(threads_for((n - 1) / grain + 1, threads), [&] {
    for (std::int64_t begin; !first.caught() && (begin = next.fetch_add(grain)) < n;)
      first.capture([&] { f(begin, std::min(n, begin + grain)); });
  });
  first.rethrow();
}

/// Calls f(i) for every i of [0, n) in even blocks. Returns when all are done. f must not throw.
template <class F>
void parallel_for(std::int64_t n, int threads, F&& f) {
  std::atomic<int> next{0};
  on_pool(threads_for(n, threads), [&] {
    for (int block; (block = next++) < threads;) {
      const std::int64_t end = n * (block + 1) / threads;
      for (std::int64_t i = n * block / threads; i < end; ++i) f(i);
    }
  });
}

}  // namespace kann::base
