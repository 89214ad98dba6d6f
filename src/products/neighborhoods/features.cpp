#include "kann/features.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/density.hpp"
#include "geometry/symmetric_eigen.hpp"
#include "products/attributes/differences.hpp"
#include "products/attributes/row_ids.hpp"

namespace kann {
namespace {

/// The shape of one neighbourhood.
struct Shape {
  std::array<double, 3> values{};  ///< eigenvalues of the covariance, descending, in units of 4^−exponent
  geometry::Vector3 normal{};      ///< a unit vector
  bool has_normal = false;         ///< whether the points determine it
  int exponent = 0;                ///< coordinates were multiplied by 2^exponent
};

/// Points in float64 by their differences from a place nearby, so that the offset of a cloud takes no digits.
class Neighborhood {
 public:
  void clear() { points_.clear(); }
  void add(const geometry::Vector3& difference) { points_.push_back(difference); }
  std::size_t size() const { return points_.size(); }

  /// The points are centred: call it once. There must be one.
  Shape shape() {
    Shape out;
    out.exponent = center();
    const geometry::SymmetricEigen eigen = geometry::eigen_of(covariance());
    out.values = eigen.values;
    out.normal = eigen.least;
    constexpr double least_gap = 0x1p-44;  // 2⁸ times what rounding makes of equal ones
    out.has_normal = out.values[1] - out.values[2] > least_gap * out.values[0];
    return out;
  }

 private:
  double count() const { return static_cast<double>(points_.size()); }

  /// Subtracts the first point, which makes points at one place exact, and then the mean. Brings coordinates whose
  /// fourth powers float64 might not hold near 1, and returns by which power of two.
  int center() {
    const geometry::Vector3 first = points_.front();
    geometry::Vector3 mean{};
    for (geometry::Vector3& p : points_)
      for (std::size_t i = 0; i < 3; ++i) mean[i] += p[i] -= first[i];
    for (double& m : mean) m /= count();
    double largest = 0;
    for (geometry::Vector3& p : points_)
      for (std::size_t i = 0; i < 3; ++i) {
        p[i] -= mean[i];
        largest = std::max(largest, std::abs(p[i]));
      }
    constexpr double plain = 0x1p100;
    if (largest == 0 || (largest > 1 / plain && largest < plain)) return 0;
    const int exponent = -std::ilogb(largest);
    // In two steps, since float64 does not hold the power of two that scales its smallest numbers
    const double half = std::ldexp(1.0, exponent / 2), rest = std::ldexp(1.0, exponent - exponent / 2);
    for (geometry::Vector3& p : points_)
      for (double& x : p) x = x * half * rest;
    return exponent;
  }

  geometry::Symmetric3 covariance() const {
    geometry::Symmetric3 sum;
    for (const auto& [x, y, z] : points_) {
      sum.xx += x * x;
      sum.xy += x * y;
      sum.xz += x * z;
      sum.yy += y * y;
      sum.yz += y * z;
      sum.zz += z * z;
    }
    for (double* const s : {&sum.xx, &sum.xy, &sum.xz, &sum.yy, &sum.yz, &sum.zz}) *s /= count();
    return sum;
  }

  std::vector<geometry::Vector3> points_;
};

/// Queries whose neighbours are fetched before they are needed: 10⁷ points in random order take a fifth less time, on 2
/// threads 2.5 s at k = 8 and 3.6 s at k = 16, beside 1.4 s and 2.7 s of the search.
constexpr std::int64_t k_ahead = 8;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) { throw Error(kind, "features: " + message); }

/// What is written of one query.
struct Described {
  Shape shape;
  bool has_shape = false;  ///< whether there are three points
  double density = k_nan;
};

/// The cube root, of operations that all processors round alike: that of glibc has other last digits on ARM.
double cube_root(double x) {
  if (!(x > 0)) return x;
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  for (; exponent % 3 != 0; ++exponent) part /= 2;  // 1/8 to 1
  double root = 0.4 + 0.6 * part;
  for (int i = 0; i < 5; ++i) root += (part / (root * root) - root) / 3;  // Newton's method
  return std::ldexp(root, exponent / 3);
}

/// NaN, whose sign is not that of the processor, of points at one place.
double ratio(double part, double whole) { return whole == 0 ? k_nan : part / whole; }

double value_of(Feature feature, const Described& query) {
  if (feature == Feature::density) return query.density;
  if (!query.has_shape) return k_nan;
  const auto& [first, second, third] = query.shape.values;
  switch (feature) {
    case Feature::curvature:
      return ratio(third, first + second + third);
    case Feature::linearity:
      return ratio(first - second, first);
    case Feature::planarity:
      return ratio(second - third, first);
    case Feature::sphericity:
      return ratio(third, first);
    case Feature::verticality:
      return query.shape.has_normal ? 1 - std::abs(query.shape.normal[2]) : k_nan;
    case Feature::omnivariance:
      return std::ldexp(cube_root(first * second * third), -2 * query.shape.exponent);
    default:
      return k_nan;
  }
}

/// Where the values of an attribute go: one of the pointers is null.
class Column {
 public:
  Column(Attribute& attribute, std::int64_t size) {
    std::visit([&](auto& values) { values.resize(static_cast<std::size_t>(size)); }, attribute.values);
    if (auto* const f = std::get_if<Array<float>>(&attribute.values)) floats_ = f->data();
    if (auto* const d = std::get_if<Array<double>>(&attribute.values)) doubles_ = d->data();
  }
  void put(std::int64_t row, double value) const {
    doubles_ ? void(doubles_[row] = value) : void(floats_[row] = static_cast<float>(value));
  }

 private:
  float* floats_ = nullptr;
  double* doubles_ = nullptr;
};

class Computation {
 public:
  Computation(const PointsView& data, const PointsView& queries, const Rows& rows, const FeatureOptions& options)
      : data_(data), queries_(queries), rows_(rows), options_(options), threads_(base::thread_count(options.threads)) {
    check();
    ids_ = attributes::checked_ids(rows, data.size(), threads_, "features");
  }

  FeatureResult run() {
    FeatureResult out{feature_columns(options_.features)};
    std::vector<Column> columns;
    for (Attribute& column : out.attributes) columns.emplace_back(column, rows_.count);
    std::atomic<std::int64_t> too_few{0}, undetermined{0};
    constexpr std::int64_t grain = 256;
    base::parallel_chunks(rows_.count, grain, threads_, [&](std::int64_t begin, std::int64_t end) {
      attributes::Differences differences(data_, queries_, options_.periodic, options_.images, "features");
      Neighborhood points;
      std::int64_t few = 0, without_normal = 0;
      for (std::int64_t query = begin; query < end; ++query) {
        // Neighbours lie anywhere in the data
        if (query + k_ahead < end)
          for (const std::int32_t id : ids_of(query + k_ahead))
            if (id != k_missing_id) differences.prefetch(id);
        const Described described = describe(query, differences, points);
        few += !described.has_shape;
        without_normal += described.has_shape && !described.shape.has_normal;
        write(described, query, columns);
      }
      too_few += few;
      undetermined += without_normal;
    });
    out.too_few = too_few;
    out.undetermined = undetermined;
    return out;
  }

 private:
  void check() const {
    if (options_.threads < 0)
      refuse(ErrorKind::usage, "threads must be 0 (all) or more, not " + std::to_string(options_.threads));
    for (const PointsView* points : {&data_, &queries_})
      if (points->dimensions != 3)
        refuse(ErrorKind::bad_input,
               "they are those of points of 3 coordinates, not " + std::to_string(points->dimensions));
    if (const auto& eye = options_.orientation.viewpoint)
      if (!std::ranges::all_of(*eye, [](double x) { return std::isfinite(x); }))
        refuse(ErrorKind::usage, "the viewpoint must be finite");
    attributes::check_box(options_.periodic, options_.images, 3, "features");
    if (rows_.count != queries_.size())
      refuse(ErrorKind::bad_input,
             std::to_string(rows_.count) + " rows of neighbours for " + std::to_string(queries_.size()) + " queries");
  }

  std::span<const std::int32_t> ids_of(std::int64_t query) const {
    const auto [begin, end] = rows_.row(query);
    return ids_.subspan(begin, end - begin);
  }

  Described describe(std::int64_t query, attributes::Differences& differences, Neighborhood& points) const {
    const auto [begin, end] = rows_.row(query);
    Described out;
    const double radius = options_.radius.value_or(begin == end ? k_nan : double{rows_.distances[end - 1]});
    out.density = geometry::density_in_ball(static_cast<double>(end - begin), radius, 3);
    points.clear();
    const std::span<const std::int32_t> ids = ids_of(query);
    differences.set_row(query, ids, rows_.distances.subspan(begin, end - begin));
    if (options_.with_query) points.add({});
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i] != k_missing_id) points.add(differences.to(i));
    constexpr std::size_t fewest = 3;
    out.has_shape = points.size() >= fewest;
    if (!out.has_shape) return out;
    out.shape = points.shape();
    if (out.shape.has_normal) orient(out.shape.normal, query);
    return out;
  }

  /// Reverses the normal if it looks away from where it shall look.
  void orient(geometry::Vector3& normal, std::int64_t query) const {
    double towards = 0;
    if (const auto& eye = options_.orientation.viewpoint)
      for (int axis = 0; axis < 3; ++axis)
        towards += normal[static_cast<std::size_t>(axis)] *
                   ((*eye)[static_cast<std::size_t>(axis)] - queries_.at(query, axis));
    for (std::size_t axis = 3; towards == 0 && axis > 0; --axis) towards = normal[axis - 1];
    for (double& n : normal) n = towards < 0 ? 0 - n : 0 + n;  // no −0
  }

  /// Writes the values of a query to the columns, in their order.
  void write(const Described& query, std::int64_t row, std::span<const Column> columns) const {
    auto column = columns.begin();
    for (const Feature feature : options_.features) {
      if (feature != Feature::normals) {
        (column++)->put(row, value_of(feature, query));
        continue;
      }
      for (const double n : query.shape.normal) (column++)->put(row, query.shape.has_normal ? n : k_nan);
    }
  }

  const PointsView &data_, &queries_;
  const Rows& rows_;
  const FeatureOptions& options_;
  const int threads_;
  std::span<const std::int32_t> ids_;
};

}  // namespace

FeatureResult features(const PointsView& data, const PointsView& queries, const Rows& rows,
                       const FeatureOptions& options) {
  return Computation(data, queries, rows, options).run();
}

}  // namespace kann
