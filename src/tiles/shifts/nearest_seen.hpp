// The list of a query of a shifted sort in tiles, which goes on with it from shift to shift.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

namespace kann::tiles {

/// A point of the data that a query has seen, or none. The order is that of rows; none comes last.
class SeenPoint {
 public:
  SeenPoint() = default;  ///< none

  /// @param is_beyond the radius: the point takes its place in the list, and is not given
  SeenPoint(std::int64_t row, bool is_beyond) : bits_(static_cast<std::uint64_t>(row) << 1 | (is_beyond ? 1 : 0)) {}

  /// −1 of none.
  std::int64_t row() const { return static_cast<std::int64_t>(bits_) >> 1; }

  bool is_none() const { return bits_ == k_none; }

  /// Whether it is a neighbour in the result, where the list is its row.
  bool is_given() const { return (bits_ & 1) == 0; }

  auto operator<=>(const SeenPoint&) const = default;

 private:
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};  // which is not given

  std::uint64_t bits_ = k_none;  // a row, and below it whether the point is beyond the radius
};

/// The nearest points that a query has seen, by (squared distance in the frame, row). Missing ones have an infinite
/// distance, and come last.
struct NearestSeen {
  std::span<float> sq_dists;
  std::span<SeenPoint> points;

  void clear() const;

  /// Whether a point that is so near may belong here. Most are too far.
  bool may_take(float sq_dist) const { return !sq_dists.empty() && sq_dist <= sq_dists.back(); }

  /// Inserts a point that may be in the list already. @pre may_take()
  void insert(float sq_dist, SeenPoint point) const;
};

}  // namespace kann::tiles
