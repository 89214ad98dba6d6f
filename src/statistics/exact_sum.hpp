// Exact sums of float32 numbers: the same in any order, on any number of threads and processes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kann::statistics {

/// A sum is kept as 256 integers, the sums of the mantissas of each exponent. Those of two sums can be added.
inline constexpr std::size_t k_exponents = 256;

/// As many mantissas of 24 bits fit into 63.
inline constexpr std::int64_t k_most_in_sum = std::int64_t{1} << 39;

/// Adds a number that is not negative, nor NaN. 1.5 has the exponent 127 and the mantissa 3 · 2²².
inline void add_exactly(float value, std::span<std::int64_t> mantissas) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 255;
  const std::uint32_t implicit_bit = exponent > 0 ? 1u << 23 : 0;
  mantissas[exponent] += (bits & ((1u << 23) - 1)) | implicit_bit;
}

/// Sums of squares: of each exponent, the upper and the lower 24 bits of the mantissas' squares.
inline constexpr std::size_t k_square_sums = 2 * k_exponents;

/// Adds the square of a number that is not negative, nor NaN.
inline void add_square_exactly(float value, std::span<std::int64_t> sums) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 255;
  const std::uint64_t mantissa = (bits & ((1u << 23) - 1)) | (exponent > 0 ? 1u << 23 : 0);
  const std::uint64_t square = mantissa * mantissa;
  sums[2 * exponent] += static_cast<std::int64_t>(square >> 24);
  sums[2 * exponent + 1] += static_cast<std::int64_t>(square & 0xffffff);
}

/// The sum of the squares, likewise.
inline double rounded_sum_of_squares(std::span<const std::int64_t> sums) {
  double sum = 0;
  for (std::size_t exponent = 0; exponent < k_exponents - 1; ++exponent) {
    const double upper = static_cast<double>(sums[2 * exponent]), lower = static_cast<double>(sums[2 * exponent + 1]);
    sum += std::ldexp(upper * 0x1p24 + lower, 2 * (std::max(static_cast<int>(exponent), 1) - 150));
  }
  return sums[2 * (k_exponents - 1)] > 0 ? HUGE_VAL : sum;
}

/// The sum, from the smallest numbers on: within some roundings of float64. Infinite if one of the numbers was.
inline double rounded_sum(std::span<const std::int64_t> mantissas) {
  double sum = std::ldexp(static_cast<double>(mantissas[0]), -149);  // below the normal numbers
  for (std::size_t exponent = 1; exponent < k_exponents - 1; ++exponent)
    sum += std::ldexp(static_cast<double>(mantissas[exponent]), static_cast<int>(exponent) - 150);
  return mantissas[k_exponents - 1] > 0 ? HUGE_VAL : sum;
}

}  // namespace kann::statistics
