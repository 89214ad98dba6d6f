// The exact answer in a periodic box by its definition: all d² in double, sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "exact_answer.hpp"

namespace kann::test {

/// Smallest and largest of the finite points' coordinates along an axis; 0 without any.
inline std::pair<double, double> range_of(const Points& points, int axis) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::pair range{infinity, -infinity};
  for (std::int64_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points, i)) continue;
    range.first = std::min(range.first, points.at(i, axis));
    range.second = std::max(range.second, points.at(i, axis));
  }
  return range.first <= range.second ? range : std::pair{0.0, 0.0};
}

using Vector = std::array<double, 3>;

/// The vectors by which the box SearchOptions::periodic repeats.
inline std::array<Vector, 3> vectors_of(const std::vector<double>& box) {
  std::array<Vector, 3> v{};
  for (std::size_t i = 0; box.size() == 9 && i < 9; ++i) v[i / 3][i % 3] = box[i];
  for (std::size_t a = 0; box.size() < 9 && a < std::min<std::size_t>(box.size(), 3); ++a) v[a][a] = box[a];
  if (box.size() == 6) v[1][0] = box[3], v[2][0] = box[4], v[2][1] = box[5];
  return v;
}

inline double product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The part of vector `i` that is perpendicular to others, which are taken in their order: its direction, and length.
inline std::pair<Vector, double> perpendicular(const std::array<Vector, 3>& v, std::size_t i,
                                               const std::vector<std::size_t>& others) {
  std::vector<Vector> directions;
  const auto rest_of = [&](const Vector& all) {
    Vector rest = all;
    for (const Vector& d : directions) {
      const double along = product(all, d);
      for (std::size_t a = 0; a < 3; ++a) rest[a] -= along * d[a];
    }
    const double length = std::sqrt(product(rest, rest));
    for (double& x : rest) x = length > 0 ? x / length : 0;
    return std::pair(rest, length);
  };
  for (const std::size_t j : others)
    if (const auto [direction, length] = rest_of(v[j]); length > 0) directions.push_back(direction);
  return rest_of(v[i]);
}

/// Where a slanted box has a point.
inline Vector in_slanted_box(Vector at, const std::array<Vector, 3>& v) {
  const std::vector<std::size_t> before[] = {{}, {0}, {0, 1}};
  for (std::size_t i = 3; i-- > 0;) {
    const auto [direction, height] = perpendicular(v, i, before[i]);
    for (int step = 0; step < 24 && height > 0; ++step)
      if (const double times = std::floor(product(at, direction) / height); times != 0)
        for (std::size_t a = 0; a < 3; ++a) at[a] = std::fma(-times, v[i][a], at[a]);
  }
  return at;
}

/// Where SearchOptions::periodic has the points; 0 for a third coordinate that there is not.
inline std::vector<Vector> placed(const Points& points, const Points& data, const std::vector<double>& box) {
  std::vector<Vector> out(static_cast<std::size_t>(points.size()));
  const bool is_slanted = box.size() > 3;
  for (std::size_t i = 0; is_slanted && i < out.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    out[i] = in_slanted_box({points.at(at, 0), points.at(at, 1), points.at(at, 2)}, vectors_of(box));
  }
  for (std::size_t a = 0; !is_slanted && a < box.size(); ++a) {
    const auto [lo, hi] = range_of(data, static_cast<int>(a));
    const double side = box[a], middle = lo / 2 + hi / 2;
    const bool data_stay = hi - lo <= 1.25 * side && std::abs(lo) <= 2 * side && std::abs(hi) <= 2 * side;
    for (std::int64_t i = 0; i < points.size(); ++i) {
      const double x = points.at(i, static_cast<int>(a)), rest = std::remainder(x, side);
      double& place = out[static_cast<std::size_t>(i)][a];
      if (side > 0 && &points == &data && data_stay && x == hi && lo + side == hi && hi - side == lo)
        place = lo;
      else if (side == 0 || (data_stay && (&points == &data || std::abs(x - middle) <= 0.63 * side)))
        place = x;
      else
        place = data_stay ? std::fma(std::nearbyint((middle - rest) / side), side, rest) : rest;
    }
  }
  return out;
}

/// A point and its copies a side away, 3^d at most, in a box with right angles.
inline std::vector<Vector> images(const Vector& point, const std::vector<double>& sides) {
  std::vector<Vector> out{point};
  for (std::size_t a = 0; a < sides.size(); ++a)
    for (std::size_t i = 0, count = out.size(); i < count && sides[a] > 0; ++i)
      for (const double step : {-sides[a], sides[a]}) {
        out.push_back(out[i]);
        out.back()[a] += step;
      }
  return out;
}

inline double sq_distance(const Vector& p, const Vector& q) {
  const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  return std::fma(z, z, std::fma(y, y, x * x));
}

/// The vectors of a box, and how far apart the planes of their images are.
struct Lattice {
  explicit Lattice(const std::vector<double>& box) : vectors(vectors_of(box)) {
    const std::vector<std::size_t> before[] = {{}, {0}, {0, 1}};
    for (std::size_t i = 0; i < 3; ++i) {
      heights[i] = perpendicular(vectors, i, {(i + 1) % 3, (i + 2) % 3}).second;
      apart = std::hypot(apart, 1.3 * perpendicular(vectors, i, before[i]).second);
    }
  }
  std::array<Vector, 3> vectors;
  Vector heights{};
  double apart = 0;  // along the vectors, of places in the box
};

/// The squared distances, up to that of a radius, from images of `q` to `p`: all of them. Those of a point to itself
/// are those of the vectors.
inline std::vector<double> all_sq_distances(const Vector& q, const Vector& p, const Lattice& lattice, double radius) {
  const std::array<Vector, 3>& v = lattice.vectors;
  const double apart = std::min(lattice.apart, std::sqrt(sq_distance(q, p)));
  Vector most{};
  for (std::size_t i = 0; i < 3; ++i)
    if (lattice.heights[i] > 0)
      most[i] = std::ceil((std::isinf(radius) ? 1.5 * lattice.apart : radius + apart) / lattice.heights[i] + 1e-6);
  std::vector<double> found;
  for (double x = -most[0]; x <= most[0]; ++x)
    for (double y = -most[1]; y <= most[1]; ++y)
      for (double z = -most[2]; z <= most[2]; ++z) {
        Vector image = q;
        const double times[] = {x, y, z};
        for (std::size_t i = 3; i-- > 0;)
          for (std::size_t a = 0; a < 3; ++a) image[a] = std::fma(times[i], v[i][a], image[a]);
        if (const double sq = sq_distance(image, p); sq <= radius * radius) found.push_back(sq);
      }
  std::ranges::sort(found);
  return found;
}

/// Whose neighbours are looked for: those of queries, of data without the point itself, and with it.
enum class Own { none, dropped, kept };

/// The (d², id) of all images that are neighbours of a query within the radius. @param q, p placed
inline std::vector<std::pair<double, std::int32_t>> all_images(std::int64_t query, const Vector& q,
                                                               const std::vector<Vector>& p, const Points& data,
                                                               const std::vector<double>& box, double radius, Own own) {
  const Lattice lattice(box);
  std::vector<std::pair<double, std::int32_t>> all;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    if (!is_finite(data, i)) continue;
    const bool is_own = own != Own::none && i == query;
    const Vector at = is_own ? Vector{} : p[static_cast<std::size_t>(i)];
    std::vector<double> sq = all_sq_distances(is_own ? Vector{} : q, at, lattice, radius);
    if (is_own && own == Own::dropped) sq.erase(sq.begin());
    for (const double one : sq) all.emplace_back(one, static_cast<std::int32_t>(i));
  }
  return all;
}

/// The answer where all images are neighbours.
inline Neighbors all_images_answer(const Points& data, const Points& queries, const std::vector<double>& box,
                                   std::int64_t k, Own own = Own::none) {
  const auto points = placed(data, data, box), at = placed(queries, data, box);
  Neighbors out{queries.size(), k, {}, {}};
  double longest = 0, radius = 0;
  for (const Vector& v : vectors_of(box)) longest = std::max(longest, std::sqrt(product(v, v)));
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (radius = longest / 4; is_finite(queries, q) && std::ssize(all) < k && data.size() > 0; radius *= 1.5)
      all = all_images(q, at[static_cast<std::size_t>(q)], points, data, box, radius, own);
    append_nearest(all, out);
  }
  return out;
}

/// As exact_answer(): each point once, by its nearest image.
inline Neighbors periodic_answer(const Points& data, const Points& queries, const std::vector<double>& box,
                                 std::int64_t k, bool drop_self = false) {
  const auto points = placed(data, data, box), at = placed(queries, data, box);
  const Lattice lattice(box);
  Neighbors out{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    const Vector& own = at[static_cast<std::size_t>(q)];
    const auto copies = box.size() > 3 ? std::vector<Vector>() : images(own, box);
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::int64_t i = 0; i < data.size() && is_finite(queries, q); ++i) {
      if (!is_finite(data, i) || (drop_self && i == q)) continue;
      const Vector& point = points[static_cast<std::size_t>(i)];
      double smallest = std::numeric_limits<double>::infinity();
      for (const Vector& copy : copies) smallest = std::min(smallest, sq_distance(copy, point));
      if (box.size() > 3) smallest = all_sq_distances(own, point, lattice, std::numeric_limits<double>::infinity())[0];
      all.emplace_back(smallest, static_cast<std::int32_t>(i));
    }
    append_nearest(all, out);
  }
  return out;
}

}  // namespace kann::test
