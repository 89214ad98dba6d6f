#include "search/search_case.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace kann::fuzz {
namespace {

constexpr std::int64_t k_max_pairs = 2'000'000;         // a brute force of some milliseconds
constexpr std::int64_t k_max_periodic_pairs = 200'000;  // of which there are 27 images each
constexpr std::int64_t k_max_self = 2'049;

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

/// As wide as the data along an axis, or a part or a multiple of that, or a little more or less; 0 along some axes.
std::vector<double> random_box(Random& r, const FuzzCloud& data) {
  std::vector<double> sides;
  const double factors[] = {1, 1, 0.5, 0.34, 1.1, 1.3, 3, 1e-3, 1 + 1e-15, 1 - 1e-15};
  for (int a = 0; a < data.dimensions; ++a) {
    double lo = 0, hi = 0;
    for (std::int64_t i = 0; i < data.size(); ++i)
      if (const double x = data.point(i)[a]; std::isfinite(x)) {
        lo = std::min(lo, x);
        hi = std::max(hi, x);
      }
    const double side = (hi - lo) * factors[r.below(std::size(factors))];
    sides.push_back(r.below(6) == 0 || !(side > 0 && side < 1e150) ? 0 : side);
  }
  if (std::ranges::max(sides) == 0) sides[0] = 1;
  return sides;
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

}  // namespace

SearchCase random_case(std::uint64_t seed, std::uint64_t number) {
  Random r(seed * 1'000'003 + number);
  for (int i = 0; i < 4; ++i) r.uniform();
  constexpr std::int64_t ks[] = {1,  2,  3,  4,  5,  7,  8,  8,  8,  9,   10,  13,
                                 16, 17, 20, 31, 32, 33, 50, 64, 65, 100, 200, 1024};
  SearchCase c;
  c.k = ks[r.below(std::size(ks))];
  const int dimensions = r.below(3) ? 3 : 2;
  const std::int64_t size = random_size(r, c.k);
  const bool is_self = r.below(4) == 0;
  c.data = random_cloud(r, is_self ? std::min(size, k_max_self) : size, dimensions, r.below(2) == 0);
  if (!is_self) {
    std::int64_t queries = random_size(r, c.k);
    if (c.data.size() > 0) queries = std::min(queries, std::max<std::int64_t>(1, k_max_pairs / c.data.size()));
    c.queries = random_queries(r, c.data, queries, r.below(2) == 0);
  } else {
    c.include_self = r.below(2) == 0;
  }
  if (r.below(8) == 0) {
    c.skip_invalid = true;
    invalidate_some(r, c.data);
    if (c.queries) invalidate_some(r, *c.queries);
  }
  if (c.k <= k_max_shifted_k && r.below(2) == 0) {
    c.method = Method::shifted_sort;
    if (r.below(3) == 0) c.shifts = 1 + 2 * static_cast<int>(r.below(4));
    if (r.below(3) == 0) c.window = 1 + static_cast<std::int64_t>(r.below(40));
  }
  c.cut_seed = r.below(1'000'000);
  if (r.below(4) == 0) c.radius = random_radius(r, c);
  if (c.method == Method::exact && !c.radius && c.data.size() * c.query_cloud().size() <= k_max_periodic_pairs &&
      r.below(4) == 0)
    c.periodic = random_box(r, c.data);
  return c;
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
  options.include_self = c.include_self;
  options.invalid = c.skip_invalid ? InvalidPoints::skip : InvalidPoints::error;
  return options;
}

void write_npy(const FuzzCloud& cloud, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  out << npy_header(cloud);
  for (const double c : cloud.coordinates) {
    const auto f = static_cast<float>(c);
    out.write(cloud.is_float64 ? reinterpret_cast<const char*>(&c) : reinterpret_cast<const char*>(&f),
              cloud.is_float64 ? sizeof c : sizeof f);
  }
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

std::string write_case(const SearchCase& c, const Where& where, const std::string& folder) {
  std::filesystem::create_directories(folder);
  write_npy(c.data, folder + "/data.npy");
  std::string command = "kann --data " + folder + "/data.npy";
  if (c.queries) {
    write_npy(*c.queries, folder + "/query.npy");
    command += " --query " + folder + "/query.npy";
  }
  command += " --k " + std::to_string(c.k);
  command += " --method " + std::string(name_of(options_of(c, where).method));
  if (c.shifts) command += " --shifts " + std::to_string(*c.shifts);
  if (c.window) command += " --window " + std::to_string(*c.window);
  if (c.radius) command += " --radius " + decimal(*c.radius);
  for (std::size_t a = 0; a < c.periodic.size(); ++a) command += (a ? "," : " --periodic ") + decimal(c.periodic[a]);
  if (c.include_self) command += " --include-self";
  if (c.skip_invalid) command += " --invalid skip";
  command += where.device == DeviceKind::cuda ? " --device cuda" : " --device cpu";
  return command + " --threads " + std::to_string(where.threads) + " -o " + folder + "/result.csv --force";
}

}  // namespace kann::fuzz
