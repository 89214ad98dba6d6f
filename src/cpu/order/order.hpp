// Points in the order of a shift.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kann/array.hpp"

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/order/keys.hpp"
#include "cpu/vector/placed_points.hpp"

namespace kann::cpu {

/// A cloud in the order of its codes.
template <int D>
struct OrderedCloud {
  Placed<D> points;  // ids: rows of the input
  Array<std::uint64_t> codes;
};

/// The data in the order of a later shift.
template <int D>
struct ShiftedOrder {
  Placed<D> points;             // ids: rows of the input
  Array<std::uint32_t> places;  // places of these points in the order of shift 0; k_group values more

  static constexpr double bytes_per_point = Placed<D>::bytes_per_point + 4;
};

/// Sorts distinct keys by many threads; `scratch` is resized as needed. Blocks.
void parallel_sort(Array<std::uint64_t>& keys, Array<std::uint64_t>& scratch, int threads);

/// Sorts the indices of points by their shifted codes. The leading bits of a code and the index share one 64-bit
/// number, so that the sort moves 8 bytes per point and no two numbers are equal. Points of equal leading bits (44 bits
/// with 2²⁰ points) are then ordered by their whole codes. One object serves several sorts and keeps its memory.
class ArgSorter {
 public:
  /// Sorts by (leading bits, index): enough for queries, whose order only serves the cache.
  template <int D>
  void sort_by_leading_bits(const Array<std::uint64_t>& codes, std::uint64_t shift, int threads);

  /// Sorts the indices of `count` points by (code, index). write_codes(begin, end, codes) writes the codes of points
  /// [begin, end), of at most bits_beside_indices(count) bits; encoded() is called when all are written.
  template <class WriteCodes, class Encoded>
  void sort_codes(std::int64_t count, int threads, WriteCodes write_codes, Encoded encoded);
  template <class WriteCodes>
  void sort_codes(std::int64_t count, int threads, WriteCodes write_codes) {
    sort_codes(count, threads, write_codes, [] {});
  }

  /// Bits of a 64-bit number that the indices of `count` points leave free.
  static int bits_beside_indices(std::int64_t count);

  /// Sorts by (code moved by `shift`, index).
  template <int D>
  void sort(const Array<std::uint64_t>& codes, std::uint64_t shift, int threads);

  std::int64_t size() const { return static_cast<std::int64_t>(packed_.size()); }
  std::uint32_t operator[](std::int64_t i) const { return static_cast<std::uint32_t>(packed_[i] & index_mask()); }

  /// The i-th of the sorted codes.
  std::uint64_t code(std::int64_t i) const { return packed_[i] >> index_bits_; }

  static constexpr double bytes_per_point = 16;

 private:
  std::uint64_t index_mask() const { return (std::uint64_t{1} << index_bits_) - 1; }

  template <int D>
  void order_ties(std::int64_t begin, std::int64_t end, const Array<std::uint64_t>& codes, std::uint64_t shift);

  Array<std::uint64_t> packed_, scratch_;
  int index_bits_ = 0;
};

template <class WriteCodes, class Encoded>
void ArgSorter::sort_codes(std::int64_t count, int threads, WriteCodes write_codes, Encoded encoded) {
  constexpr std::int64_t at_once = 4096;  // they stay in the cache until their indices join them
  base::resize_fresh(packed_, count);
  index_bits_ = 64 - bits_beside_indices(count);
  base::parallel_blocks(count, threads, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t begin = first; begin < last; begin += at_once) {
      const std::int64_t end = std::min(begin + at_once, last);
      write_codes(begin, end, packed_.data() + begin);
      for (std::int64_t i = begin; i < end; ++i) packed_[i] = packed_[i] << index_bits_ | static_cast<std::uint64_t>(i);
    }
  });
  encoded();
  parallel_sort(packed_, scratch_, threads);
}

/// keys[i] = codes[order[i]] moved by `shift`.
template <int D>
void gather_keys(const Array<std::uint64_t>& codes, const ArgSorter& order, std::uint64_t shift,
                 Array<std::uint64_t>& keys, int threads);

/// to = row-major points in the order `order`, axis by axis; ids are rows.
template <int D>
void gather_rows(const float* points, const ArgSorter& order, Placed<D>& to, int threads);

/// to = the coordinates of the points of `order`, from the row-major `points`; ids are rows of these.
template <int D>
void gather_doubles(const double* points, const Placed<D>& order, PlacedDoubles<D>& to, int threads);

/// to = `points`, which are in the order of shift 0, in the order that `order` gives their places.
template <int D>
void gather_placed(const Placed<D>& points, const ArgSorter& order, ShiftedOrder<D>& to, int threads);

/// ranks[places[i]], or ranks[i] where `places` is null, = how many of the sorted keys are at most keys[i]: the ranks
/// of the data themselves. (2²⁰ points, three shifts: 9 ms of processor time; find_ranks() takes 31.)
void rank_data(const Array<std::uint64_t>& keys, const std::uint32_t* places, Array<std::uint32_t>& ranks, int threads);

}  // namespace kann::cpu
