#include "products/accuracy/periodic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kann/sky.hpp"

namespace kann::accuracy {
namespace {

double product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// An axis of the periodic box, with the extent of the data as given.
struct Axis {
  double lo, hi, side;

  bool has_data() const { return lo <= hi; }
  bool data_stay() const {
    return !has_data() || (hi - lo <= 1.25 * side && std::max(std::abs(lo), std::abs(hi)) <= 2 * side);
  }
  double middle() const { return has_data() ? lo / 2 + hi / 2 : 0; }
  bool query_stays(double x) const { return std::abs(x - middle()) <= 0.63 * side; }

  double place(double x, bool is_data) const {
    if (!(side > 0)) return x;
    if (!data_stay()) return std::remainder(x, side);
    const bool have_faces = has_data() && lo + side == hi && hi - side == lo;
    if (is_data && have_faces && x == hi) return lo;
    if (is_data || query_stays(x)) return x;
    const double rest = std::remainder(x, side);
    return std::fma(std::nearbyint((middle() - rest) / side), side, rest);
  }
};

/// The parts of vectors that are perpendicular to all before them: directions, and lengths.
void set_perpendicular(const std::array<Vector, 3>& vectors, std::array<Vector, 3>& directions, Vector& lengths) {
  for (std::size_t i = 0; i < 3; ++i) {
    Vector& rest = directions[i] = vectors[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (lengths[j] == 0) continue;
      const double along = product(vectors[i], directions[j]);
      for (std::size_t a = 0; a < 3; ++a) rest[a] -= along * directions[j][a];
    }
    lengths[i] = std::sqrt(product(rest, rest));
    for (double& x : rest) x = lengths[i] > 0 ? x / lengths[i] : 0;
  }
}

/// Takes whole multiples of vectors from others as long as one becomes shorter by it.
void reduce(std::array<Vector, 3>& vectors, std::array<Vector, 3>& whole) {
  for (std::size_t i = 0; i < 3; ++i) whole[i][i] = 1;
  for (bool shortens = true; shortens;) {
    shortens = false;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double sq_i = product(vectors[i], vectors[i]), sq_j = product(vectors[j], vectors[j]);
        const double times = i == j || sq_j == 0 ? 0 : std::nearbyint(product(vectors[i], vectors[j]) / sq_j);
        Vector shorter = vectors[i];
        for (std::size_t a = 0; a < 3; ++a) shorter[a] -= times * vectors[j][a];
        if (times == 0 || !(product(shorter, shorter) < (1 - 1e-9) * sq_i)) continue;
        vectors[i] = shorter;
        for (std::size_t a = 0; a < 3; ++a) whole[i][a] -= times * whole[j][a];
        shortens = true;
      }
  }
}

/// Where a slanted box has a point.
Vector in_slanted_box(Vector at, const PeriodicCell& cell) {
  for (std::size_t i = 3; i-- > 0;)
    for (int step = 0; step < 24 && cell.heights[i] > 0; ++step) {
      const double times = std::floor(product(at, cell.directions[i]) / cell.heights[i]);
      if (times == 0 || std::isnan(times)) break;
      for (std::size_t a = 0; a < 3; ++a) at[a] = std::fma(-times, cell.vectors[i][a], at[a]);
    }
  return at;
}

/// A box around the points of a slanted box: along each direction, from 0 to its height; and as given, apart from
/// these.
Extent slanted_extent(const Extent& given, const PeriodicCell& cell) {
  Extent out = given;
  out.is_float32 = false;
  for (std::size_t a = 0; a < 3; ++a) {
    double margin = 0;
    out.lo[a] = out.hi[a] = 0;
    const auto add = [&](double from, double to) {
      out.lo[a] += std::min(from, to);
      out.hi[a] += std::max(from, to);
      margin += 1e-9 * (std::abs(from) + std::abs(to));
    };
    for (std::size_t i = 0; i < 3; ++i) add(0, cell.directions[i][a] * cell.heights[i]);
    for (std::size_t b = 0; b < 3; ++b) {
      double apart = a == b ? 1 : 0;
      for (const Vector& direction : cell.directions) apart -= direction[a] * direction[b];
      if (std::abs(apart) > 1e-12) add(apart * given.lo[b], apart * given.hi[b]);
    }
    out.lo[a] -= margin;
    out.hi[a] += margin;
  }
  return out;
}

/// A box that holds all points of a cloud once they are placed; `given` is its extent as given, and `data` that of the
/// data.
Extent placed_extent(const Extent& given, PlacedPoints::Role role, const Extent& data, const PeriodicCell& cell) {
  Extent out = given;
  if (cell.is_slanted && given.valid > 0) return slanted_extent(given, cell);
  for (int a = 0; a < 3; ++a) {
    const double side = cell.sides[a];
    const Axis axis{data.lo[a], data.hi[a], side};
    if (!(side > 0) || !(given.lo[a] <= given.hi[a])) continue;
    if (!axis.data_stay()) {
      out.lo[a] = -side / 2;
      out.hi[a] = side / 2;
    } else if (role == PlacedPoints::Role::queries &&
               !(axis.query_stays(given.lo[a]) && axis.query_stays(given.hi[a]))) {
      constexpr double largest = std::numeric_limits<double>::max();
      out.lo[a] = std::max(axis.middle() - 0.63 * side, -largest);
      out.hi[a] = std::min(axis.middle() + 0.63 * side, largest);
    }
  }
  return out;
}

Extent widened(Extent extent, double by) {
  for (std::size_t a = 0; a < 3; ++a) {
    extent.lo[a] -= by;
    extent.hi[a] += by;
  }
  return extent;
}

CloudFacts placed_facts(const CloudFacts& given, const PeriodicCell& cell, bool is_sky) {
  if (is_sky) {
    CloudFacts facts = given;
    for (Extent* const extent : {&facts.data, &facts.queries}) {
      if (extent->valid == 0) continue;
      extent->lo.fill(-1);
      extent->hi.fill(1);
      extent->is_float32 = false;
    }
    return facts;
  }
  using enum PlacedPoints::Role;
  return {placed_extent(given.data, data, given.data, cell), placed_extent(given.queries, queries, given.data, cell),
          given.middle};
}

}  // namespace

PeriodicCell::PeriodicCell(const std::vector<double>& numbers, bool has_all_images) : has_all(has_all_images) {
  const std::size_t n = numbers.size();
  if (n == 9)
    for (std::size_t i = 0; i < n; ++i) vectors[i / 3][i % 3] = numbers[i];
  else
    for (std::size_t a = 0; a < std::min<std::size_t>(n, 3); ++a) vectors[a][a] = numbers[a];
  if (n == 6) {
    vectors[1][0] = numbers[3];
    vectors[2][0] = numbers[4];
    vectors[2][1] = numbers[5];
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t a = 0; a < 3; ++a) is_slanted |= a == i ? vectors[i][a] < 0 : vectors[i][a] != 0;
  for (std::size_t i = 0; i < 3 && !is_slanted; ++i) sides[i] = vectors[i][i];
  set_perpendicular(vectors, directions, heights);
  reduced = vectors;
  reduce(reduced, whole);
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<Vector, 3> others{};
    Vector lengths{};
    set_perpendicular({reduced[(i + 1) % 3], reduced[(i + 2) % 3], reduced[i]}, others, lengths);
    for (std::size_t a = 0; a < 3 && lengths[2] > 0; ++a) reciprocal[i][a] = others[2][a] / lengths[2];
  }
}

double PeriodicCell::reach() const {
  constexpr double times = 1 << 14;
  return is_by_axes() ? 0 : 2 * times * nearest_within();
}

PeriodicCell PeriodicCell::scaled(double factor) const {
  PeriodicCell out = *this;
  for (double& side : out.sides) side = side > 0 ? side * factor : 0;
  for (auto* const vectors_of : {&out.vectors, &out.reduced})
    for (Vector& v : *vectors_of)
      for (double& x : v) x *= factor;
  for (Vector& r : out.reciprocal)
    for (double& x : r) x /= factor;
  return out;
}

std::vector<double> PeriodicCell::within(const Vector& query, const Vector& point, double sq_radius) const {
  std::vector<double> found;
  for_each_shift(query, point, point, has_all ? std::sqrt(sq_radius) : nearest_within(), [&](const Vector& shift) {
    const Vector at = image(query, shift);
    const double sq_dist = sq_distance<3>(at.data(), point.data());
    if (!has_all || sq_dist <= sq_radius) found.push_back(sq_dist);
  });
  std::ranges::sort(found);
  if (!has_all) found.resize(1);
  return found;
}

std::vector<double> PeriodicCell::smallest(const Vector& query, const Vector& point, std::size_t count) const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Vector& v : reduced)
    if (v != Vector{}) shortest = std::min(shortest, std::sqrt(product(v, v)));
  const double straight = std::sqrt(sq_distance<3>(query.data(), point.data()));
  double radius = std::max(std::min(straight * (1 + 0x1p-30), nearest_within()), shortest / 4);
  std::vector<double> found = within(query, point, radius * radius);
  while (has_all && found.size() < count && std::isfinite(radius * radius)) {
    radius *= 1.5;
    found = within(query, point, radius * radius);
  }
  if (found.size() < count) found.resize(count, std::numeric_limits<double>::infinity());
  return found;
}

double PeriodicCell::nearest_within() const {
  double sum = 0;
  for (const Vector& v : reduced) sum += std::sqrt(product(v, v));
  return sum / 2;
}

double sq_distance(const double* query, const double* point, const PeriodicCell& cell, int dimensions) {
  if (!cell.is_by_axes()) {
    Vector q{}, p{};
    std::copy_n(query, dimensions, q.begin());
    std::copy_n(point, dimensions, p.begin());
    return cell.smallest(q, p, 1)[0];
  }
  double sum = 0;
  for (int a = 0; a < dimensions; ++a) {
    const double x = cell.component(query[a], point[a], a);
    sum = a == 0 ? x * x : std::fma(x, x, sum);
  }
  return sum;
}

PlacedPoints::PlacedPoints(const PointsView& given, Role role, const Extent& data, const PeriodicCell& cell,
                           bool is_sky)
    : given_(given) {
  if (is_sky) moved_ = std::make_unique<const Points>(on_sphere(given, "accuracy", 1));
  if (!cell.any()) return;
  const std::int64_t d = given.dimensions;
  Array<double> coordinates(static_cast<std::size_t>(given.size() * d));
  for (std::int64_t i = 0; i < given.size(); ++i) {
    Vector at{given.at(i, 0), given.at(i, 1), d == 3 ? given.at(i, 2) : 0};
    if (cell.is_slanted)
      at = in_slanted_box(at, cell);
    else
      for (std::size_t a = 0; a < 3; ++a)
        at[a] = Axis{data.lo[a], data.hi[a], cell.sides[a]}.place(at[a], role == Role::data);
    std::copy_n(at.begin(), d, coordinates.begin() + i * d);
  }
  moved_ = std::make_unique<const Points>(Points{given.dimensions, std::move(coordinates)});
}

Placement::Placement(const CloudFacts& given, int dimensions, const AccuracyOptions& options)
    : data_as_given(given.data),
      cell(options.periodic, options.images == Images::all),
      is_sky(options.sky.has_value()),
      facts(placed_facts(given, cell, is_sky)),
      scale(choose_scale(widened(joined(facts.data, facts.queries), cell.reach()), is_sky ? 3 : dimensions)),
      scaled_cell(cell.scaled(scale)),
      radius(options.radius && is_sky ? chord(*options.radius, *options.sky) : options.radius) {}

}  // namespace kann::accuracy
