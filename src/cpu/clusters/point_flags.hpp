// A bit per point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kann::cpu {

class PointFlags {
 public:
  explicit PointFlags(std::int64_t size) : words_(static_cast<std::size_t>((size + k_bits - 1) / k_bits)) {}

  static double bytes(double size) { return size / 8; }

  void set(std::int64_t i) { word(i) |= std::uint64_t{1} << (i % k_bits); }
  bool operator[](std::int64_t i) const { return words_[static_cast<std::size_t>(i / k_bits)] >> (i % k_bits) & 1; }

  /// All bits, for those who put together flags of several processes.
  std::span<std::uint64_t> words() { return words_; }

 private:
  static constexpr std::int64_t k_bits = 64;
  std::uint64_t& word(std::int64_t i) { return words_[static_cast<std::size_t>(i / k_bits)]; }

  std::vector<std::uint64_t> words_;
};

}  // namespace kann::cpu
