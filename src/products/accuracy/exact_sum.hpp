// A sum of float64 numbers that is the same in any order: on any number of threads, and however the numbers are divided
// into blocks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kann::accuracy {

/// A sum is kept as 2,048 integers: for each exponent, the sum of the mantissas with that exponent.
class ExactSum {
 public:
  /// Example: 1.5 has the exponent 1,023 and the mantissa 3 · 2⁵¹.
  void add(double value) {
    constexpr std::uint64_t implicit_bit = std::uint64_t{1} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::size_t exponent = bits >> 52 & (k_exponents - 1);
    if (exponent == k_exponents - 1) {
      not_finite_ += value;
      return;
    }
    const auto mantissa = static_cast<std::int64_t>((bits & (implicit_bit - 1)) | (exponent > 0 ? implicit_bit : 0));
    mantissas_[exponent] += std::signbit(value) ? -mantissa : mantissa;
  }

  void add(const ExactSum& other) {
    not_finite_ += other.not_finite_;
    for (std::size_t i = 0; i < k_exponents; ++i) mantissas_[i] += other.mantissas_[i];
  }

  /// The sum as float64, added from the smallest exponents up, with an error of a few roundings.
  double rounded() const {
    double sum = not_finite_;
    for (std::size_t i = 0; i < k_exponents; ++i)
      sum += std::ldexp(static_cast<double>(mantissas_[i]), std::max(static_cast<int>(i), 1) - 1075);
    return sum;
  }

 private:
  static constexpr std::size_t k_exponents = 2048;
  __extension__ using Wide = __int128;

  std::array<Wide, k_exponents> mantissas_{};
  double not_finite_ = 0;  // the sum of infinite numbers and NaNs
};

}  // namespace kann::accuracy
