#include "cpu/order/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/threads/parallel.hpp"
#include "geometry/lattice.hpp"

namespace kann::cpu {
namespace {

/// The least last_bit() of the numbers that are not 0. If one is less than `minimum`, it stops there and returns a
/// value below `minimum`.
int last_bit_of_all(const float* numbers, std::int64_t count, int minimum, int threads) {
  std::vector<int> least(static_cast<std::size_t>(threads), k_no_last_bit);
  base::parallel_blocks(count, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    int own = k_no_last_bit;
    for (std::int64_t i = begin; i < end && own >= minimum; ++i) own = std::min(own, last_bit(numbers[i]));
    least[block] = own;
  });
  return *std::min_element(least.begin(), least.end());
}

/// The smallest step that is of use.
int minimum_step(const Problem& p) {
  // If points are more than 2⁸ steps apart, neighbours are seldom at equal distances; from 2¹² steps on, they are too
  // far apart for exact distances
  constexpr int finest_spacing = 8;
  if (!(p.grid.inv > 0)) return -149;
  const double extent = std::ldexp(1.0, p.dimensions == 3 ? k_cell_bits<3> : k_cell_bits<2>) / p.grid.inv;
  const double spacing = extent / std::pow(static_cast<double>(p.data_count), 1.0 / p.dimensions);
  return std::ilogb(spacing) - finest_spacing;
}

}  // namespace

std::optional<int> lattice_step(const Problem& p) {
  if (p.is_rounded() || p.data_count == 0) return std::nullopt;
  const int minimum = minimum_step(p), step = last_bit_of_all(p.data, p.data_count * p.dimensions, minimum, p.threads);
  return step < minimum ? std::nullopt : std::optional(step);
}

float exact_float32_limit(const Problem& p, std::optional<int> data_step) {
  if (!data_step) return 0;
  const int minimum = minimum_step(p);
  const int step =
      p.self_query()
          ? *data_step
          : std::min(*data_step, last_bit_of_all(p.queries, p.query_count * p.dimensions, minimum, p.threads));
  return step < minimum ? 0 : geometry::exact_float32_limit(step);
}

}  // namespace kann::cpu
