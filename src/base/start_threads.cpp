#include "base/start_threads.hpp"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "base/parallel.hpp"

namespace kann::base {
namespace {

void* wait_until_open(void* gate) {
  static_cast<const std::atomic<bool>*>(gate)->wait(false);
  return nullptr;
}

/// The number of threads, up to `wanted` and including the caller's, that can run at the same time. They allocate
/// nothing: for a thread that does, the C library reserves 64 MiB of address space and keeps it.
int startable_threads(int wanted) {
  std::atomic<bool> gate{false};
  std::vector<pthread_t> threads;
  threads.reserve(static_cast<std::size_t>(wanted));
  for (pthread_t thread; static_cast<int>(threads.size()) + 1 < wanted;) {
    if (pthread_create(&thread, nullptr, wait_until_open, &gate) != 0) break;
    threads.push_back(thread);
  }
  gate = true;
  gate.notify_all();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  return static_cast<int>(threads.size()) + 1;
}

}  // namespace

StartedThreads start_threads(int asked) {
  const int wanted = thread_count(asked);
  if (wanted == 1) return {};
  int count = wanted;
  // One more thread than wanted, to leave memory for what libgomp allocates beside its threads.
  if (const int startable = std::max(1, startable_threads(wanted + 1) - 1); startable < wanted) {
    if (asked > 0)
      throw Error(ErrorKind::resources, "--threads " + std::to_string(asked) + ": only " + std::to_string(startable) +
                                            " can be started (address space, or a limit on processes); use fewer");
    count = std::max(1, startable / 2);
  }
  parallel_for(count, count, [](std::int64_t) {});
  return {count, wanted};
}

}  // namespace kann::base
