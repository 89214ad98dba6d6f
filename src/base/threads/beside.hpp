// Runs a consumer on the caller's thread while a producer runs on another.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "base/threads/first_exception.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::base {

/// Calls produce(report) on a second thread. The producer calls report(count) with how much it has produced so far,
/// more at every call; report() returns false if the producer shall end early. Meanwhile, the caller's thread calls
/// consume(count), each time with a count that is up to `step` higher, until produce() returns; at least once if
/// anything was reported. What is left then is not consumed. Blocks until both are done. An exception of consume() ends
/// the producer at its next report(); the first exception of the two reaches the caller. If no thread can be started,
/// produce() runs on the caller's thread, and consume() is never called. Example, step 2: produce() reports 1 and,
/// while consume(1) runs, 2, 3 and 4; then come consume(3) and consume(4).
template <class Produce, class Consume>
void consume_beside(std::int64_t step, Produce&& produce, Consume&& consume) {
  std::mutex mutex;
  std::condition_variable has_changed;
  std::int64_t produced = 0;
  bool is_done = false, stops = false;
  const auto report = [&](std::int64_t count) {
    const std::scoped_lock lock(mutex);
    produced = count;
    has_changed.notify_one();
    return !stops;
  };

  FirstException first;
  std::thread producer;
  try {
    producer = std::thread([&] {
      const SignalStack stack;
      first.capture([&] { produce(report); });
      const std::scoped_lock lock(mutex);
      is_done = true;
      has_changed.notify_one();
    });
  } catch (const std::exception&) {  // no thread, or no memory for its record
  }
  if (!producer.joinable()) return produce(report);

  first.capture([&] {
    for (std::int64_t consumed = 0;;) {
      {
        std::unique_lock lock(mutex);
        has_changed.wait(lock, [&] { return is_done || produced > consumed; });
        if (is_done && (consumed > 0 || produced == 0 || first.caught())) return;
        consumed = std::min(produced, consumed + step);
      }
      try {
        consume(consumed);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        stops = true;
        throw;
      }
    }
  });
  producer.join();
  first.rethrow();
}

}  // namespace kann::base
