// A check of rows that come from the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "kann/neighbors.hpp"

#include "base/threads/parallel.hpp"

namespace kann::attributes {

/// The place of an id that is no row of `points` data points, nor missing; −1: there is none. Which of several it is
/// may depend on the threads.
inline std::int64_t wrong_id(std::span<const std::int32_t> ids, std::int64_t points, int threads) {
  std::atomic<std::int64_t> wrong{-1};
  base::parallel_for(std::ssize(ids), threads, [&](std::int64_t i) {
    const std::int32_t id = ids[static_cast<std::size_t>(i)];
    if (id != k_missing_id && (id < 0 || id >= points)) wrong.store(i, std::memory_order_relaxed);
  });
  return wrong;
}

}  // namespace kann::attributes
