// Parallel loops of the clustering that the caller can end.
#pragma once

#include <cstdint>
#include <thread>

#include "base/threads/parallel.hpp"
#include "problem/cluster_device.hpp"

namespace kann::cpu {

/// As base::parallel_chunks(), with the threads of the rule, whose check is called after each chunk of the caller's
/// thread. A chunk should take milliseconds. @throws what f and the check throw.
template <class F>
void checked_chunks(std::int64_t n, std::int64_t grain, const problem::ClusterRule& rule, F&& f) {
  const std::thread::id caller = std::this_thread::get_id();
  base::parallel_chunks(n, grain, rule.threads, [&](std::int64_t begin, std::int64_t end) {
    f(begin, end);
    if (rule.check && std::this_thread::get_id() == caller) rule.check();
  });
}

}  // namespace kann::cpu
