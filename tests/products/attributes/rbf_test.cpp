// transfer() by radial basis functions: against their definition in 80 bits, with full pivoting, which shares nothing
// with the library; and the rules where a system is not regular.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "kann/transfer.hpp"

#include "cpu/on_vector_target.hpp"
#include "part.hpp"
#include "products/attributes/transfer_cases.hpp"

namespace kann::test {
namespace {

using Wide = long double;
using WidePoint = std::vector<Wide>;

Wide plain_kernel(RbfKernel kernel, Wide r) {
  if (kernel == RbfKernel::thin_plate_spline) return r == 0 ? 0 : r * r * std::log(r);
  if (kernel == RbfKernel::cubic) return r * r * r;
  return kernel == RbfKernel::linear ? -r : std::exp(-r * r);
}

Wide plain_distance(const WidePoint& p, const WidePoint& q) {
  Wide sum = 0;
  for (std::size_t a = 0; a < p.size(); ++a) sum += (p[a] - q[a]) * (p[a] - q[a]);
  return std::sqrt(sum);
}

/// All products of at most `degree` coordinates.
std::vector<Wide> plain_monomials(const WidePoint& u, int degree) {
  std::vector<Wide> out;
  if (degree >= 0) out.push_back(1);
  if (degree >= 1) out.insert(out.end(), u.begin(), u.end());
  if (degree >= 2)
    for (std::size_t a = 0; a < u.size(); ++a)
      for (std::size_t b = a; b < u.size(); ++b) out.push_back(u[a] * u[b]);
  return out;
}

/// The solution of A x = b, and the ratio of the smallest pivot to the largest.
std::pair<std::vector<Wide>, Wide> plain_solution(std::vector<std::vector<Wide>> a, std::vector<Wide> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  Wide largest = 0, smallest = INFINITY;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(a[i][j]) > std::abs(a[row][column])) row = i, column = j;
    std::swap(a[k], a[row]);
    std::swap(b[k], b[row]);
    std::swap(order[k], order[column]);
    for (auto& r : a) std::swap(r[k], r[column]);
    largest = std::max(largest, std::abs(a[k][k]));
    smallest = std::min(smallest, std::abs(a[k][k]));
    for (std::size_t i = k + 1; i < n; ++i) {
      const Wide factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  std::vector<Wide> x(n);
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * x[order[j]];
    x[order[k]] = b[k] / a[k][k];
  }
  return {x, n == 0 ? 1 : smallest / largest};
}

/// The value at `query` of the function through `points`, and how regular its system is.
std::pair<Wide, Wide> plain_rbf(const std::vector<WidePoint>& points, const std::vector<Wide>& values,
                                const WidePoint& query, const RbfOptions& options) {
  WidePoint shift, scale;
  for (std::size_t a = 0; a < query.size(); ++a) {
    Wide low = points[0][a], high = low;
    for (const WidePoint& p : points) low = std::min(low, p[a]), high = std::max(high, p[a]);
    shift.push_back((low + high) / 2);
    scale.push_back(high == low ? 1 : (high - low) / 2);
  }
  const auto monomials_at = [&](WidePoint p) {
    for (std::size_t a = 0; a < p.size(); ++a) p[a] = (p[a] - shift[a]) / scale[a];
    return plain_monomials(p, options.degree);
  };
  const std::size_t m = points.size(), n = m + monomials_at(query).size();
  Wide unit = 1e-4900L;  // brings the kernel's elements to those of the monomials, for the ratio
  for (const WidePoint& p : points)
    for (const WidePoint& q : points)
      unit = std::max(unit, std::abs(plain_kernel(options.kernel, options.epsilon * plain_distance(p, q))));
  std::vector<std::vector<Wide>> a(n, std::vector<Wide>(n));
  std::vector<Wide> b(n), at_query(n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j)
      a[i][j] = plain_kernel(options.kernel, options.epsilon * plain_distance(points[i], points[j])) / unit;
    a[i][i] += options.smoothing / unit;
    b[i] = values[i];
    at_query[i] = plain_kernel(options.kernel, options.epsilon * plain_distance(points[i], query)) / unit;
    const auto monomials = monomials_at(points[i]);
    for (std::size_t t = 0; t < monomials.size(); ++t) a[i][m + t] = a[m + t][i] = monomials[t];
  }
  const auto monomials = monomials_at(query);
  std::copy(monomials.begin(), monomials.end(), at_query.begin() + static_cast<std::ptrdiff_t>(m));
  const auto [x, regularity] = plain_solution(a, b);
  Wide value = 0;
  for (std::size_t i = 0; i < n; ++i) value += x[i] * at_query[i];
  return {value, regularity};
}

TransferOptions rbf_options(RbfKernel kernel, int degree, double smoothing = 0, double epsilon = 1, int threads = 2) {
  TransferOptions options;
  options.method = TransferMethod::rbf;
  options.rbf = {kernel, degree, smoothing, epsilon};
  options.threads = threads;
  return options;
}

WidePoint wide_point(const PointsView& points, std::int64_t i) {
  WidePoint p;
  for (int a = 0; a < points.dimensions; ++a) p.push_back(points.at(i, a));
  return p;
}

/// Compares with the definition where a system is regular enough to: rounding is amplified by 1 / regularity.
/// Returns the number of queries compared.
int expect_rbf_definition(const PointsView& data, const PointsView& queries, const Neighbors& n,
                          const Attribute& attribute, const TransferOptions& options, const std::string& what) {
  const TransferResult got = transfer(data, queries, n, std::span(&attribute, 1), options);
  int compared = 0;
  for (std::int64_t q = 0; q < n.queries; ++q) {
    std::vector<WidePoint> points;
    std::vector<Wide> values;
    double largest = 0;
    for (std::int64_t r = 0; r < n.k; ++r) {
      const std::int32_t id = n.ids[q * n.k + r];
      if (id == k_missing_id) continue;
      points.push_back(wide_point(data, id));
      values.push_back(attribute.at(id));
      largest = std::max(largest, std::abs(attribute.at(id)));
    }
    if (points.size() <
        plain_monomials(WidePoint(static_cast<std::size_t>(data.dimensions)), options.rbf.degree).size())
      continue;
    const auto [value, regularity] = plain_rbf(points, values, wide_point(queries, q), options.rbf);
    if (!(regularity > 1e-7)) continue;
    ++compared;
    EXPECT_NEAR(doubles(got)[q], static_cast<double>(value),
                1e-9 * std::max(largest, std::abs(static_cast<double>(value))))
        << what << " query " << q << " regularity " << static_cast<double>(regularity);
  }
  return compared;
}

class Rbf : public cpu::OnVectorTarget {};

TEST_P(Rbf, IsItsDefinition) {
  for (const int d : {2, 3})
    for (const int k : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64}) {
      const Points data = float64_points(300, d, 1, 2, -0.5), queries = float64_points(k < 20 ? 21 : 3, d, 2, 2, -0.5);
      const Neighbors n = nearest_rows(data, queries, k);
      const Attribute attribute = smooth_attribute(data, 3);
      for (const RbfKernel kernel : k_kernels)
        for (const int degree : {-1, 0, 1, 2})
          for (const double smoothing : {0.0, 0.25}) {
            const double epsilon = kernel == RbfKernel::gaussian ? 6 : 1;
            expect_rbf_definition(data, queries, n, attribute, rbf_options(kernel, degree, smoothing, epsilon),
                                  "d=" + std::to_string(d) + " k=" + std::to_string(k) + " kernel " +
                                      std::to_string(static_cast<int>(kernel)) + " degree " + std::to_string(degree));
          }
    }
}

TEST_P(Rbf, IsItsDefinitionInAnyUnit) {
  for (const double unit : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
    const Points data = float64_points(300, 3, 4, unit), queries = float64_points(40, 3, 5, unit);
    const Neighbors n = nearest_rows(data, queries, 16);
    Attribute attribute = whole_attribute<std::int16_t>(300, 6, "class");
    for (const RbfKernel kernel : {RbfKernel::thin_plate_spline, RbfKernel::cubic, RbfKernel::linear}) {
      const TransferOptions options = rbf_options(kernel, 1);
      EXPECT_EQ(transfer(data, queries, n, std::span(&attribute, 1), options).singular, 0) << unit;
      EXPECT_GT(expect_rbf_definition(data, queries, n, attribute, options, "unit " + std::to_string(unit)), 20)
          << unit;
    }
  }
}

TEST_P(Rbf, InterpolatesAndReproducesPolynomials) {
  const Points data = float64_points(400, 3, 7);
  const Neighbors n = nearest_rows(data, data, 20);
  Attribute quadratic{"quadratic", Array<double>(400)};
  for (std::int64_t i = 0; i < 400; ++i) {
    const double x = data.at(i, 0), y = data.at(i, 1), z = data.at(i, 2);
    std::get<Array<double>>(quadratic.values)[i] = 1 + x - 2 * y + 3 * z + x * y - 2 * z * z;
  }
  const Attribute both[] = {smooth_attribute(data, 8), quadratic};
  const TransferResult same = transfer(data, data, n, both, rbf_options(RbfKernel::thin_plate_spline, 2));
  for (std::int64_t i = 0; i < 400; ++i)
    for (std::size_t a = 0; a < 2; ++a) ASSERT_NEAR(doubles(same, a)[i], both[a].at(i), 1e-10);

  const Points queries = float64_points(50, 3, 9);
  const TransferResult at =
      transfer(data, queries, nearest_rows(data, queries, 20), both, rbf_options(RbfKernel::cubic, 2));
  for (std::int64_t i = 0; i < 50; ++i) {
    const double x = queries.at(i, 0), y = queries.at(i, 1), z = queries.at(i, 2);
    ASSERT_NEAR(doubles(at, 1)[i], 1 + x - 2 * y + 3 * z + x * y - 2 * z * z, 1e-9);
  }
}

TEST_P(Rbf, OnAPlaneIsThatOfThePlane) {
  // On z = 0.25, and on x + y + z = 1, where x and y are told apart and z is left out.
  Points flat = float64_points(300, 2, 10), queries2 = float64_points(60, 2, 11);
  const Attribute attribute = smooth_attribute(flat, 12);
  const auto lifted = [](const Points& points) {
    Array<double> c;
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (const double x : {points.at(i, 0), points.at(i, 1), 0.25}) c.push_back(x);
    return Points{3, std::move(c)};
  };
  const Points data3 = lifted(flat), queries3 = lifted(queries2);
  const Neighbors n = nearest_rows(flat, queries2, 16);
  for (const RbfKernel kernel : {RbfKernel::thin_plate_spline, RbfKernel::cubic})
    for (const int degree : {1, 2}) {
      const TransferOptions options = rbf_options(kernel, degree);
      const TransferResult in2 = transfer(flat, queries2, n, std::span(&attribute, 1), options);
      const TransferResult in3 = transfer(data3, queries3, n, std::span(&attribute, 1), options);
      EXPECT_EQ(in2.singular, 0);
      EXPECT_EQ(in3.singular, 60);
      EXPECT_EQ(in3.by_distance, 0);
      for (std::int64_t i = 0; i < 60; ++i) EXPECT_NEAR(doubles(in3)[i], doubles(in2)[i], 1e-9);
    }
}

TEST_P(Rbf, FewNeighborsGiveThePolynomialThatTheyAllow) {
  const Points data{3, Array<double>{0, 0, 0, 2, 0, 0}};
  const Points queries{3, Array<double>{0.5, 0, 0, 1.5, 0, 0}};
  const Attribute attribute{"v", Array<double>{10, 30}};
  const TransferResult two = transfer(data, queries, nearest_rows(data, queries, 5), std::span(&attribute, 1),
                                      rbf_options(RbfKernel::thin_plate_spline, 1));
  EXPECT_EQ(two.singular, 2);
  EXPECT_NEAR(doubles(two)[0], 15, 1e-13);
  EXPECT_NEAR(doubles(two)[1], 25, 1e-13);
  const TransferResult one = transfer(data, queries, nearest_rows(data, queries, 1), std::span(&attribute, 1),
                                      rbf_options(RbfKernel::cubic, 2));
  EXPECT_EQ(doubles(one)[0], 10);
  EXPECT_EQ(doubles(one)[1], 30);
}

TEST_P(Rbf, CoincidentNeighborsAreTheirMean) {
  Points data = float64_points(100, 3, 13);
  auto& c = std::get<Array<double>>(data.coordinates);
  Array<double> twice = c;
  twice.insert(twice.end(), c.begin(), c.end());
  const Points doubled{3, twice};
  const Attribute once = smooth_attribute(data, 14);
  Array<double> values = std::get<Array<double>>(once.values);
  for (std::size_t i = 0; i < 100; ++i) values.push_back(values[i] + 2);
  const Attribute copies{"v", values};
  const Points queries = float64_points(70, 3, 15);
  const TransferOptions options = rbf_options(RbfKernel::thin_plate_spline, 1);
  const TransferResult want = transfer(data, queries, nearest_rows(data, queries, 12), std::span(&once, 1), options);
  const TransferResult got =
      transfer(doubled, queries, nearest_rows(doubled, queries, 24), std::span(&copies, 1), options);
  EXPECT_EQ(got.singular, 0);
  for (std::int64_t i = 0; i < 70; ++i) EXPECT_NEAR(doubles(got)[i], doubles(want)[i] + 1, 1e-9);
  // All at one place: the mean of all, by a polynomial of degree 0.
  const Points same = to_points(identical(20, 3, 1), 3);
  const Attribute v = smooth_attribute(float64_points(20, 3, 16), 17);
  const TransferResult mean = transfer(same, same, nearest_rows(same, same, 20), std::span(&v, 1), options);
  EXPECT_EQ(mean.singular, 20);
  double sum = 0;
  for (std::int64_t i = 0; i < 20; ++i) sum += v.at(i);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_NEAR(doubles(mean)[i], sum / 20, 1e-13);
}

TEST_P(Rbf, WithoutASolutionIsInverseDistance) {
  // In the limit of a flat Gaussian, all rows are equal.
  const Points data = float64_points(60, 2, 18, 1e-9), queries = float64_points(10, 2, 19, 1e-9);
  const Attribute attribute = whole_attribute<std::uint8_t>(60, 20, "class");
  const Neighbors n = nearest_rows(data, queries, 9);
  const TransferResult got = transfer(data, queries, n, std::span(&attribute, 1), rbf_options(RbfKernel::gaussian, 0));
  TransferOptions idw;
  idw.method = TransferMethod::idw;
  const TransferResult want = transfer(data, queries, n, std::span(&attribute, 1), idw);
  EXPECT_EQ(got.singular, 10);
  EXPECT_EQ(got.by_distance, 10);
  EXPECT_EQ(doubles(got), doubles(want));
}

TEST_P(Rbf, LeavesOutValuesThatAreNotFinite) {
  const Points data = float64_points(200, 3, 21), queries = float64_points(65, 3, 22);
  const Neighbors n = nearest_rows(data, queries, 14);
  Attribute holes = smooth_attribute(data, 23), full = smooth_attribute(data, 24);
  Random random(25);
  for (double& v : std::get<Array<double>>(holes.values))
    if (random.below(4) == 0) v = random.below(2) ? k_nan : std::numeric_limits<double>::infinity();
  const Attribute attributes[] = {full, holes, full};
  const TransferOptions options = rbf_options(RbfKernel::thin_plate_spline, 1);
  const TransferResult got = transfer(data, queries, n, attributes, options);
  const TransferResult alone = transfer(data, queries, n, std::span(&full, 1), options);
  EXPECT_EQ(doubles(got, 0), doubles(alone));
  EXPECT_EQ(doubles(got, 2), doubles(alone));
  // As if those neighbours were missing.
  Neighbors fewer = n;
  std::int64_t left_out = 0;
  for (std::int64_t q = 0; q < n.queries; ++q) {
    std::int64_t kept = 0;
    for (std::int64_t r = 0; r < n.k; ++r)
      if (std::isfinite(holes.at(n.ids[q * n.k + r]))) {
        fewer.ids[q * n.k + kept] = n.ids[q * n.k + r];
        fewer.distances[q * n.k + kept++] = n.distances[q * n.k + r];
      }
    left_out += n.k - kept;
    for (; kept < n.k; ++kept) fewer.ids[q * n.k + kept] = k_missing_id;
  }
  EXPECT_EQ(got.nan_values, left_out);
  EXPECT_EQ(doubles(got, 1), doubles(transfer(data, queries, fewer, std::span(&holes, 1), options)));
  const Attribute none{"none", Array<double>(200, k_nan)};
  const TransferResult nothing = transfer(data, queries, n, std::span(&none, 1), options);
  for (const double v : doubles(nothing)) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(nothing.nan_values, 65 * 14);
  EXPECT_EQ(nothing.singular, 0);
}

/// All the bytes of many kinds of systems, with one thread on the plain target.
std::vector<Array<double>> all_kinds(int threads) {
  std::vector<Array<double>> out;
  Part part;
  for (const int d : {2, 3})
    for (const CloudKind& kind : all_clouds())
      for (const int k : {1, 3, 8, 16, 33}) {
        if (!part.takes_next()) continue;
        const Points data = to_points(kind.make(257, d, 26), d), queries = to_points(kind.make(130, d, 27), d);
        const Neighbors n = nearest_rows(data, queries, k);
        Attribute holes = smooth_attribute(float64_points(257, d, 28), 29);
        std::get<Array<double>>(holes.values)[5] = k_nan;
        const Attribute attributes[] = {smooth_attribute(float64_points(257, d, 30), 31), holes};
        for (const RbfKernel kernel : k_kernels)
          for (const int degree : {-1, 1, 2}) {
            const TransferResult r =
                transfer(data, queries, n, attributes, rbf_options(kernel, degree, degree == 1 ? 0 : 1e-3, 2, threads));
            out.push_back(doubles(r, 0));
            out.push_back(doubles(r, 1));
            out.push_back({static_cast<double>(r.singular), static_cast<double>(r.nan_values)});
          }
      }
  return out;
}

TEST_P(Rbf, GivesTheBytesOfOneThreadWithoutVectors) {
  static const std::vector<Array<double>> want = [] {
    const cpu::VectorTargetScope plain(cpu::VectorTarget::scalar);
    return all_kinds(1);
  }();
  const std::vector<Array<double>> got = all_kinds(3);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), want[i].size());
    ASSERT_EQ(std::memcmp(got[i].data(), want[i].data(), got[i].size() * sizeof(double)), 0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, Rbf, testing::ValuesIn(cpu::vector_targets()), cpu::vector_target_name);

}  // namespace
}  // namespace kann::test
