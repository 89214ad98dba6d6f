// Counts that several threads make, each for itself, of rows that several processes may share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"
#include "products/statistics/shared_rows.hpp"

namespace kann::statistics {

class SharedCounts {
 public:
  /// Each thread has `size` counts, which are 0 at first.
  SharedCounts(std::size_t size, int threads) : size_(size), parts_(static_cast<std::size_t>(threads)) {}

  /// Calls f(counts, begin, end) on several threads, each with its own counts, for consecutive parts of [0, rows).
  template <class F>
  void add(std::int64_t rows, F&& f) {
    base::parallel_blocks(rows, static_cast<int>(parts_.size()), [&](int part, std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t>& counts = parts_[static_cast<std::size_t>(part)];
      counts.resize(size_);
      f(std::span<std::int64_t>(counts), begin, end);
    });
  }

  /// The sums over all threads and processes. Nothing may be counted afterwards.
  std::vector<std::int64_t> total(const SumOverProcesses& sum_over_processes) {
    std::vector<std::int64_t> all = std::move(parts_[0]);
    all.resize(size_);
    for (std::size_t part = 1; part < parts_.size(); ++part)
      for (std::size_t i = 0; i < parts_[part].size(); ++i) all[i] += parts_[part][i];
    if (sum_over_processes) sum_over_processes(all);
    return all;
  }

 private:
  std::size_t size_;
  std::vector<std::vector<std::int64_t>> parts_;  // the counts of each thread
};

/// The sum, over all processes, of one number of each.
inline std::int64_t total_of(std::int64_t own, const SumOverProcesses& sum_over_processes) {
  if (sum_over_processes) sum_over_processes({&own, 1});
  return own;
}

}  // namespace kann::statistics
