// Makes the next item on another thread while the current one is in use.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/threads/first_exception.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::base {

/// Calls use(i, make(i)) for each i of [0, count), in this order, on the caller's thread. Meanwhile another thread
/// calls make(i + 1) (the caller's thread does if none can be started), so at most two items exist at a time. Blocks.
/// The first exception of use() or make() ends both and reaches the caller.
template <class Make, class Use>
void for_each_made_ahead(std::int64_t count, Make make, Use use) {
  using Made = decltype(make(count));
  std::mutex mutex;
  std::condition_variable has_changed;
  std::optional<Made> made;
  bool stops = false;
  FirstException first;
  const auto make_all = [&] {
    const SignalStack stack;
    first.capture([&] {
      for (std::int64_t i = 0; i < count; ++i) {
        {
          std::unique_lock lock(mutex);
          has_changed.wait(lock, [&] { return !made || stops; });
          if (stops) return;
        }
        std::optional<Made> next(make(i));
        const std::scoped_lock lock(mutex);
        made = std::move(next);
        has_changed.notify_one();
      }
    });
    const std::scoped_lock lock(mutex);
    stops = true;
    has_changed.notify_one();
  };
  std::thread maker;
  try {
    if (count > 1) maker = std::thread(make_all);
  } catch (const std::exception&) {  // no thread, or no memory for its record
  }
  if (!maker.joinable()) {
    for (std::int64_t i = 0; i < count; ++i) use(i, make(i));
    return;
  }

  first.capture([&] {
    for (std::int64_t i = 0; i < count; ++i) {
      std::optional<Made> taken;
      {
        std::unique_lock lock(mutex);
        has_changed.wait(lock, [&] { return made || stops; });
        if (!made) return;
        taken = std::exchange(made, std::nullopt);
        has_changed.notify_one();
      }
      use(i, std::move(*taken));
    }
  });
  {
    const std::scoped_lock lock(mutex);
    stops = true;
    has_changed.notify_one();
  }
  maker.join();
  first.rethrow();
}

}  // namespace kann::base
