// Chunks of bytes handed to a few threads: for copies and reads, which wait for memory and not for arithmetic.
//
// Threads of the standard library and not of OpenMP: the loops run beside each other (two files, a device that starts),
// and every thread that opens a parallel region would keep a whole team of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "base/first_exception.hpp"

namespace kann::base {

/// The threads that saturate memory where there are as many cores; more only start later.
inline constexpr std::size_t k_copy_threads = 8;

/// The threads that `chunks` of such work are worth.
inline std::size_t copy_threads(std::size_t chunks) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::max<std::size_t>(1, std::min({chunks, cores, k_copy_threads}));
}

/// Calls f(worker) for 0 ≤ worker < workers, each on a thread of its own, worker 0 on the caller's; blocks. Where no
/// thread can be started, fewer workers are called: they are to share their work out among those who come. What one of
/// them throws is thrown here, once all are done.
template <class F>
void on_workers(std::size_t workers, F&& f) {
  FirstException first;
  {
    std::vector<std::jthread> threads;
    try {
      threads.reserve(workers - 1);
      for (std::size_t w = 1; w < workers; ++w) threads.emplace_back([&, w] { first.capture([&] { f(w); }); });
    } catch (const std::system_error&) {
    }
    first.capture([&] { f(std::size_t{0}); });
  }
  first.rethrow();
}

/// Calls f(begin, count) for every chunk of at most `grain` of [0, size), in any order; blocks. After an exception no
/// further chunk begins.
template <class F>
void on_threads(std::size_t size, std::size_t grain, F&& f) {
  const std::size_t chunks = (size + grain - 1) / grain;
  std::atomic<std::size_t> next{0};
  on_workers(copy_threads(chunks), [&](std::size_t) {
    for (std::size_t chunk; (chunk = next++) < chunks;) {
      try {
        f(chunk * grain, std::min(grain, size - chunk * grain));
      } catch (...) {
        next = chunks;
        throw;
      }
    }
  });
}

}  // namespace kann::base
