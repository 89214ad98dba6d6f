// Threads that are started once and share the loops of parallel.hpp.
//
// OpenMP is not used: libgomp ends the process with exit code 1 when it cannot start a thread, at any parallel region
// that has more threads than the one before, and when memory is short while it is loaded. Here fewer threads do the
// work.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace kann::base {

/// The caller's thread and up to 1,023 more. Between loops these wait, 50 µs awake, then asleep. A pool is used only by
/// the thread that made it.
class ThreadPool {
 public:
  /// The function that threads call; it must not throw.
  using Work = void (*)(void* context);

  ThreadPool() = default;
  ~ThreadPool() { stop(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Starts threads until there are `count`, the caller's included, or the system refuses one. Returns how many there
  /// are. After a refusal, later calls start none until stop().
  int start(int count) noexcept;

  /// Ends the threads; blocks.
  void stop() noexcept;

  /// Calls `work` on the caller's thread, and on those of up to `threads` − 1 others that are ready before it returns
  /// there, in the default floating-point environment. `work` must therefore take one part after the other of what is
  /// left to do, until nothing is left. Where cores are shared, nobody then waits for a thread that has not begun.
  /// Starts threads that are missing. Blocks until all calls have returned. Called from within `work`, it uses the
  /// calling thread alone.
  void run(int threads, Work work, void* context) noexcept;

 private:
  struct Worker {
    ThreadPool* pool;
    int number;  ///< from 1
    pthread_t thread;
  };

  static void* enter(void* worker);
  void serve(int number) noexcept;
  bool join(int number) noexcept;

  std::vector<Worker> workers_;
  bool was_refused_ = false;
  Work work_ = nullptr;
  void* context_ = nullptr;
  std::atomic<std::uint32_t> call_{0};  ///< changes with every call of run(), and when the workers shall end
  std::atomic<std::uint32_t> gate_{0};  ///< threads that the call may have (0: closed), and workers in it
};

/// The pool of the calling thread. It is destroyed when the thread ends; the pool of the main thread, when the program
/// ends.
/// @throws std::bad_alloc.
ThreadPool& thread_pool();

}  // namespace kann::base
