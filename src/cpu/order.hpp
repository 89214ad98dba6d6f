// Points put in the order of a shift.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

#include "cpu/keys.hpp"
#include "cpu/placed_points.hpp"

namespace kann::cpu {

/// Sorts the places of points by their sort keys. A key and a place go into one 64-bit number, the leading bits of the
/// key above the place, so that the sort moves 8 bytes a point and all numbers differ; points whose leading bits are
/// the same (44 bits with 2²⁰ points) are then put in order by the whole of their keys. One object serves several sorts
/// and keeps its memory.
class ArgSorter {
 public:
  /// Sorts by the leading bits alone, points alike in them by place: enough for queries, whose order is only for the
  /// cache's sake.
  template <int D>
  void sort_by_leading_bits(const Array<std::uint64_t>& codes, ShiftKey by, int threads);

  /// Sorts by (code, place); a code has no more than bits_beside_indices(codes.size()).
  void sort_codes(const Array<std::uint64_t>& codes, int threads);

  /// Bits of the numbers that are sorted which the places of `count` points leave.
  static int bits_beside_indices(std::int64_t count);

  /// Sorts by (key, id); the id of a place is ids[place], or the place itself where `ids` is null. Points with the same
  /// code have ids that rise with their places.
  template <int D>
  void sort(const Array<std::uint64_t>& codes, ShiftKey by, const std::uint32_t* ids, int threads);

  std::int64_t size() const { return static_cast<std::int64_t>(packed_.size()); }
  std::uint32_t operator[](std::int64_t i) const { return static_cast<std::uint32_t>(packed_[i] & index_mask()); }

  /// The i-th of the sorted codes.
  std::uint64_t code(std::int64_t i) const { return packed_[i] >> index_bits_; }

  static constexpr double bytes_per_point = 16;

 private:
  std::uint64_t index_mask() const { return (std::uint64_t{1} << index_bits_) - 1; }

  /// make_keys(begin, end, keys) makes the keys of those points.
  template <class MakeKeys>
  void sort_keys_of(std::int64_t count, int threads, MakeKeys make_keys);

  template <int D>
  void order_ties(std::int64_t begin, std::int64_t end, const Array<std::uint64_t>& codes, ShiftKey by,
                  const std::uint32_t* ids);

  Array<std::uint64_t> packed_, scratch_;
  int index_bits_ = 0;
};

/// keys[i] = the sort key of codes[order[i]].
template <int D>
void gather_keys(const Array<std::uint64_t>& codes, const ArgSorter& order, ShiftKey by, Array<std::uint64_t>& keys,
                 int threads);

/// Row-major points, axis by axis in that order; ids are rows.
template <int D>
void gather_rows(const float* points, const ArgSorter& order, Placed<D>& to, int threads);

/// Points of another order in this one; ids are places in the other.
template <int D>
void gather_placed(const Placed<D>& points, const ArgSorter& order, Placed<D>& to, int threads);

}  // namespace kann::cpu
