// Sets of points that grow together.
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "kann/array.hpp"

namespace kann::cpu {

/// A forest in which every tree is a set and every root is the smallest number of its set: so the sets do not depend on
/// the order in which threads unite them. Lock-free (Anderson and Woll 1991): a root is hung below a smaller number by
/// a compare-and-swap; paths are halved on the way (Jaiganesh and Burtscher 2018).
class DisjointSets {
 public:
  /// Each number from 0 to `size` − 1 is a set.
  explicit DisjointSets(std::int64_t size) : parents_(static_cast<std::size_t>(size)) {
    std::iota(parents_.begin(), parents_.end(), std::int64_t{0});
  }

  static double bytes(double size) { return size * sizeof(std::int64_t); }

  std::int64_t size() const { return std::ssize(parents_); }

  /// The smallest number of the set of `i`, as far as threads have united it. Any thread may call it.
  std::int64_t find(std::int64_t i) {
    for (std::int64_t parent = load(i); parent != i;) {
      const std::int64_t above = load(parent);
      if (above != parent) at(i).store(above, std::memory_order_relaxed);
      i = parent;
      parent = above;
    }
    return i;
  }

  bool are_united(std::int64_t a, std::int64_t b) { return load(a) == load(b) || find(a) == find(b); }

  /// Any thread may call it.
  void unite(std::int64_t a, std::int64_t b) {
    if (load(a) == load(b)) return;
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::int64_t root = a;
      if (at(a).compare_exchange_strong(root, b, std::memory_order_relaxed)) return;
    }
  }

  /// The parent of each number, no larger than it. For those who do without sets from now on.
  Array<std::int64_t>& parents() { return parents_; }

 private:
  std::atomic_ref<std::int64_t> at(std::int64_t i) {
    return std::atomic_ref<std::int64_t>(parents_[static_cast<std::size_t>(i)]);
  }
  std::int64_t load(std::int64_t i) { return at(i).load(std::memory_order_relaxed); }

  Array<std::int64_t> parents_;
};

}  // namespace kann::cpu
