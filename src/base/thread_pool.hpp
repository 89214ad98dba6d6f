// Threads that are started once and share the loops of parallel.hpp.
//
// Not OpenMP: libgomp ends the process with exit code 1 when it cannot start a thread, at any parallel region that has
// more threads than the one before, and when memory is short while it is loaded. Here fewer threads do the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace kann::base {

/// The caller's thread and up to 1,023 more, which wait between loops: 50 µs awake, then asleep. Used by the thread
/// that made it.
class ThreadPool {
 public:
  /// work(context, thread, threads), with 0 ≤ thread < threads; it must not throw.
  using Work = void (*)(void* context, int thread, int threads);

  ThreadPool() = default;
  ~ThreadPool() { stop(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Starts threads until there are `count`, the caller's included, or the system refuses one. Returns how many there
  /// are. After a refusal, later calls start none until stop().
  int start(int count) noexcept;

  /// Ends the threads; blocks.
  void stop() noexcept;

  /// Calls `work` on up to `threads` threads at the same time, the caller's included, in the default floating-point
  /// environment. Starts threads that are missing. Blocks until all calls have returned. Called from within `work`, it
  /// uses the calling thread alone.
  void run(int threads, Work work, void* context) noexcept;

 private:
  struct Worker {
    ThreadPool* pool;
    int number;  ///< from 1
    pthread_t thread;
  };

  static void* enter(void* worker);
  void serve(int number) noexcept;

  std::vector<Worker> workers_;
  bool was_refused_ = false;
  Work work_ = nullptr;
  void* context_ = nullptr;
  std::atomic<std::uint32_t> call_{0};     ///< number of the call and of its threads, so that both change at once
  std::atomic<std::uint32_t> working_{0};  ///< workers that have not finished the call
};

/// The pool of the calling thread. It ends with its thread, that of the main thread with the program.
/// @throws std::bad_alloc.
ThreadPool& thread_pool();

}  // namespace kann::base
