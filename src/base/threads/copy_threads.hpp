// Loops over chunks of bytes, to copy, read, sum or format them, on threads of the standard library.
//
// They do not use the pool of parallel.hpp: such loops run side by side (two files, a device that starts), and every
// thread would keep a pool of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "base/threads/first_exception.hpp"
#include "base/threads/parallel.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::base {

/// This many threads use nearly the whole memory bandwidth; more only take longer to start.
inline constexpr std::size_t k_copy_threads = 8;

/// The number of threads for copying `chunks`: up to thread_count(threads) of parallel.hpp, at most `most`.
inline std::size_t copy_threads(std::size_t chunks, int threads = 0, std::size_t most = k_copy_threads) {
  const auto maximum = static_cast<std::size_t>(thread_count(threads));
  return std::max<std::size_t>(1, std::min({chunks, maximum, most}));
}

/// Calls f(worker) for 0 ≤ worker < workers, each on its own thread, worker 0 on the caller's. If a thread cannot be
/// started, fewer workers are called, so f must share its work among those that run. Blocks; an exception of a worker
/// is thrown here after all have ended. Example: on_workers(1, f) calls f(0) and starts no thread.
template <class F>
void on_workers(std::size_t workers, F&& f) {
  FirstException first;
  {
    std::vector<std::jthread> threads;
    try {
      threads.reserve(workers - 1);
      for (std::size_t w = 1; w < workers; ++w)
        threads.emplace_back([&, w] {
          const SignalStack stack;
          first.capture([&] { f(w); });
        });
    } catch (const std::exception&) {  // no thread, or no memory for its record
    }
    first.capture([&] { f(std::size_t{0}); });
  }
  first.rethrow();
}

/// Calls f(begin, count) for every chunk of at most `grain` of [0, size), in any order, on at most `threads` threads,
/// the caller's included; blocks. After an exception no further chunk begins. Example: size 10 and grain 4 give (0, 4),
/// (4, 4) and (8, 2).
template <class F>
void on_threads(std::size_t size, std::size_t grain, std::size_t threads, F&& f) {
  const std::size_t chunks = (size + grain - 1) / grain;
  std::atomic<std::size_t> next{0};
  on_workers(std::max<std::size_t>(1, std::min(threads, chunks)), [&](std::size_t) {
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

/// Overwrites a value in every page, so that later copies into the array cause no page faults. Uses up to `threads`
/// threads, at most 16: these touch 55 GB/s in huge pages, and copy 46 GB/s to pages that are present, 25 GB/s to new
/// ones. Blocks.
template <class T>
void touch_pages(std::span<T> values, int threads) {
  constexpr std::size_t page = 4096 / sizeof(T), grain = (std::size_t{4} << 20) / sizeof(T), most = 16;
  const std::size_t workers = copy_threads((values.size() + grain - 1) / grain, threads, most);
  on_threads(values.size(), grain, workers, [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; i += page) values[i] = {};
  });
}

}  // namespace kann::base
