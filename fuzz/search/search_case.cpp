#include "search/search_case.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "products/accuracy/periodic_answer.hpp"

namespace kann::fuzz {
namespace {

constexpr std::int64_t k_max_clustered = 300;  // whose definition compares every pair some times

/// What searches have code of their own for.
enum class Way { rows, shifted_sort, within_radius, groups, sky, box, slanted_box, all_images };
constexpr std::uint64_t k_ways = 8;

/// So many pairs take a brute force some milliseconds.
std::int64_t max_pairs(Way way) {
  switch (way) {
    case Way::box:
      return 100'000;  // of which there are 27 images each
    case Way::slanted_box:
    case Way::all_images:
      return 2'000;  // of which there are some hundred
    default:
      return 1'000'000;
  }
}

/// Sizes at which something changes: 0, 1, 2, k − 1, k, k + 1, powers of two up to 2¹⁷ and their neighbours; else up to
/// 600.
std::int64_t random_size(Random& r, std::int64_t k) {
  const auto beside = [&](std::int64_t size) { return std::max<std::int64_t>(0, size - 1 + std::int64_t(r.below(3))); };
  switch (r.below(8)) {
    case 0:
      return beside(1);
    case 1:
      return beside(k);
    case 2:
    case 3:
      return beside(std::int64_t{1} << r.below(r.below(8) ? 13 : 18));
    default:
      return static_cast<std::int64_t>(r.below(600));
  }
}

void invalidate_some(Random& r, FuzzCloud& cloud) {
  for (double& c : cloud.coordinates)
    if (r.below(30) == 0)
      c = r.below(2) ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
}

/// 0, the distance of a query and a point along an axis, or a little less or more.
double random_radius(Random& r, const SearchCase& c) {
  const FuzzCloud& queries = c.query_cloud();
  if (r.below(8) == 0 || c.data.size() == 0 || queries.size() == 0) return 0;
  const double* const point =
      c.data.point(static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(c.data.size()))));
  const double* const query =
      queries.point(static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(queries.size()))));
  const double difference = std::abs(point[0] - query[0]), factors[] = {1, 0.5, 0.01, 2};
  const double radius = difference * factors[r.below(4)];
  return std::isfinite(radius) ? radius : 1;
}

/// A part of the distance at which a box repeats, or with all images a multiple.
std::optional<double> random_radius_in_box(Random& r, const SearchCase& c) {
  double least = std::numeric_limits<double>::infinity();
  for (const double height : test::Lattice(c.periodic).heights)
    if (height > 0) least = std::min(least, height);
  if (!(least > 1e-100 && least < 1e150)) return std::nullopt;  // squares underflow
  const double parts[] = {0, 0.1, 0.3, 0.49}, of_slanted[] = {0.1, 0.2, 0.3, 0.49}, multiples[] = {0.1, 0.3, 0.9, 1.3};
  return least * (c.images == Images::all ? multiples : c.periodic.size() > 3 ? of_slanted : parts)[r.below(4)];
}

/// Smallest and largest of the finite coordinates along an axis, or 0 if that is less or more.
std::pair<double, double> range_with_zero(const FuzzCloud& cloud, int axis) {
  std::pair<double, double> range;
  for (std::int64_t i = 0; i < cloud.size(); ++i)
    if (const double x = cloud.point(i)[axis]; std::isfinite(x))
      range = {std::min(range.first, x), std::max(range.second, x)};
  return range;
}

/// As wide as the data along an axis, or a part or a multiple of that, or a little more or less; 0 along some axes.
std::vector<double> random_box(Random& r, const FuzzCloud& data) {
  std::vector<double> sides;
  const double factors[] = {1, 1, 0.5, 0.34, 1.1, 1.3, 3, 1e-3, 1 + 1e-15, 1 - 1e-15};
  for (int a = 0; a < data.dimensions; ++a) {
    const auto [lo, hi] = range_with_zero(data, a);
    const double side = (hi - lo) * factors[r.below(std::size(factors))];
    sides.push_back(r.below(6) == 0 || !(side > 0 && side < 1e150) ? 0 : side);
  }
  if (std::ranges::max(sides) == 0) sides[0] = 1;
  return sides;
}

/// About as wide as the data, and no longer along one axis than six times another; slanted if the clouds are 3-D, but
/// for half of those with all images. Empty if points are so far, or so near each other, that they suit none.
std::vector<double> random_compact_box(Random& r, const SearchCase& c, bool has_all_images) {
  const FuzzCloud& data = c.data;
  double width = 0, farthest = 0;
  for (int a = 0; a < data.dimensions; ++a) {
    const auto [lo, hi] = test::range_of(to_points(data), a);
    width = std::max(width, hi - lo);
    for (const FuzzCloud* const cloud : {&data, &c.query_cloud()})
      farthest = std::max({farthest, -range_with_zero(*cloud, a).first, range_with_zero(*cloud, a).second});
  }
  if (width == 0) width = 1;
  if (!(width > 1e-20 && width < 1e100 && farthest < (has_all_images ? 5 : 1e6) * width)) return {};
  const auto number = [&](double low, double high) { return width * (low + (high - low) * r.uniform()); };
  std::vector<double> box;
  for (int a = 0; a < data.dimensions; ++a)
    box.push_back(a > 0 && r.below(6) == 0 ? 0 : r.below(4) == 0 ? width : number(0.25, 1.3));
  if (data.dimensions == 2 || (has_all_images && r.below(2) == 0)) return box;
  for (int tilt = 0; tilt < 3; ++tilt) box.push_back(r.below(5) == 0 ? 0 : number(-0.8, 0.8));
  if (box[2] == 0) box[4] = box[5] = 0;  // a vector without a third axis would be none of its own
  if (box[1] == 0) box[3] = 0;
  if (box[3] == 0 && box[4] == 0 && box[5] == 0) return {box[0], box[1], box[2]};  // it is not slanted
  const test::Lattice lattice(box);
  for (const double height : lattice.heights)
    if (height > 0 && lattice.apart > 5 * height) return {};  // its definition looks at thousands of images
  if (box[3] < 20 && r.below(3) != 0) return box;             // longer tilts might be taken for angles
  const double x = box[0];                                    // the same three vectors, turned
  return {0, 0, x, box[1], 0, box[3], box[5], box[2], box[4]};
}

std::string decimal(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), number).ptr};
}

std::string npy_header(const FuzzCloud& cloud) {
  std::string header = std::string("{'descr': '<") + (cloud.is_float64 ? "f8" : "f4") +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(cloud.size()) + ", " +
                       std::to_string(cloud.dimensions) + "), }";
  header.resize((header.size() + 10) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  const auto size = static_cast<std::uint16_t>(header.size());
  return "\x93NUMPY" + std::string("\x01\0", 2) + static_cast<char>(size & 255) + static_cast<char>(size >> 8) + header;
}

/// Writes a cloud as an array of shape (n, d), or with its groups as text; returns the name of the file.
std::string write_cloud(const FuzzCloud& cloud, const std::string& stem, const std::vector<std::int64_t>& sets) {
  const std::string path = stem + (cloud.labels.empty() ? ".npy" : ".csv");
  std::ofstream out(path, std::ios::binary);
  if (!cloud.labels.empty()) {
    out << (cloud.dimensions == 3 ? "x,y,z,group" : "x,y,group") << (sets.empty() ? "\n" : ",set\n");
    for (std::int64_t i = 0; i < cloud.size(); ++i) {
      for (int a = 0; a < cloud.dimensions; ++a) out << decimal(cloud.point(i)[a]) << ',';
      const std::int64_t label = cloud.labels[static_cast<std::size_t>(i)];
      if (label >= 0) out << label;
      if (!sets.empty()) out << ',' << (label >= 0 ? sets[static_cast<std::size_t>(label)] : 0);
      out << '\n';
    }
  } else {
    out << npy_header(cloud);
    for (const double c : cloud.coordinates) {
      const auto f = static_cast<float>(c);
      out.write(cloud.is_float64 ? reinterpret_cast<const char*>(&c) : reinterpret_cast<const char*>(&f),
                cloud.is_float64 ? sizeof c : sizeof f);
    }
  }
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
  return path;
}

}  // namespace

bool SearchCase::has_clusters() const {
  return has_lists() && *radius > 1e-100 && images == Images::nearest && data.size() <= k_max_clustered;
}

SearchCase random_case(std::uint64_t seed, std::uint64_t number) {
  Random r(seed * 1'000'003 + number);
  for (int i = 0; i < 4; ++i) r.uniform();
  constexpr std::int64_t ks[] = {1,  2,  3,  4,  5,  7,  8,  8,  8,  9,   10,  13,
                                 16, 17, 20, 31, 32, 33, 50, 64, 65, 100, 200, 1024};
  constexpr Way more_ways[] = {Way::rows, Way::rows, Way::rows, Way::shifted_sort, Way::shifted_sort, Way::box};
  const std::uint64_t name = number / k_ways, chosen = r.below(k_ways + std::size(more_ways));
  const bool is_named = name < named_clouds();
  const Way way = is_named ? Way(number % k_ways) : chosen < k_ways ? Way(chosen) : more_ways[chosen - k_ways];
  SearchCase c;
  c.k = ks[r.below(std::size(ks))];
  if (way == Way::slanted_box || way == Way::all_images) c.k = std::min<std::int64_t>(c.k, 100);
  if (way == Way::shifted_sort) c.k = std::min(c.k, k_max_shifted_k);
  const int dimensions = way == Way::sky ? 2 : way == Way::slanted_box || r.below(3) ? 3 : 2;
  const bool is_self = r.below(way == Way::within_radius ? 2 : 4) == 0;
  const auto most_self = static_cast<std::int64_t>(std::sqrt(static_cast<double>(max_pairs(way))));
  std::int64_t size = is_named ? 100 + static_cast<std::int64_t>(r.below(400)) : random_size(r, c.k);
  size = std::min(size, is_self ? most_self : max_pairs(way));
  const std::uint64_t cloud_seed = r.below(1'000'000);
  c.data =
      is_named ? named_cloud(name, size, dimensions, cloud_seed) : random_cloud(r, size, dimensions, r.below(2) == 0);
  if (!is_self) {
    std::int64_t queries = random_size(r, c.k);
    if (size > 0) queries = std::min(queries, std::max<std::int64_t>(1, max_pairs(way) / size));
    c.queries = is_named && r.below(2) == 0 ? named_cloud(name, queries, dimensions, cloud_seed + 1)
                                            : random_queries(r, c.data, queries, r.below(2) == 0);
  } else {
    c.include_self = r.below(3) == 0;
  }
  if (r.below(8) == 0) {
    c.skip_invalid = true;
    invalidate_some(r, c.data);
    if (c.queries) invalidate_some(r, *c.queries);
  }
  c.cut_seed = r.below(1'000'000);
  c.min_points = 1 + static_cast<std::int64_t>(r.below(6));
  if (way == Way::shifted_sort) {
    c.method = Method::shifted_sort;
    if (r.below(3) == 0) c.shifts = 1 + 2 * static_cast<int>(r.below(4));
    if (r.below(3) == 0) c.window = 1 + static_cast<std::int64_t>(r.below(40));
  }
  if (way == Way::slanted_box || way == Way::all_images) c.periodic = random_compact_box(r, c, way == Way::all_images);
  if (way == Way::all_images && !c.periodic.empty()) c.images = Images::all;
  if (way == Way::box) c.periodic = random_box(r, c.data);
  if (way == Way::within_radius || r.below(4) == 0)
    c.radius = c.periodic.empty() ? random_radius(r, c) : random_radius_in_box(r, c);
  if (way == Way::sky) {
    move_to_sky(c.data);
    if (c.queries) move_to_sky(*c.queries);
    c.sky = AngleUnit(r.below(5));
    if (r.below(2) == 0)
      c.radius = std::pow(10.0, -static_cast<double>(r.below(6))) *
                 sphere_distance(4 * r.uniform(), *c.sky);  // up to half of a great circle
  }
  if (way == Way::groups || (way >= Way::sky && r.below(4) == 0)) {
    c.rule = r.below(2) == 0 ? GroupRule::same : GroupRule::other;
    const std::int64_t counts[] = {1, 2, 3, 40, std::max<std::int64_t>(1, size)};
    const std::int64_t count = counts[r.below(5)];
    divide_into_groups(r, c.data, count);
    if (c.queries) divide_into_groups(r, *c.queries, count + 1);
    for (std::int64_t label = 0, set = 0; label <= 7 * count && c.rule == GroupRule::other && c.cut_seed % 3 == 0;
         ++label)
      c.sets.push_back(set += r.below(20) == 0);
  }
  return c;
}

OwnLimits random_limits(const SearchCase& c) {
  Random r(c.cut_seed);
  OwnLimits made;
  const FuzzCloud& queries = c.query_cloud();
  const auto n = static_cast<std::uint64_t>(c.data.size());
  const bool has_all_images = c.images == Images::all;
  if (!c.periodic.empty() && !random_radius_in_box(r, c)) return made;
  const std::function<double(std::int64_t)> radius = [&](std::int64_t query) {
    if (!c.periodic.empty()) {  // but not 0, which rounded coordinates decide
      const double part = (0.001 + 0.998 * r.uniform()) * *random_radius_in_box(r, c);
      return part > 0 ? part : radius(query);
    }
    if (n == 0 || r.below(5) == 0) return std::numeric_limits<double>::infinity();
    double sq_dist = 0;
    const auto other = static_cast<std::int64_t>(r.below(n));
    for (int a = 0; a < c.data.dimensions; ++a) {
      const double d = queries.point(query)[a] - c.data.point(other)[a];
      sq_dist = std::fma(d, d, sq_dist);
    }
    if (c.sky) return sphere_distance(4 * std::pow(r.uniform(), 4), *c.sky);
    const double factors[] = {0, 1, 1, 0.5, 0.1, 1e-3};
    const double limit = factors[r.below(std::size(factors))] * std::sqrt(sq_dist);
    return std::isfinite(limit) ? limit : 1;
  };
  const bool has_radii = c.radius || !c.periodic.empty() || r.below(4) > 0, has_least = r.below(2) == 0;
  const std::uint64_t excluded = has_all_images ? 0 : r.below(3);  // a point may be all that has images
  for (std::int64_t query = 0; query < queries.size(); ++query) {
    if (has_radii) made.radii.push_back(radius(query));
    if (const double least = radius(query); has_least) made.min_radii.push_back(std::isinf(least) ? 0 : least / 2);
    for (std::uint64_t i = 0; i < excluded; ++i) made.excluded.push_back(static_cast<std::int32_t>(r.below(n + 1)) - 1);
  }
  return made;
}

SearchOptions options_of(const SearchCase& c, const Where& where) {
  SearchOptions options;
  options.k = c.k;
  options.method = where.method.value_or(c.method);
  options.device.kind = where.device;
  options.threads = where.threads;
  options.shifts = c.shifts;
  options.window = c.window;
  options.radius = c.radius;
  options.periodic = c.periodic;
  options.images = c.images;
  options.sky = c.sky;
  options.include_self = c.include_self;
  options.invalid = c.skip_invalid ? InvalidPoints::skip : InvalidPoints::error;
  return options;
}

std::string write_case(const SearchCase& c, const Where& where, Answer answer, const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::string command = "kann --data " + write_cloud(c.data, folder + "/data", c.sets);
  if (answer == Answer::clusters) {
    command += " --cluster " + decimal(*c.radius) + ',' + std::to_string(c.min_points);
  } else {
    if (c.queries) command += " --query " + write_cloud(*c.queries, folder + "/query", c.sets);
    command += " --k " + (answer == Answer::rows ? std::to_string(c.k) : "all");
    if (answer == Answer::half_lists) command += " --pairs half";
    command += " --method " + std::string(name_of(options_of(c, where).method));
    if (c.shifts) command += " --shifts " + std::to_string(*c.shifts);
    if (c.window) command += " --window " + std::to_string(*c.window);
    if (c.radius) command += " --radius " + decimal(*c.radius);
    if (c.has_groups()) command += c.rule == GroupRule::same ? " --group group" : " --other-group group";
    if (!c.sets.empty()) command += " --group set";
    if (c.images == Images::all) command += " --images all";
    if (c.include_self) command += " --include-self";
  }
  for (std::size_t a = 0; a < c.periodic.size(); ++a) command += (a ? "," : " --periodic ") + decimal(c.periodic[a]);
  if (c.sky) command += " --sky --unit " + std::string(name_of(*c.sky));
  if (c.skip_invalid) command += " --invalid skip";
  command += where.device == DeviceKind::cuda ? " --device cuda" : " --device cpu";
  return command + " --threads " + std::to_string(where.threads) + " -o " + folder + "/result.csv --force";
}

}  // namespace kann::fuzz
