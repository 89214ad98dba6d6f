// A check of rows that come from the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "kann/error.hpp"
#include "kann/neighbors.hpp"

#include "base/threads/parallel.hpp"

namespace kann::attributes {

/// The ids of rows, after a look at all of them: each is the number of one of `points` data points, or missing. The
/// message says "WHO: neighbour 9 is none of the 5 data points …"; which of several it names may depend on the threads.
/// @throws Error bad_input (the arrays do not match, an id is another one), usage (ids of 64 bits).
inline std::span<const std::int32_t> checked_ids(const Rows& rows, std::int64_t points, int threads,
                                                 const std::string& who) {
  check_rows(rows, who);
  if (!std::holds_alternative<std::span<const std::int32_t>>(rows.ids))
    throw Error(ErrorKind::usage, who + ": rows have ids of 32 bits");
  const auto ids = std::get<std::span<const std::int32_t>>(rows.ids);
  std::atomic<std::int64_t> wrong{-1};
  base::parallel_for(std::ssize(ids), threads, [&](std::int64_t i) {
    const std::int32_t id = ids[static_cast<std::size_t>(i)];
    if (id != k_missing_id && (id < 0 || id >= points)) wrong.store(i, std::memory_order_relaxed);
  });
  if (wrong >= 0)
    throw Error(ErrorKind::bad_input, who + ": neighbour " +
                                          std::to_string(ids[static_cast<std::size_t>(wrong.load())]) +
                                          " is none of the " + std::to_string(points) +
                                          " data points: are these the neighbours among other data?");
  return ids;
}

}  // namespace kann::attributes
