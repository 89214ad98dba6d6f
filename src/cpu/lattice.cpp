#include "cpu/lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "geometry/float_bits.hpp"

namespace kann::cpu {
namespace {

/// The exponent of the last bit of a float32 that is set: x is an odd multiple of 2 to this power.
int last_bit(float x) {
  const std::uint32_t bits = bits_of(x);
  const int exponent = static_cast<int>(bits >> 23 & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  return exponent == 0 ? -149 + std::countr_zero(fraction) : exponent - 150 + std::countr_zero(fraction | 0x800000);
}

constexpr int k_none = std::numeric_limits<int>::max();

/// The least last_bit() of numbers that are not 0, or less than `minimum` as soon as one is; k_none if all are 0.
int last_bit_of_all(const float* numbers, std::int64_t count, int minimum, int threads) {
  std::vector<int> least(static_cast<std::size_t>(threads), k_none);
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    int own = k_none;
    for (std::int64_t i = begin; i < end && own >= minimum; ++i)
      if (numbers[i] != 0) own = std::min(own, last_bit(numbers[i]));
    least[block] = own;
  });
  return *std::min_element(least.begin(), least.end());
}

}  // namespace

float exact_float32_limit(const Problem& p) {
  if (p.is_rounded() || p.data_count == 0) return 0;
  // With a spacing of more than 2⁸ steps, neighbours are seldom at equal distances, and at more than 2¹² not near
  // enough
  constexpr int finest_spacing = 8;
  int minimum = -149;
  if (p.grid.inv > 0) {
    const double extent = std::ldexp(1.0, p.dimensions == 3 ? k_cell_bits<3> : k_cell_bits<2>) / p.grid.inv;
    const double spacing = extent / std::pow(static_cast<double>(p.data_count), 1.0 / p.dimensions);
    minimum = std::ilogb(spacing) - finest_spacing;
  }
  int step = last_bit_of_all(p.data, p.data_count * p.dimensions, minimum, p.threads);
  if (step >= minimum && !p.self_query())
    step = std::min(step, last_bit_of_all(p.queries, p.query_count * p.dimensions, minimum, p.threads));
  if (step < minimum || 2 * step < -149) return 0;               // float32 does not hold smaller squares
  if (step == k_none) return std::numeric_limits<float>::max();  // all coordinates are 0
  return static_cast<float>(std::ldexp(1.0, std::min(2 * step + 24, 127)));
}

}  // namespace kann::cpu
