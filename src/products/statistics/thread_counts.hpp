// Counts that several threads make, each for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"

namespace kann::statistics {

class ThreadCounts {
 public:
  /// Each thread has `size` counts, which are 0 at first.
  ThreadCounts(std::size_t size, int threads) : size_(size), parts_(static_cast<std::size_t>(threads)) {}

  /// Calls f(counts, begin, end) on several threads, each with its own counts, for consecutive parts of [0, rows).
  template <class F>
  void add(std::int64_t rows, F&& f) {
    base::parallel_blocks(rows, static_cast<int>(parts_.size()), [&](int part, std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t>& counts = parts_[static_cast<std::size_t>(part)];
      counts.resize(size_);
      f(std::span<std::int64_t>(counts), begin, end);
    });
  }

  /// The sums over all threads. Nothing may be counted afterwards.
  std::vector<std::int64_t> total() {
    std::vector<std::int64_t> all = std::move(parts_[0]);
    all.resize(size_);
    for (std::size_t part = 1; part < parts_.size(); ++part)
      for (std::size_t i = 0; i < parts_[part].size(); ++i) all[i] += parts_[part][i];
    return all;
  }

 private:
  std::size_t size_;
  std::vector<std::vector<std::int64_t>> parts_;  // the counts of each thread
};

}  // namespace kann::statistics
