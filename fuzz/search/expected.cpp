#include "search/expected.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "brute_force.hpp"
#include "great_circle.hpp"
#include "problem/prepare.hpp"
#include "products/accuracy/periodic_answer.hpp"

namespace kann::fuzz {
namespace {

using Row = std::vector<std::pair<float, std::int32_t>>;
using SquaredRow = std::vector<std::pair<double, std::int32_t>>;

bool is_finite(const double* p, int d) {
  return std::all_of(p, p + d, [](double c) { return std::isfinite(c); });
}

double sq_distance(const double* p, const double* q, int d) {
  const double x = p[0] - q[0], y = p[1] - q[1];
  const double in_plane = std::fma(y, y, x * x);
  return d == 2 ? in_plane : std::fma(p[2] - q[2], p[2] - q[2], in_plane);
}

/// Of the distance and a radius whose square may vanish.
std::partial_ordering order_of_tiny(double radius, const double* p, const double* q, int d) {
  const double zero[3] = {};
  double scaled[3];
  for (int a = 0; a < d; ++a) scaled[a] = std::ldexp(p[a] - q[a], 600);
  const double r = std::ldexp(radius, 600);
  return sq_distance(scaled, zero, d) <=> r * r;
}

FuzzCloud on_unit_sphere(const FuzzCloud& cloud) {
  const Points points = on_sphere(to_points(cloud), "cloud", 1);
  const auto& c = std::get<Array<double>>(points.coordinates);
  return {3, true, {c.begin(), c.end()}, cloud.labels};
}

class Definition {
 public:
  explicit Definition(const SearchCase& c, const Limits& limits = {})
      : c_(c),
        limits_(limits),
        data_(c.sky ? on_unit_sphere(c.data) : c.data),
        queries_(c.sky ? on_unit_sphere(c.query_cloud()) : c.query_cloud()),
        points_(to_points(data_)),
        lattice_(c.periodic) {
    if (c.periodic.empty()) return;
    at_ = test::placed(points_, points_, c.periodic);
    queries_at_ = c.queries ? test::placed(to_points(queries_), points_, c.periodic) : at_;
  }

  /// The (d², id) of all neighbours that a query may have; of all images, up to some distance.
  SquaredRow neighbors(std::int64_t q, double reach) const {
    SquaredRow all;
    if (c_.images == Images::all && is_finite(queries_.point(q), queries_.dimensions)) {
      const test::Own own = c_.queries ? test::Own::none : c_.include_self ? test::Own::kept : test::Own::dropped;
      all = test::all_images(q, queries_at_[q], at_, points_, c_.periodic, reach, own);
      std::erase_if(all, [&](const auto& neighbor) { return !is_allowed(q, neighbor.second); });
    } else if (c_.images == Images::nearest) {
      for (std::int32_t i = 0; i < data_.size(); ++i)
        if (is_allowed(q, i)) all.emplace_back(least_sq_distance(q, i), i);
    }
    std::erase_if(all, [&](const auto& neighbor) { return !meets_limits(q, neighbor.second, neighbor.first); });
    return all;
  }

  SquaredRow nearest(std::int64_t q) const {
    double reach = 0;
    for (const test::Vector& v : lattice_.vectors) reach = std::max(reach, std::sqrt(test::product(v, v)) / 4);
    SquaredRow all = neighbors(q, reach);
    if (c_.images == Images::all && has_any(q))
      for (const double most = radius(q); std::ssize(all) < c_.k && reach <= most; all = neighbors(q, reach))
        reach *= 1.5;
    const auto count = std::min<std::int64_t>(c_.k, std::ssize(all));
    std::partial_sort(all.begin(), all.begin() + count, all.end());
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

  /// Distances and ids in their order, of those within the radius if there is one.
  Row row_of(std::int64_t q, const SquaredRow& all) const {
    Row row;
    for (const auto& [sq_dist, id] : all)
      if (!c_.radius || is_within_radius(q, id, sq_dist)) row.emplace_back(distance(sq_dist), id);
    std::ranges::sort(row);
    return row;
  }

  double least_sq_distance(std::int64_t q, std::int64_t i) const {
    if (c_.periodic.empty()) return sq_distance(data_.point(i), queries_.point(q), data_.dimensions);
    if (c_.periodic.size() > 3)
      return test::all_sq_distances(queries_at_[q], at_[i], lattice_, std::numeric_limits<double>::infinity())[0];
    double least = std::numeric_limits<double>::infinity();
    for (const test::Vector& image : test::images(queries_at_[q], c_.periodic))
      least = std::min(least, test::sq_distance(image, at_[i]));
    return least;
  }

  bool is_valid(std::int64_t i) const { return is_finite(data_.point(i), data_.dimensions); }
  std::int64_t queries() const { return queries_.size(); }
  double radius() const { return as_compared(*c_.radius); }

  /// The radius of a query's own; infinite: there is none.
  double radius(std::int64_t q) const {
    return limits_.radii.empty() ? std::numeric_limits<double>::infinity() : as_compared(limits_.radii[q]);
  }

 private:
  double as_compared(double limit) const { return c_.sky ? chord(limit, *c_.sky) : limit; }

  bool meets_limits(std::int64_t q, std::int32_t i, double sq_dist) const {
    const std::int64_t excluded = std::ssize(limits_.excluded) / std::max<std::int64_t>(1, queries());
    for (std::int64_t e = 0; e < excluded; ++e)
      if (limits_.excluded[q * excluded + e] == i) return false;
    if (!limits_.radii.empty() && order(q, i, sq_dist, radius(q)) > 0) return false;
    return limits_.min_radii.empty() || !(order(q, i, sq_dist, as_compared(limits_.min_radii[q])) < 0);
  }

  bool is_allowed(std::int64_t q, std::int64_t i) const {
    if (!is_valid(i) || !is_finite(queries_.point(q), queries_.dimensions)) return false;
    if (!c_.queries && !c_.include_self && i == q && c_.images == Images::nearest) return false;
    if (!c_.has_groups()) return true;
    const std::int64_t own = queries_.labels[q], other = data_.labels[i];
    return own >= 0 && other >= 0 && (own == other) == (c_.rule == GroupRule::same) &&
           (c_.sets.empty() || c_.sets[own] == c_.sets[other]);
  }

  bool has_any(std::int64_t q) const {
    bool has = false;
    for (std::int64_t i = 0; i < data_.size(); ++i) has |= is_allowed(q, i);
    return has;
  }

  bool is_within_radius(std::int64_t q, std::int64_t i, double sq_dist) const {
    return order(q, i, sq_dist, radius()) <= 0;
  }

  /// Of the distance of a neighbour and a limit.
  std::partial_ordering order(std::int64_t q, std::int64_t i, double sq_dist, double limit) const {
    if (limit >= std::ldexp(1.0, -400)) return sq_dist <=> limit * limit;
    if (c_.periodic.empty()) return order_of_tiny(limit, queries_.point(q), data_.point(i), data_.dimensions);
    bool is_at = false;  // in a box with right angles, also where squares vanish
    for (const test::Vector& image : test::images(queries_at_[q], c_.periodic)) is_at |= image == at_[i];
    return is_at ? std::partial_ordering::equivalent : std::partial_ordering::greater;
  }

  float distance(double sq_dist) const {
    return c_.sky ? static_cast<float>(sphere_distance(sq_dist, *c_.sky)) : test::root(sq_dist);
  }

  const SearchCase& c_;
  const Limits limits_;
  const FuzzCloud data_, queries_;
  const Points points_;
  const test::Lattice lattice_;
  std::vector<test::Vector> at_, queries_at_;
};

}  // namespace

Neighbors expected_rows(const SearchCase& c, const Limits& limits) {
  const Definition definition(c, limits);
  Neighbors out{definition.queries(), c.k, {}, {}};
  for (std::int64_t q = 0; q < out.queries; ++q) {
    Row row = definition.row_of(q, definition.nearest(q));
    row.resize(static_cast<std::size_t>(c.k), {std::numeric_limits<float>::infinity(), k_missing_id});
    for (const auto& [distance, id] : row) {
      out.ids.push_back(id);
      out.distances.push_back(distance);
    }
  }
  return out;
}

bool has_plain_shifted_sort(const SearchCase& c) {
  constexpr std::int64_t most_pairs = 100'000;
  return c.method == Method::shifted_sort && !c.radius && !c.skip_invalid &&
         c.data.size() * c.query_cloud().size() <= most_pairs;
}

Neighbors plain_shifted_sort(const SearchCase& c) {
  const Points data = to_points(c.data), queries = to_points(c.query_cloud());
  const auto asked = c.queries ? std::optional<PointsView>(queries) : std::nullopt;
  const problem::Prepared prepared = problem::prepare(data, asked, options_of(c, {}));
  return test::plain_shifted_sort(prepared.problem);
}

NeighborLists expected_lists(const SearchCase& c, bool is_half, const Limits& limits) {
  const Definition definition(c, limits);
  NeighborLists out{{0}, {}, {}};
  for (std::int64_t q = 0; q < definition.queries(); ++q) {
    std::int64_t own_images = 0;
    for (const auto& [distance, id] :
         definition.row_of(q, definition.neighbors(q, c.radius ? definition.radius() : definition.radius(q)))) {
      if (is_half && (id == q ? own_images++ % 2 != 0 : id < q)) continue;
      out.ids.push_back(id);
      out.distances.push_back(distance);
    }
    out.begins.push_back(std::ssize(out.ids));
  }
  return out;
}

std::optional<test::ClusterLabels> expected_clusters(const SearchCase& c) {
  SearchCase of_data = c;
  of_data.queries.reset();
  const Definition definition(of_data);
  const std::int64_t n = c.data.size();
  std::vector<double> sq_dists(static_cast<std::size_t>(n * n), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (definition.is_valid(i) && definition.is_valid(j)) sq_dists[i * n + j] = definition.least_sq_distance(i, j);
  const double sq_radius = definition.radius() * definition.radius();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if ((sq_dists[i * n + j] <= sq_radius) != (sq_dists[j * n + i] <= sq_radius)) return std::nullopt;
  return test::brute_clusters(
      n, [&](std::int64_t i, std::int64_t j) { return sq_dists[i * n + j]; }, definition.radius(), c.min_points);
}

std::string wrong_angle(const SearchCase& c, const Neighbors& rows) {
  const Points data = to_points(c.data), queries = to_points(c.query_cloud());
  for (std::int64_t i = 0; i < rows.queries * rows.k; ++i) {
    if (rows.ids[i] == k_missing_id) continue;
    const long double want = test::angle(queries, i / rows.k, data, rows.ids[i]) * test::per_radian(*c.sky);
    if (!(std::abs(rows.distances[i] - want) <= test::sky_tolerance(want, *c.sky)))
      return "query " + std::to_string(i / rows.k) + ": the angle to " + std::to_string(rows.ids[i]) + " is " +
             std::to_string(want) + ", not " + std::to_string(rows.distances[i]);
  }
  return "";
}

}  // namespace kann::fuzz
