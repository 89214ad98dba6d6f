#include "geometry/periodic_box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kann/error.hpp"

namespace kann::geometry {

PeriodicBox::PeriodicBox(std::span<const double> numbers) {
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

void PeriodicBox::set_directions() {
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
  for (std::size_t i = 0; i < 3; ++i)
    if (heights_[i] == 0) directions_[i] = perpendicular_to_all();
}

/// A direction that is perpendicular to those that there are: of what they leave of each axis, the longest.
Position PeriodicBox::perpendicular_to_all() const {
  Position longest{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Position rest{};
    rest[axis] = 1;
    for (const Position& direction : directions_)
      for (std::size_t a = 0; a < 3; ++a) rest[a] -= direction[axis] * direction[a];
    if (sq_length(rest) > sq_length(longest)) longest = rest;
  }
  const double length = std::sqrt(sq_length(longest));
  for (double& x : longest) x /= length;
  return longest;
}

/// Reduces pairs of the vectors (Gauss 1801). No nearest image is farther than half of the diagonal of the box of the
/// heights that this leaves (Babai 1986), and all combinations of the vectors that may be shorter are tried.
void PeriodicBox::set_lengths() {
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

void refuse_images() {
  throw Error(ErrorKind::usage, "--periodic: a query has more than " + std::to_string(k_most_images) +
                                    " images in reach; take a smaller --radius or --k, or queries nearer to the data");
}

NearImages::NearImages(const PeriodicBox& box, const Box& extent, Of of)
    : box_(box),
      extent_(extent),
      most_(of == Of::nearest && !box.is_slanted() ? 1 : k_infinity),
      reach_(of == Of::nearest && box.is_slanted() ? 1.001 * box.farthest_nearest() : k_infinity) {
  if (!box.is_slanted()) std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return box.height(i); });
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
    extent_size_ += std::max(std::abs(extent.lo[i]), std::abs(extent.hi[i]));
    lo_[i] = middle - half;
    hi_[i] = middle + half;
    if (of == Of::all || !box.repeats(i)) continue;
    const double rounded = 1e-6 * box.height(i);
    lo_[i] = std::max(lo_[i], -rounded);
    hi_[i] = std::min(hi_[i], box.height(i) + rounded);
  }
}

NearImages::Times NearImages::times(std::size_t i, const Position& at, double sq_radius) const {
  if (!box_.repeats(i)) return {0, 0};
  constexpr double rounded = 1e-6;  // by far more than what is rounded; sq_gap() decides
  const double x = along(at, i), height = box_.height(i), radius = std::sqrt(sq_radius);
  const Times found{std::max(-most_, std::ceil((lo_[i] - radius - x) / height - rounded)),
                    std::min(most_, std::floor((hi_[i] + radius - x) / height + rounded))};
  if (found.first <= found.last && found.first + 1 == found.first) refuse_images();  // a loop would not go on
  return found;
}

double NearImages::left(std::size_t i, const Position& at, double sq_radius) const {
  constexpr double more = 1 + 1e-13, rounded = 1e-9;  // directions of the flattest box are right to 1e-10
  const double x = along(at, i);
  double gap = std::max(lo_[i] - x, x - hi_[i]);
  if (box_.is_slanted()) gap -= rounded * (extent_size_ + std::abs(at[0]) + std::abs(at[1]) + std::abs(at[2]));
  gap = std::max(0.0, gap);
  return std::max(0.0, more * sq_radius - gap * gap);
}

}  // namespace kann::geometry
