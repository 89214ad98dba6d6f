#include "products/accuracy/periodic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kann/sky.hpp"

namespace kann::accuracy {
namespace {

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

/// A box that holds all points of a cloud once they are placed; `given` is its extent as given, and `data` that of the
/// data.
Extent placed_extent(const Extent& given, PlacedPoints::Role role, const Extent& data, const Sides& sides) {
  Extent out = given;
  for (int a = 0; a < 3; ++a) {
    const double side = sides.length[a];
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

CloudFacts placed_facts(const CloudFacts& given, const Sides& sides, bool is_sky) {
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
  return {placed_extent(given.data, data, given.data, sides), placed_extent(given.queries, queries, given.data, sides),
          given.middle};
}

}  // namespace

Sides Sides::scaled(double factor) const {
  Sides out;
  for (int a = 0; a < 3; ++a) out.length[a] = length[a] > 0 ? length[a] * factor : 0;
  return out;
}

double sq_distance(const double* query, const double* point, const Sides& sides, int dimensions) {
  double sum = 0;
  for (int a = 0; a < dimensions; ++a) {
    const double x = sides.component(query[a], point[a], a);
    sum = a == 0 ? x * x : std::fma(x, x, sum);
  }
  return sum;
}

PlacedPoints::PlacedPoints(const PointsView& given, Role role, const Extent& data, const Sides& sides, bool is_sky)
    : given_(given) {
  if (is_sky) moved_ = std::make_unique<const Points>(on_sphere(given, "accuracy", 1));
  if (!sides.any()) return;
  const std::int64_t d = given.dimensions;
  Array<double> coordinates(static_cast<std::size_t>(given.size() * d));
  for (std::int64_t i = 0; i < given.size(); ++i)
    for (int a = 0; a < d; ++a)
      coordinates[static_cast<std::size_t>(i * d + a)] =
          Axis{data.lo[a], data.hi[a], sides.length[a]}.place(given.at(i, a), role == Role::data);
  moved_ = std::make_unique<const Points>(Points{given.dimensions, std::move(coordinates)});
}

Placement::Placement(const CloudFacts& given, int dimensions, const AccuracyOptions& options)
    : data_as_given(given.data),
      sides(options.periodic),
      is_sky(options.sky.has_value()),
      facts(placed_facts(given, sides, is_sky)),
      scale(choose_scale(joined(facts.data, facts.queries), is_sky ? 3 : dimensions)),
      scaled_sides(sides.scaled(scale)),
      radius(options.radius && is_sky ? chord(*options.radius, *options.sky) : options.radius) {}

}  // namespace kann::accuracy
