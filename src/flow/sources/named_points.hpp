// The data points that rows name, from data that need not fit in memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/io.hpp"

#include "base/memory_budget.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// A set of numbers below a limit, with a bit for each, that tells the place of a number among those in the set.
/// Example: with 3, 7 and 9 in the set, the place of 7 is 1.
class NumberSet {
 public:
  explicit NumberSet(std::int64_t limit) : words_(static_cast<std::size_t>(limit + 63) / 64), before_(words_.size()) {}

  /// Bytes of memory for numbers below a limit.
  static double bytes(std::int64_t limit) { return static_cast<double>(limit) * 12 / 64; }

  /// Adds a number; any thread may call it.
  void add(std::int64_t number) {
    std::atomic_ref(words_[static_cast<std::size_t>(number / 64)])
        .fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_relaxed);
  }

  /// To be called after the last number was added, before the functions below. Returns all numbers, ascending.
  std::vector<std::int64_t> finish();

  std::int32_t place_of(std::int64_t number) const {
    const auto word = static_cast<std::size_t>(number / 64);
    const std::uint64_t below = words_[word] & ((std::uint64_t{1} << (number % 64)) - 1);
    return static_cast<std::int32_t>(before_[word]) + std::popcount(below);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;  // how many numbers are in the words before each
};

class NamedPoints {
 public:
  /// @param data must outlive this object
  /// @param most numbers that pick() is called with at most. If the data have no more points, all are read once and
  ///        kept.
  /// @param memory is charged with the points and their numbers
  NamedPoints(const CloudSource& data, std::int64_t most, int threads, base::MemoryBudget* memory = nullptr)
      : data_(data), threads_(threads), keeps_all_(data.size() <= most), charge_(memory, 0) {}

  /// Bytes of memory where rows name `most` points, and the data have `points`, with `point_bytes` each for coordinates
  /// and attributes. If all data are kept, only these count. Otherwise there are the points; their numbers, as named
  /// and in order; a set of the numbers; and a block read from the file, with the numbers that lie in it. Each name
  /// counts, though many may name the same point.
  /// @param buffer_bytes as CloudSource::buffer_bytes()
  static double bytes(double points, double most, double point_bytes, double buffer_bytes) {
    if (points <= most) return points * point_bytes + buffer_bytes;
    return naming_bytes(most) + picked_bytes(static_cast<std::int64_t>(points), most, most, point_bytes) + buffer_bytes;
  }

  /// Bytes of so many numbers for pick(): whoever makes them charges them.
  static double naming_bytes(double numbers) { return sizeof(std::int64_t) * numbers; }

  /// Whether there are all points: pick() then needs no numbers.
  bool keeps_all() const { return keeps_all_; }

  /// Reads the points with these numbers, and their attributes; passes over the data once. Blocks.
  /// @throws as CloudSource::read().
  void pick(std::vector<std::int64_t> numbers);

  /// The points that pick() has read.
  const Cloud& cloud() const { return cloud_; }

  /// Their numbers in the data, ascending; empty if they are all of the data.
  std::span<const std::int64_t> numbers() const { return numbers_; }

  /// The place in cloud() of the point with a number that was picked.
  std::int32_t place_of(std::int64_t number) const;

 private:
  /// While `different` points that `named` numbers name are read, of a file of `points`.
  static double picked_bytes(std::int64_t points, double named, double different, double point_bytes) {
    const double read = std::min(static_cast<double>(points), static_cast<double>(points_at_once(point_bytes)));
    return sizeof(std::int64_t) * named + std::min(NumberSet::bytes(points), sizeof(std::int64_t) * named) +
           different * point_bytes + read * (point_bytes + sizeof(std::int64_t));
  }

  const CloudSource& data_;
  const int threads_;
  const bool keeps_all_;
  bool has_all_ = false;
  std::vector<std::int64_t> numbers_;
  std::optional<NumberSet> set_;  ///< of numbers_, where it takes no more memory than they
  Cloud cloud_;
  base::MemoryCharge charge_;
};

}  // namespace kann::flow
