// Codes, and points in the order of a shift.
#pragma once

#include <array>
#include <cstdint>

#include "kann/array.hpp"

#include "geometry/grid.hpp"

namespace kann::cpu {

/// Unshifted Morton codes of `count` row-major points.
template <int D>
Array<std::uint64_t> encode(const float* points, std::int64_t count, const Grid& grid, int threads);

/// A point's place in an order: sort key, then row.
struct Keyed {
  std::uint64_t key;
  std::uint32_t index;
};

/// All points of a cloud in the order of one shift: by (sort key, index).
template <int D>
class Order {
 public:
  explicit Order(std::int64_t count);

  /// Sorts by the leading `bits` of the codes moved by `shift`.
  void sort(const Array<std::uint64_t>& codes, std::uint64_t shift, int bits, int threads);

  /// Fetches the coordinates of the points into this order.
  void gather(const float* points, int threads);

  /// The number of points whose key is at most `key`.
  std::int64_t rank(std::uint64_t key) const;

  std::int64_t size() const { return static_cast<std::int64_t>(places_.size()); }
  std::uint32_t index(std::int64_t place) const { return places_[place].index; }

  /// Coordinates on `axis`, place after place.
  const float* axis(int a) const { return axes_[a].data(); }

 private:
  Array<Keyed> places_;
  std::array<Array<float>, D> axes_;
};

}  // namespace kann::cpu
