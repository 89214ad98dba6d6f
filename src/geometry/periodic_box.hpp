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
  explicit PeriodicBox(std::span<const double> numbers) {
    const std::size_t n = numbers.size();
    if (n < 9) {
      for (std::size_t a = 0; a < std::min<std::size_t>(n, 3); ++a) vectors_[a][a] = numbers[a];
      if (n == 6) {
        vectors_[1][0] = numbers[3];
        vectors_[2] = {numbers[4], numbers[5], numbers[2]};
      }
    } else {
      for (std::size_t i = 0; i < 9; ++i) vectors_[i / 3][i % 3] = numbers[i];
    }
    set_directions();
    set_lengths();
  }

  /// Whether it is anything but a box whose sides are along the axes.
  bool is_slanted() const { return is_slanted_; }
  const Position& vector(std::size_t i) const { return vectors_[i]; }

  /// The part of vector i that is perpendicular to those before it: its direction, and its length; 0: the box does not
  /// repeat by it. The box with these sides holds one image of each point, as the box itself does.
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
  void set_directions() {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t a = 0; a < 3; ++a) is_slanted_ |= a == i ? !(vectors_[i][a] >= 0) : vectors_[i][a] != 0;
      directions_[i] = {};
      directions_[i][i] = 1;
      heights_[i] = vectors_[i][i];
    }
    if (!is_slanted_) return;
    for (std::size_t i = 0; i < 3; ++i) {  // Gram and Schmidt
      Position& rest = directions_[i] = vectors_[i];
      for (std::size_t j = 0; j < i; ++j) {
        if (heights_[j] == 0) continue;
        const double along = dot(vectors_[i], directions_[j]);
        for (std::size_t a = 0; a < 3; ++a) rest[a] -= along * directions_[j][a];
      }
      heights_[i] = std::sqrt(dot(rest, rest));
      if (heights_[i] > 0)
        for (double& x : rest) x /= heights_[i];
    }
  }

  std::array<Position, 3> vectors_{}, directions_{};
  std::array<double, 3> heights_{};
  bool is_slanted_ = false;
  double shortest_ = 0, farthest_nearest_ = 0;
};

/// Finds the images of points from which a point within a box may be near.
class NearImages {
 public:
  /// Whose images are found, and which: those of any points, or of points where a search places them.
  enum class Of { all, placed, nearest };

  /// @param extent the box within which points are
  /// @param of placed, nearest: the points are where a search places them, those of a slanted box within the box of
  ///        its heights; nearest: images that are nearest to no point may be left out, too
  NearImages(const PeriodicBox& box, const Box& extent, Of of = Of::all)
      : box_(box),
        extent_(extent),
        most_(of == Of::nearest && !box.is_slanted() ? 1 : k_infinity),
        reach_(of == Of::nearest && box.is_slanted() ? 1.001 * box.farthest_nearest() : k_infinity) {
    for (std::size_t i = 0; i < 3; ++i) {
      lo_[i] = extent.lo[i];
      hi_[i] = extent.hi[i];
      if (!box.is_slanted()) continue;
      double middle = 0, half = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double along = box.direction(i)[a];
        if (along == 0) continue;  // 0 · ∞ is no number
        middle += along * (extent.lo[a] / 2 + extent.hi[a] / 2);
        half += std::abs(along) * (extent.hi[a] / 2 - extent.lo[a] / 2);
      }
      lo_[i] = middle - half;
      hi_[i] = middle + half;
      if (of == Of::all || !box.repeats(i)) continue;
      const double rounded = 1e-6 * box.height(i);
      lo_[i] = std::max(lo_[i], -rounded);
      hi_[i] = std::min(hi_[i], box.height(i) + rounded);
    }
  }

  /// Calls f(shift, position), until it returns false, for each image of a point but itself from which a point of the
  /// box may be at a squared distance of at most `sq_radius`. The position is that of the point, moved by the third
  /// vector, the second and the first, each coordinate rounded each time. The vectors' directions bound how often each
  /// is added, the last first (Fincke and Pohst 1985); so it does not matter how slanted the box is.
  /// @pre sq_radius is finite, unless they are the nearest
  template <class F>
  void for_each(const Position& at, double sq_radius, F f) const {
    if (!may_have_any(at, sq_radius)) return;
    const double sq_reach = std::min(sq_radius, reach_ * reach_);
    const Times third = times(2, at, sq_reach);
    for (double n3 = third.first; n3 <= third.last; ++n3) {
      const Position by_third = moved(at, 2, n3);
      const double sq_left = left(2, by_third, sq_reach);
      const Times second = times(1, by_third, sq_left);
      for (double n2 = second.first; n2 <= second.last; ++n2) {
        const Position by_second = moved(by_third, 1, n2);
        const Times first = times(0, by_second, left(1, by_second, sq_left));
        for (double n1 = first.first; n1 <= first.last; ++n1) {
          if (n1 == 0 && n2 == 0 && n3 == 0) continue;
          const Position image = moved(by_second, 0, n1);
          if (sq_gap(image) <= sq_radius && !f(Shift{n1, n2, n3}, image)) return;
        }
      }
    }
  }

 private:
  struct Times {
    double first, last;
  };
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
  Times times(std::size_t i, const Position& at, double sq_radius) const {
    if (!box_.repeats(i)) return {0, 0};
    constexpr double rounded = 1e-6;  // by far more than what is rounded; sq_gap() decides
    const double x = along(at, i), height = box_.height(i), radius = std::sqrt(sq_radius);
    return {std::max(-most_, std::ceil((lo_[i] - radius - x) / height - rounded)),
            std::min(most_, std::floor((hi_[i] + radius - x) / height + rounded))};
  }

  /// What is left of a squared radius for the directions before i, to which it is perpendicular, and a little more.
  double left(std::size_t i, const Position& at, double sq_radius) const {
    if (!box_.repeats(i)) return sq_radius;
    const double x = along(at, i), gap = std::max({0.0, lo_[i] - x, x - hi_[i]});
    constexpr double more = 1 + 1e-13;
    return std::max(0.0, more * sq_radius - gap * gap);
  }

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
  Position lo_{}, hi_{};  // of the extent along each direction
};

/// Reduces pairs of the vectors (Gauss 1801). No nearest image is farther than half of the diagonal of the box of the
/// heights that this leaves (Babai 1986), and all combinations of the vectors that may be shorter are tried.
inline void PeriodicBox::set_lengths() {
  std::array<Position, 3> v = vectors_;
  for (bool shortens = is_slanted_; shortens;) {
    shortens = false;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        if (i == j || sq_length(v[i]) == 0 || sq_length(v[j]) == 0) continue;
        const double times = std::nearbyint(dot(v[i], v[j]) / dot(v[j], v[j]));
        const Position shorter{v[i][0] - times * v[j][0], v[i][1] - times * v[j][1], v[i][2] - times * v[j][2]};
        constexpr double by_more_than_rounding = 1 - 1e-9;
        if (!(sq_length(shorter) < by_more_than_rounding * sq_length(v[i]))) continue;
        v[i] = shorter;
        shortens = true;
      }
  }
  const PeriodicBox reduced(v);
  farthest_nearest_ = reduced.diagonal() / 2;
  shortest_ = std::numeric_limits<double>::infinity();
  for (const double height : heights_)  // of right angles, also where squares are subnormal
    if (height > 0) shortest_ = std::min(shortest_, height);
  if (!is_slanted_) return;
  double smallest = std::numeric_limits<double>::infinity();
  for (const Position& one : v)
    if (sq_length(one) > 0) smallest = std::min(smallest, sq_length(one));
  NearImages(reduced, {}).for_each({}, smallest, [&](const Shift&, const Position& image) {
    smallest = std::min(smallest, sq_length(image));
    return true;
  });
  shortest_ = std::sqrt(smallest);
}

}  // namespace kann::geometry
