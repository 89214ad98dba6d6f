// Sets of points that grow together.
#pragma once

#include <atomic>
#include <cstdint>

#include "kann/array.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/disjoint_sets.hpp"

namespace kann::problem {

/// The forest of geometry/disjoint_sets.hpp in memory. Any thread may call find(), are_united() and unite().
class DisjointSets {
 public:
  /// Each number from 0 to `size` − 1 is a set.
  explicit DisjointSets(std::int64_t size, int threads = 1) : parents_(static_cast<std::size_t>(size)) {
    base::parallel_for(size, threads, [&](std::int64_t i) { parents_[static_cast<std::size_t>(i)] = i; });
  }

  static double bytes(double size) { return size * sizeof(std::int64_t); }

  std::int64_t size() const { return std::ssize(parents_); }

  /// The smallest number of the set of `i`, as far as threads have united it.
  std::int64_t find(std::int64_t i) { return geometry::root_of(*this, i); }
  bool are_united(std::int64_t a, std::int64_t b) { return geometry::are_united(*this, a, b); }
  void unite(std::int64_t a, std::int64_t b) { geometry::unite(*this, a, b); }

  /// The parent of each number, no larger than it. For those who do without sets from now on.
  Array<std::int64_t>& parents() { return parents_; }

  // As geometry/disjoint_sets.hpp asks for them.
  std::int64_t load(std::int64_t i) { return at(i).load(std::memory_order_relaxed); }
  void store(std::int64_t i, std::int64_t parent) { at(i).store(parent, std::memory_order_relaxed); }
  bool replace(std::int64_t i, std::int64_t from, std::int64_t to) {
    return at(i).compare_exchange_strong(from, to, std::memory_order_relaxed);
  }

 private:
  std::atomic_ref<std::int64_t> at(std::int64_t i) {
    return std::atomic_ref<std::int64_t>(parents_[static_cast<std::size_t>(i)]);
  }

  Array<std::int64_t> parents_;
};

}  // namespace kann::problem
