// A bit per point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kann::problem {

class PointFlags {
 public:
  explicit PointFlags(std::int64_t size) : words_(static_cast<std::size_t>((size + k_bits - 1) / k_bits)) {}

  static double bytes(double size) { return size / 8; }

  void set(std::int64_t i) { words_[static_cast<std::size_t>(i / k_bits)] |= bit(i); }
  bool operator[](std::int64_t i) const { return (words_[static_cast<std::size_t>(i / k_bits)] & bit(i)) != 0; }

  /// All bits. Those of processes each of which has set the flags of other points are put together by sums.
  std::span<std::int64_t> words() { return words_; }

 private:
  static constexpr std::int64_t k_bits = 64;
  static std::int64_t bit(std::int64_t i) { return static_cast<std::int64_t>(std::uint64_t{1} << (i % k_bits)); }

  std::vector<std::int64_t> words_;
};

}  // namespace kann::problem
