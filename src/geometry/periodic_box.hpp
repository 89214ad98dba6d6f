// A periodic box, which may be slanted: the vectors by which it repeats, and which images of a point are near.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "geometry/box.hpp"
#include "geometry/distance.hpp"
#include "geometry/vector3.hpp"

namespace kann::geometry {

using Position = Vector3;  ///< the third coordinate is 0 in 2-D

/// How many times each vector of a box is added: whole numbers.
using Shift = std::array<double, 3>;

inline double sq_length(const Position& a) { return sq_distance_3d(a[0], a[1], a[2]); }

class PeriodicBox {
 public:
  /// @param numbers as SearchOptions::periodic has them; none, or all 0: nothing repeats
  explicit PeriodicBox(std::span<const double> numbers);

  /// Whether it is anything but a box whose sides are along the axes.
  bool is_slanted() const { return is_slanted_; }
  const Position& vector(std::size_t i) const { return vectors_[i]; }

  /// The part of vector i that is perpendicular to those before it: its direction, and its length; 0: the box does not
  /// repeat by it, and the direction is one along which nothing repeats. The box with these sides holds one image of
  /// each point, as the box itself does.
  const Position& direction(std::size_t i) const { return directions_[i]; }
  double height(std::size_t i) const { return heights_[i]; }
  bool repeats(std::size_t i) const { return heights_[i] > 0; }

  /// The position, moved by `times` vector i, each coordinate rounded once.
  Position moved(Position at, std::size_t i, double times) const {
    if (!is_slanted_)
      at[i] = std::fma(times, vectors_[i][i], at[i]);
    else
      for (std::size_t a = 0; a < 3; ++a) at[a] = std::fma(times, vectors_[i][a], at[a]);
    return at;
  }

  /// The length of the diagonal of the box of the heights.
  double diagonal() const { return std::sqrt(sq_length(heights_)); }

  /// The length of the shortest vector by which a point repeats, which may be none of the three; infinite if it does
  /// not repeat.
  double shortest() const { return shortest_; }

  /// The nearest image of a point is no farther than this, along the plane, line or space of the vectors.
  double farthest_nearest() const { return farthest_nearest_; }

 private:
  explicit PeriodicBox(const std::array<Position, 3>& vectors) : vectors_(vectors) { set_directions(); }

  void set_lengths();
  void set_directions();
  Position perpendicular_to_all() const;

  std::array<Position, 3> vectors_{}, directions_{};
  std::array<double, 3> heights_{};
  bool is_slanted_ = false;
  double shortest_ = 0, farthest_nearest_ = 0;
};

/// A query with more images in reach is refused.
inline constexpr std::int64_t k_most_images = 10'000;

/// Says that a query has more. @throws Error usage, always.
[[noreturn]] void refuse_images();

/// Finds the images of points from which a point within a box may be near.
class NearImages {
 public:
  /// Whose images are found, and which: those of any points, or of points where a search places them.
  enum class Of { all, placed, nearest };

  /// @param extent the box within which points are
  /// @param of placed, nearest: the points are where a search places them, those of a slanted box within the box of
  ///        its heights; nearest: images that are nearest to no point may be left out, too
  NearImages(const PeriodicBox& box, const Box& extent, Of of = Of::all);

  /// Calls f(shift, position), until it returns false, for each image of a point but itself from which a point of the
  /// box may be at a squared distance of at most `sq_radius`. The position is that of the point, moved by the third
  /// vector, the second and the first, each coordinate rounded each time. The vectors' directions bound how often each
  /// is added, the last first, or the longest if they have right angles (Fincke and Pohst 1985); so it does not matter
  /// how slanted the box is. @throws Error usage, as refuse_images(): 10⁷ were tried.
  /// @pre sq_radius is finite, unless they are the nearest
  template <class F>
  void for_each(const Position& at, double sq_radius, F f) const {
    if (!may_have_any(at, sq_radius)) return;
    double sq_reach = sq_radius;
    for (std::size_t i = 0; i < 3; ++i)  // no vector brings a point nearer along these
      if (!box_.repeats(i) && sq_reach < k_infinity) sq_reach = left(i, at, sq_reach);
    sq_reach = std::min(sq_reach, reach_ * reach_);
    const auto [i1, i2, i3] = order_;
    double tried = 0;
    Shift n{};
    const Times third = times(i3, at, sq_reach);
    for (n[i3] = third.first; n[i3] <= third.last; ++n[i3]) {
      if (++tried > k_countable) refuse_images();
      const Position by_third = moved(at, i3, n[i3]);
      const double sq_left = box_.repeats(i3) ? left(i3, by_third, sq_reach) : sq_reach;
      const Times second = times(i2, by_third, sq_left);
      for (n[i2] = second.first; n[i2] <= second.last; ++n[i2]) {
        const Position by_second = moved(by_third, i2, n[i2]);
        const Times first = times(i1, by_second, box_.repeats(i2) ? left(i2, by_second, sq_left) : sq_left);
        tried += 1 + std::max(0.0, first.last - first.first);
        if (tried > k_countable) refuse_images();
        for (n[i1] = first.first; n[i1] <= first.last; ++n[i1]) {
          if (n == Shift{}) continue;
          const Position image = moved(by_second, i1, n[i1]);
          if (sq_gap(image) <= sq_radius && !f(n, image)) return;
        }
      }
    }
  }

 private:
  struct Times {
    double first, last;
  };
  static constexpr double k_countable = 1e7;
  static constexpr double k_infinity = std::numeric_limits<double>::infinity();

  Position moved(const Position& at, std::size_t i, double times) const {
    return times == 0 ? at : box_.moved(at, i, times);
  }
  double along(const Position& at, std::size_t i) const {
    return box_.is_slanted() ? dot(at, box_.direction(i)) : at[i];
  }

  /// Whether one more, or one less, of any vector comes near. As the vectors before it are perpendicular to its
  /// direction, they bring no image back.
  bool may_have_any(const Position& at, double sq_radius) const {
    bool may = false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!box_.repeats(i)) continue;
      const double x = along(at, i), above = x + box_.height(i) - hi_[i], below = lo_[i] - (x - box_.height(i));
      may |= !(above > 0 && below > 0 && above * above > sq_radius && below * below > sq_radius);
    }
    return may;
  }

  /// How often vector i may be added to a position so that it is within the squared radius of the extent.
  Times times(std::size_t i, const Position& at, double sq_radius) const;

  /// What direction i leaves of a squared radius for those that are perpendicular to it, and a little more.
  double left(std::size_t i, const Position& at, double sq_radius) const;

  /// A lower bound of d² from a position to any point of the extent. Differences are rounded, but rounding is
  /// monotonic, so that the bound holds for them, too.
  double sq_gap(const Position& at) const {
    Position gap;
    for (std::size_t a = 0; a < 3; ++a) gap[a] = std::max({0.0, extent_.lo[a] - at[a], at[a] - extent_.hi[a]});
    return sq_length(gap);
  }

  const PeriodicBox& box_;
  const Box extent_;
  const double most_, reach_;
  Position lo_{}, hi_{};                       // of the extent along each direction
  std::array<std::size_t, 3> order_{0, 1, 2};  // of the vectors: the one to be added first is last
  double extent_size_ = 0;  // of a slanted box: how large coordinates of the extent are, as they round
};

}  // namespace kann::geometry
