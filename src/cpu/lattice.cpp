#include "cpu/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "geometry/lattice.hpp"

namespace kann::cpu {
namespace {

/// The least last_bit() of numbers that are not 0, or less than `minimum` as soon as one is.
int last_bit_of_all(const float* numbers, std::int64_t count, int minimum, int threads) {
  std::vector<int> least(static_cast<std::size_t>(threads), k_no_last_bit);
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    int own = k_no_last_bit;
    for (std::int64_t i = begin; i < end && own >= minimum; ++i) own = std::min(own, last_bit(numbers[i]));
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
  return step < minimum ? 0 : geometry::exact_float32_limit(step);
}

}  // namespace kann::cpu
