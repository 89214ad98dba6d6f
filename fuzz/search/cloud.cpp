#include "search/cloud.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "float64_clouds.hpp"

namespace kann::fuzz {
namespace {

/// Makes the coordinates of one point, in three dimensions.
using Place = std::function<void(double* p)>;

double sign(Random& r) { return r.below(2) ? 1 : -1; }
double power_of_ten(Random& r, int low, int high) {
  return std::pow(10.0, low + static_cast<int>(r.below(static_cast<std::uint64_t>(high - low + 1))));
}
double in_unit(Random& r) { return 2 * r.uniform() - 1; }

Place uniform(Random& r) {
  const double scale = power_of_ten(r, -6, 6);
  return [&r, scale](double* p) {
    for (int a = 0; a < 3; ++a) p[a] = scale * in_unit(r);
  };
}

Place clusters(Random& r) {
  const double width = power_of_ten(r, -7, -1);
  std::vector<double> centres(3 * (1 + r.below(8)));
  for (double& c : centres) c = in_unit(r);
  return [&r, width, centres](double* p) {
    const std::size_t centre = 3 * r.below(centres.size() / 3);
    for (int a = 0; a < 3; ++a) p[a] = centres[centre + a] + width * r.normal();
  };
}

Place few_places(Random& r) {  // duplicates; with one place, identical points
  std::vector<double> places(3 * (1 + r.below(12)));
  for (double& c : places) c = in_unit(r);
  return [&r, places](double* p) {
    const std::size_t place = 3 * r.below(places.size() / 3);
    for (int a = 0; a < 3; ++a) p[a] = places[place + a];
  };
}

Place lattice(Random& r) {
  const double spacing = r.below(2) ? 0.1 : r.below(2) ? 1 : 0.3;  // 0.1 is no binary fraction: ties that almost are
  const double origin = r.below(3) ? 0 : 1e5;
  const std::uint64_t side = 2 + r.below(12);
  return [&r, spacing, origin, side](double* p) {
    for (int a = 0; a < 3; ++a) p[a] = origin + spacing * static_cast<double>(r.below(side));
  };
}

Place line(Random& r) {
  const double slope[] = {1, r.below(2) ? 0 : in_unit(r), r.below(2) ? 0 : in_unit(r)};
  return [&r, slope = std::vector<double>(slope, slope + 3)](double* p) {
    const double t = in_unit(r);
    for (int a = 0; a < 3; ++a) p[a] = slope[a] * t;
  };
}

Place slab(Random& r) {  // 1e4 : 1 : 1, and planes
  const double size[] = {power_of_ten(r, 0, 4), power_of_ten(r, 0, 4), r.below(2) ? 0 : 1.0};
  return [&r, size = std::vector<double>(size, size + 3)](double* p) {
    for (int a = 0; a < 3; ++a) p[a] = size[a] * in_unit(r);
  };
}

Place outliers(Random& r) {
  const double distance = power_of_ten(r, 3, 9);
  return [&r, distance](double* p) {
    const double scale = r.below(40) ? 1 : distance;
    for (int a = 0; a < 3; ++a) p[a] = scale * in_unit(r);
  };
}

Place two_sites(Random& r) {  // details that float32 cannot hold next to the distance between the sites
  const double apart = power_of_ten(r, 3, 12), width = power_of_ten(r, -3, 1);
  return [&r, apart, width](double* p) {
    const double site = r.below(2) ? apart : 0;
    for (int a = 0; a < 3; ++a) p[a] = site + width * in_unit(r);
  };
}

Place decades(Random& r) {
  return [&r](double* p) {
    for (int a = 0; a < 3; ++a) p[a] = sign(r) * std::pow(10.0, 16 * r.uniform() - 8);
  };
}

Place near_ties(Random& r) {  // about equally far from the origin, by a unit in the last place more or less
  const double radius = power_of_ten(r, -3, 3);
  return [&r, radius](double* p) {
    const int axis = static_cast<int>(r.below(3));
    for (int a = 0; a < 3; ++a) p[a] = 0;
    p[axis] = sign(r) * radius;
    if (r.below(3) == 0) p[axis] = std::nextafter(p[axis], r.below(2) ? 0 : HUGE_VAL);
    if (r.below(3) == 0) p[axis] = std::nextafter(static_cast<float>(p[axis]), r.below(2) ? 0.0f : HUGE_VALF);
  };
}

Place crowded(Random& r) {
  const double width = power_of_ten(r, -9, -5);
  return [&r, width](double* p) {
    const double scale = r.below(5) ? width : 1;
    for (int a = 0; a < 3; ++a) p[a] = scale * in_unit(r);
  };
}

Place map_coordinates(Random& r) {
  const double width = power_of_ten(r, -1, 3);
  return [&r, width](double* p) {
    p[0] = 465'000 + width * in_unit(r);
    p[1] = 5'422'000 + width * in_unit(r);
    p[2] = 300 + width / 10 * in_unit(r);
  };
}

Place any_scale(Random& r) {  // squares that underflow or overflow in float32, and those that underflow in float64
  const double scale = power_of_ten(r, -170, 152), fine = r.below(2) ? 1 : power_of_ten(r, -20, -1);
  return [&r, scale, fine](double* p) {
    const double size = scale * (r.below(4) ? fine : 1);
    for (int a = 0; a < 3; ++a) p[a] = size * in_unit(r);
  };
}

Place lost_digits(Random& r) {  // points that are one in float32, and few units in the last place apart in float64
  const double place = power_of_ten(r, -3, 7);
  return [&r, place](double* p) {
    for (int a = 0; a < 3; ++a) p[a] = place * (1 + 0x1p-52 * static_cast<double>(r.below(8)));
  };
}

constexpr Place (*k_kinds[])(Random&) = {uniform, clusters,        few_places, lattice,    line,
                                         slab,    outliers,        two_sites,  decades,    near_ties,
                                         crowded, map_coordinates, any_scale,  lost_digits};

}  // namespace

void append(FuzzCloud& cloud, const std::vector<double>& coordinates, std::int64_t label) {
  if (!cloud.labels.empty()) cloud.labels.push_back(label);
  constexpr double largest = std::numeric_limits<float>::max();
  for (const double c : coordinates)
    cloud.coordinates.push_back(
        cloud.is_float64 ? c : static_cast<double>(static_cast<float>(std::clamp(c, -largest, largest))));
}

FuzzCloud rows_of(const FuzzCloud& cloud, std::int64_t begin, std::int64_t end) {
  FuzzCloud rows{cloud.dimensions, cloud.is_float64, std::vector<double>(cloud.point(begin), cloud.point(end))};
  if (!cloud.labels.empty()) rows.labels.assign(cloud.labels.begin() + begin, cloud.labels.begin() + end);
  return rows;
}

FuzzCloud without_rows(const FuzzCloud& cloud, std::int64_t begin, std::int64_t end) {
  FuzzCloud rest = cloud;
  const auto erase = [&](auto& values, std::int64_t of_each) {
    if (!values.empty()) values.erase(values.begin() + begin * of_each, values.begin() + end * of_each);
  };
  erase(rest.coordinates, rest.dimensions);
  erase(rest.labels, 1);
  return rest;
}

void divide_into_groups(Random& random, FuzzCloud& cloud, std::int64_t count) {
  cloud.labels.clear();
  for (std::int64_t i = 0; i < cloud.size(); ++i) {
    const double group = std::floor(std::pow(random.uniform(), 3) * static_cast<double>(count));
    cloud.labels.push_back(random.below(11) == 0 ? -1 - static_cast<std::int64_t>(random.below(3))
                                                 : 7 * static_cast<std::int64_t>(group));
  }
}

void move_to_sky(FuzzCloud& cloud) {
  for (std::size_t i = 0; i < cloud.coordinates.size(); ++i)
    cloud.coordinates[i] = std::remainder(cloud.coordinates[i], i % 2 == 0 ? 1440.0 : 180.0);
}

std::uint64_t named_clouds() { return test::all_clouds().size() + test::float64_clouds().size() + 1; }

FuzzCloud named_cloud(std::uint64_t number, std::int64_t n, int dimensions, std::uint64_t seed) {
  const std::size_t floats = test::all_clouds().size();
  if (number > floats) return {dimensions, true, test::float64_clouds()[number - floats - 1].make(n, dimensions, seed)};
  const auto make = number == floats ? test::one_axis_noise : test::all_clouds()[number].make;
  const test::Coordinates c = make(n, dimensions, seed);
  return {dimensions, false, {c.begin(), c.end()}};
}

Points to_points(const FuzzCloud& cloud) {
  const auto& c = cloud.coordinates;
  if (cloud.is_float64) return {cloud.dimensions, Array<double>(c.begin(), c.end())};
  Array<float> floats(c.size());
  std::ranges::transform(c, floats.begin(), [](double x) { return static_cast<float>(x); });
  return {cloud.dimensions, std::move(floats)};
}

FuzzCloud random_cloud(Random& random, std::int64_t n, int dimensions, bool is_float64) {
  const Place place = k_kinds[random.below(std::size(k_kinds))](random);
  FuzzCloud cloud{dimensions, is_float64, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    double p[3];
    place(p);
    append(cloud, {p, p + dimensions});
  }
  return cloud;
}

FuzzCloud random_queries(Random& random, const FuzzCloud& data, std::int64_t n, bool is_float64) {
  const int d = data.dimensions;
  if (data.size() == 0 || random.below(3) == 0) return random_cloud(random, n, d, is_float64);
  const double noise = random.below(3) ? power_of_ten(random, -9, 1) : 0;
  const double offset = random.below(6) ? 0 : power_of_ten(random, -2, 4);  // off the surface
  const bool steps = random.below(3) == 0;                                  // to the next float
  const bool midway = random.below(4) == 0;                                 // equally far from two points
  FuzzCloud cloud{d, is_float64, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto first = static_cast<std::int64_t>(random.below(data.size()));
    const double *const near = data.point(first), *const next = data.point((first + 1) % data.size());
    std::vector<double> p(near, near + d);
    for (int a = 0; a < d; ++a) {
      double& c = p[a];
      if (midway) c = c / 2 + next[a] / 2;
      c += noise * in_unit(random);
      if (steps) c = is_float64 ? std::nextafter(c, HUGE_VAL) : std::nextafter(static_cast<float>(c), HUGE_VALF);
    }
    p[0] += offset;
    append(cloud, p);
  }
  return cloud;
}

}  // namespace kann::fuzz
