// Exact sums of float32 numbers: the same in any order, on any number of threads and processes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kann::statistics {

/// A sum is kept as 256 integers: for each exponent, the sum of the mantissas with that exponent. Two sums are added
/// integer by integer.
inline constexpr std::size_t k_exponents = 256;

/// The sum of this many mantissas of 24 bits fits into 63 bits.
inline constexpr std::int64_t k_most_in_sum = std::int64_t{1} << 39;

/// Adds a number that is neither negative nor NaN. Example: 1.5 has the exponent 127 and the mantissa 3 · 2²².
inline void add_exactly(float value, std::span<std::int64_t> mantissas) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 255;
  const std::uint32_t implicit_bit = exponent > 0 ? 1u << 23 : 0;
  mantissas[exponent] += (bits & ((1u << 23) - 1)) | implicit_bit;
}

/// A sum of squares has two integers per exponent: the sums of the upper and of the lower 24 bits of the mantissas'
/// squares.
inline constexpr std::size_t k_square_sums = 2 * k_exponents;

/// Adds the square of a number that is neither negative nor NaN.
inline void add_square_exactly(float value, std::span<std::int64_t> sums) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 255;
  const std::uint64_t mantissa = (bits & ((1u << 23) - 1)) | (exponent > 0 ? 1u << 23 : 0);
  const std::uint64_t square = mantissa * mantissa;
  sums[2 * exponent] += static_cast<std::int64_t>(square >> 24);
  sums[2 * exponent + 1] += static_cast<std::int64_t>(square & 0xffffff);
}

/// The sum of the squares, computed like rounded_sum().
inline double rounded_sum_of_squares(std::span<const std::int64_t> sums) {
  double sum = 0;
  for (std::size_t exponent = 0; exponent < k_exponents - 1; ++exponent) {
    const double upper = static_cast<double>(sums[2 * exponent]), lower = static_cast<double>(sums[2 * exponent + 1]);
    sum += std::ldexp(upper * 0x1p24 + lower, 2 * (std::max(static_cast<int>(exponent), 1) - 150));
  }
  return sums[2 * (k_exponents - 1)] > 0 ? HUGE_VAL : sum;
}

/// The sum as float64, added from the smallest exponents up, with an error of a few roundings. Infinite if one of the
/// numbers was.
inline double rounded_sum(std::span<const std::int64_t> mantissas) {
  double sum = std::ldexp(static_cast<double>(mantissas[0]), -149);  // the subnormal numbers
  for (std::size_t exponent = 1; exponent < k_exponents - 1; ++exponent)
    sum += std::ldexp(static_cast<double>(mantissas[exponent]), static_cast<int>(exponent) - 150);
  return mantissas[k_exponents - 1] > 0 ? HUGE_VAL : sum;
}

}  // namespace kann::statistics
