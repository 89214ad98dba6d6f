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
  /// It must not throw.
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

  /// Calls `work` on the caller's thread, and on up to `threads` − 1 others that come before it returns there, in the
  /// default floating-point environment. So `work` takes a part of what is left to do, and another, until nothing is
  /// left: where cores are shared, nobody waits for a thread that has not begun. Starts threads that are missing.
  /// Blocks until all calls have returned. Called from within `work`, it uses the calling thread alone.
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
  std::atomic<std::uint32_t> call_{0};  ///< changes with every call, and when the workers shall end
  std::atomic<std::uint32_t> gate_{0};  ///< how many threads the call may have, 0 when it is closed; workers within
};

/// The pool of the calling thread. It ends with its thread, that of the main thread with the program.
/// @throws std::bad_alloc.
ThreadPool& thread_pool();

}  // namespace kann::base
