#include "base/threads/thread_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "base/float_environment.hpp"
#include "base/threads/granted_processors.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::base {
namespace {

constexpr int k_max_threads = 1024;

// The low bits of gate_ count the workers inside the call; the bits above hold the number of threads that the call may
// have.
constexpr std::uint32_t k_within_bits = 11, k_within_mask = (1u << k_within_bits) - 1;
/// The value of call_ that ends the workers.
constexpr std::uint32_t k_stop = 0xffffffff;

/// Whether this thread is inside run(): a loop within a loop has no threads of its own.
thread_local bool is_in_run = false;

/// How often a waiting thread looks before it sleeps: staying awake pays while every thread has a processor.
int awake_rounds(std::size_t threads) {
  static const double processors = granted_processors();
  return static_cast<double>(threads) <= processors ? 2000 : 0;
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `value` is no longer `old`, and returns what it is then.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) return now;
    pause_briefly();
  }
  while (true) {
    if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) return now;
    value.wait(old, std::memory_order_acquire);
  }
}

/// Calls pthread_create(), and repeats it for 10 ms while the system refuses: threads that have just ended still count
/// towards a limit on processes.
int create_patiently(pthread_t* thread, void* (*function)(void*), void* argument) {
  constexpr int attempts = 20;
  for (int i = 1;; ++i) {
    const int error = pthread_create(thread, nullptr, function, argument);
    if (error != EAGAIN || i == attempts) return error;
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

void* ThreadPool::enter(void* worker) {
  const SignalStack stack;
  const Worker& self = *static_cast<const Worker*>(worker);
  self.pool->serve(self.number);
  return nullptr;
}

int ThreadPool::start(int count) noexcept {
  const auto wanted = static_cast<std::size_t>(std::clamp(count, 1, k_max_threads) - 1);
  try {
    if (workers_.capacity() == 0) workers_.reserve(k_max_threads);  // workers read their entries, which must not move
  } catch (const std::exception&) {
    return 1;
  }
  while (workers_.size() < wanted && !was_refused_) {
    workers_.push_back({this, static_cast<int>(workers_.size()) + 1, {}});
    was_refused_ = create_patiently(&workers_.back().thread, enter, &workers_.back()) != 0;
    if (was_refused_) workers_.pop_back();
  }
  return static_cast<int>(std::min(workers_.size(), wanted)) + 1;
}

void ThreadPool::stop() noexcept {
  call_.store(k_stop, std::memory_order_release);
  call_.notify_all();
  for (const Worker& worker : workers_) pthread_join(worker.thread, nullptr);
  workers_.clear();
  call_ = 0;
  was_refused_ = false;
}

void ThreadPool::run(int threads, Work work, void* context) noexcept {
  const int count = is_in_run || threads <= 1 ? 1 : start(threads);
  if (count > 1) {
    work_ = work;
    context_ = context;
    gate_.store(static_cast<std::uint32_t>(count) << k_within_bits, std::memory_order_release);
    call_.store((call_.load(std::memory_order_relaxed) + 1) % k_stop, std::memory_order_release);
    call_.notify_all();
  }
  {
    const DefaultFloatEnvironment environment;
    const bool was_in_run = std::exchange(is_in_run, true);
    work(context);
    is_in_run = was_in_run;
  }
  if (count == 1) return;
  std::uint32_t within = gate_.fetch_and(k_within_mask, std::memory_order_acquire) & k_within_mask;
  while (within != 0) within = wait_for_change(gate_, within, awake_rounds(workers_.size() + 1));
}

/// Lets the worker into the call, unless the call is closed or has enough threads.
bool ThreadPool::join(int number) noexcept {
  std::uint32_t gate = gate_.load(std::memory_order_relaxed);
  while (gate >> k_within_bits > static_cast<std::uint32_t>(number))
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  return false;
}

void ThreadPool::serve(int number) noexcept {
  const DefaultFloatEnvironment environment;
  is_in_run = true;
  for (std::uint32_t seen = 0;;) {
    seen = wait_for_change(call_, seen, awake_rounds(static_cast<std::size_t>(number) + 1));
    if (seen == k_stop) return;
    if (!join(number)) continue;
    work_(context_);
    if (gate_.fetch_sub(1, std::memory_order_release) == 1) gate_.notify_one();  // it is closed, and this was the last
  }
}

// Not a thread_local object: when memory ends, glibc aborts the program as it registers the destructor.
ThreadPool& thread_pool() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void* pool) { delete static_cast<ThreadPool*>(pool); }) != 0)
      throw std::bad_alloc();
    return made;
  }();
  if (void* const pool = pthread_getspecific(key)) return *static_cast<ThreadPool*>(pool);
  auto pool = std::make_unique<ThreadPool>();
  if (pthread_setspecific(key, pool.get()) != 0) throw std::bad_alloc();
  return *pool.release();
}

}  // namespace kann::base
