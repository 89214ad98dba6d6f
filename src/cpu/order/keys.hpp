// Codes, sort keys and ranks, many at a time.
#pragma once

#include <array>
#include <cstdint>

#include "kann/array.hpp"

#include "cpu/vector/names.hpp"
#include "geometry/grid.hpp"

namespace kann::cpu {

/// codes[i] = the unshifted code of point i of `count` row-major points.
template <int D>
void encode(const float* points, std::int64_t count, const Grid& grid, std::uint64_t* codes);

/// Like encode(), for points that are stored axis by axis.
template <int D>
void encode_axes(const std::array<const float*, D>& axes, std::int64_t count, const Grid& grid, std::uint64_t* codes);

/// codes[i] = the place of point i of `count` row-major points along the Hilbert curve: the leading `bits_per_axis` of
/// hilbert_code(), at most k_cell_bits<D>, in D·bits_per_axis bits.
template <int D>
void encode_hilbert(const float* points, std::int64_t count, const Grid& grid, int bits_per_axis, std::uint64_t* codes);

/// keys[i] = the leading `bits` of codes[i] moved by `shift`, which is a shift_code().
template <int D>
void shifted_keys(const std::uint64_t* codes, std::int64_t count, std::uint64_t shift, int bits, std::uint64_t* keys);

/// Sorted keys, and the place where each value of their leading bits begins.
class RankTable {
 public:
  /// `sorted` must not change or move until the next build. Blocks.
  void build(const Array<std::uint64_t>& sorted, int threads);

  const std::uint64_t* sorted = nullptr;
  std::int64_t count = 0;
  int low_bits = 0;             ///< bits of a key that follow the leading ones
  Array<std::uint32_t> starts;  ///< where the keys with leading bits 0, 1, … start, and the end of the last

  static constexpr double bytes_per_key = 4;
};

/// ranks[i] = how many of the table's keys are at most codes[i] moved by `shift`. The binary searches of a vector run
/// in step: 2 or 3 steps where keys are spread evenly.
template <int D>
void find_ranks(const std::uint64_t* codes, std::int64_t count, std::uint64_t shift, const RankTable& table,
                std::uint32_t* ranks);

}  // namespace kann::cpu
