// Which image of its point each neighbour in a row is: a row tells only how far away it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "geometry/periodic_box.hpp"

namespace kann::geometry {

/// An image of a data point that is near a query.
struct FoundImage {
  double sq_dist = 0;
  Shift shift{};          ///< how often each vector of the box is added to the point
  Position difference{};  ///< from the query to the image
};

/// A row has the images of a point in the order of their distances, without any between them: so the place of an image
/// among those of its point says which one it is. Of images that are equally far, the smaller shift comes first. The
/// coordinates may be those as given, which a search moves, and so rounds: a distance may differ by that. Not to be
/// used by several threads at once.
class RowImages {
 public:
  /// @param box must outlive this object
  explicit RowImages(const PeriodicBox& box) : box_(box) {}

  /// The images of a row, one for each of its neighbours, until the next call; none if they are not those of a search
  /// in this box.
  /// @param ids of the neighbours, in the order of (distance, id) @param point(i) where the point of neighbour i is
  /// @param half_of the query is this data point, whose row has only one of its images S and −S: that whose first
  ///        number other than 0 is positive; −1: none
  template <class Id, class PointAt>
  std::span<const FoundImage> of(const Position& query, std::span<const Id> ids, std::span<const float> distances,
                                 PointAt point, std::int64_t half_of = -1) {
    found_.resize(ids.size());
    order_.resize(ids.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (!distances.empty() && !is_alone(distances.back()))  // else each point is there once
      std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return ids[i]; });
    for (std::size_t begin = 0, end; begin < order_.size(); begin = end) {
      const Id id = ids[order_[begin]];
      for (end = begin + 1; end < order_.size() && ids[order_[end]] == id;) ++end;
      if (id < 0) continue;
      if (!find(query, point(order_[begin]), {distances[order_[begin]], distances[order_[end - 1]]}, end - begin,
                id == half_of))
        return {};
      for (std::size_t i = begin; i < end; ++i) found_[order_[i]] = images_[i - begin];
    }
    return found_;
  }

 private:
  struct Distances {
    double first, last;
  };

  /// Whether no other image of a point is as near as one at this distance.
  bool is_alone(double distance) const {
    constexpr double below_half = 0.499999;  // by far more than what float32 and moved coordinates round
    return distance < below_half * box_.shortest();
  }

  /// The image of a point from a query that has been moved.
  static FoundImage found(const Position& point, const Shift& of_query, const Position& query) {
    const Position difference{point[0] - query[0], point[1] - query[1], point[2] - query[2]};
    return {sq_length(difference), {0 - of_query[0], 0 - of_query[1], 0 - of_query[2]}, difference};
  }

  /// Moves the query next to the point, by rounding (Babai 1986). False: that may not be its only image as near.
  bool find_alone(const Position& query, const Position& point) {
    Shift shift{};
    Position image = query;
    for (std::size_t i = 3; i-- > 0;) {
      if (!box_.repeats(i)) continue;
      shift[i] = std::nearbyint(dot(found(point, {}, image).difference, box_.direction(i)) / box_.height(i));
      if (shift[i] != 0) image = box_.moved(image, i, shift[i]);
    }
    images_.assign(1, found(point, shift, image));
    return is_alone(std::sqrt(images_[0].sq_dist));
  }

  /// Finds the images of a point from one distance on, at least so many; false: there are none, or far too many.
  bool find(const Position& query, const Position& point, const Distances& distances, std::size_t count, bool is_half) {
    constexpr double tolerance = 1e-6;  // by far more than what float32 and moved coordinates round
    double largest = box_.shortest();
    for (std::size_t a = 0; a < 3; ++a) largest = std::max({largest, std::abs(query[a]), std::abs(point[a])});
    const double rounded = 0x1p-44 * largest;
    if (rounded > box_.shortest() / 8) return false;
    if (count == 1 && is_alone(distances.first) && find_alone(query, point)) return true;
    const Position straight{query[0] - point[0], query[1] - point[1], query[2] - point[2]};
    const double sq_straight = sq_length(straight);
    constexpr double float32_step = std::numeric_limits<float>::denorm_min();
    double radius =
        std::isinf(distances.last) ? std::sqrt(sq_straight) : distances.last * (1 + tolerance) + rounded + float32_step;
    const Box at_point{.lo = point, .hi = point};
    const NearImages near(box_, at_point);
    do {
      images_.clear();
      const auto add = [&](const Shift& shift, const Position& image) {
        const FoundImage one = found(point, shift, image);
        const bool is_other_half = is_half && !(one.shift > Shift{});
        if (!is_other_half) images_.push_back(one);
        return images_.size() < k_most + count;
      };
      const bool is_itself = sq_straight == 0 && !is_alone(distances.first);  // a query that is not in its row
      if (sq_straight <= radius * radius && !is_itself) add({}, query);
      near.for_each(query, radius * radius, add);
      radius = 2 * radius + rounded;
    } while (images_.size() < count && std::isfinite(radius * radius));
    std::ranges::sort(images_, [](const FoundImage& a, const FoundImage& b) {
      return a.sq_dist < b.sq_dist || (a.sq_dist == b.sq_dist && a.shift < b.shift);
    });
    return images_.size() >= count && images_.size() < k_most + count;
  }

  /// By far more images of a point than are near a query (10,000), and than are as far as the last neighbour.
  static constexpr std::size_t k_most = 1 << 16;

  const PeriodicBox& box_;
  std::vector<FoundImage> found_, images_;
  std::vector<std::size_t> order_;
};

}  // namespace kann::geometry
