// The exact reference is brute force in double, to the last id, and forgives nothing.
#include <gtest/gtest.h>
#include <numeric>

#include "kann/accuracy.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

/// Every row of the exact answer has the ids of the reference, and every row of it is right.
void expect_identical(const Points& data, const Points& queries, std::int64_t k, bool self = false) {
  const Accuracy a =
      measure_accuracy(data, queries, exact_answer(data, queries, k, self), {.self_query = self, .exact = true});
  EXPECT_EQ(a.identical, queries.size());
  EXPECT_EQ(a.first_different, -1);
  EXPECT_EQ(a.all_correct, queries.size());
  EXPECT_EQ(a.faulty, 0) << "row " << a.first_faulty << ", " << a.first_fault;
}

std::vector<double> as_doubles(const Coordinates& c, double factor, double offset) {
  std::vector<double> out;
  for (const float x : c) out.push_back(x * factor + offset);
  return out;
}

TEST(Reference, IsBruteForceOnEveryCloud) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t k : {1, 8, 700}) {
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " k=" + std::to_string(k));
        const Points data = to_points(kind.make(600, d, 1), d), queries = to_points(kind.make(60, d, 2), d);
        expect_identical(data, queries, k);
        expect_identical(data, data, k, true);
      }
}

TEST(Reference, IsBruteForceOnCoordinatesThatAreNoFloat32) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      SCOPED_TRACE(kind.name + " d=" + std::to_string(d));
      const Points data = to_doubles(as_doubles(kind.make(600, d, 3), 1.1, 4.4e6 + 0.1), d);
      const Points queries = to_doubles(as_doubles(kind.make(60, d, 4), 1.1, 4.4e6 + 0.1), d);
      expect_identical(data, queries, 8);
      expect_identical(data, data, 8, true);
    }
}

// The d² of such points differ in their last bits, by the order of the axes in the sum; nanoflann adds them up in
// another way, so that it must not skip what is only just farther by its own sums.
TEST(Reference, IsBruteForceAmongPermutedCoordinates) {
  Random r(9);
  std::vector<double> points, centres;
  for (int c = 0; c < 40; ++c) {
    double p[3] = {r.uniform(), r.uniform(), r.uniform()}, centre[3];
    for (int a = 0; a < 3; ++a) centres.push_back(centre[a] = 10 * r.uniform());
    int axes[3] = {0, 1, 2};
    do {
      for (int signs = 0; signs < 8; ++signs)
        for (int a = 0; a < 3; ++a) points.push_back(centre[a] + (signs >> a & 1 ? 1 : -1) * p[axes[a]]);
    } while (std::next_permutation(axes, axes + 3));
  }
  for (const std::int64_t k : {1, 5, 24, 47, 100}) expect_identical(to_doubles(points, 3), to_doubles(centres, 3), k);
}

TEST(Reference, IsBruteForceWhateverTheScale) {
  for (const int d : {2, 3}) {
    std::vector<double> data, queries;  // multiples of 2⁻¹⁰, so that no scale rounds them
    for (const float x : uniform(500, d, 1)) data.push_back(std::floor(x * 1024) / 1024);
    for (const float x : uniform(50, d, 2)) queries.push_back(std::floor(x * 1024) / 1024);
    const Neighbors unscaled = exact_answer(to_doubles(data, d), to_doubles(queries, d), 9);
    for (const int exponent : {-1064, -600, -100, 100, 600, 1023}) {
      SCOPED_TRACE(exponent);
      const auto scaled = [&](const std::vector<double>& c) {
        std::vector<double> out;
        for (const double x : c) out.push_back(std::ldexp(exponent == 1023 ? 2 * x - 1 : x, exponent));
        return to_doubles(out, d);
      };
      Neighbors neighbors = unscaled;
      for (float& x : neighbors.distances)
        x = static_cast<float>(std::ldexp(static_cast<long double>(x), exponent + (exponent == 1023)));
      const Accuracy a = measure_accuracy(scaled(data), scaled(queries), neighbors, {.exact = true});
      EXPECT_EQ(a.all_correct, 50);
      if (exponent > -200 && exponent < 100) {
        EXPECT_EQ(a.identical, 50);
        EXPECT_EQ(a.faulty, 0) << a.first_fault;
      }
      std::swap(neighbors.ids[0], neighbors.ids[8]);
      neighbors.ids[9 + 8] = k_missing_id;
      EXPECT_EQ(measure_accuracy(scaled(data), scaled(queries), neighbors, {}).all_correct, 49);
    }
  }
}

TEST(Reference, ForgivesNothing) {
  for (const double far : {1.0, 0.1, 4e6 + 0.3}) {  // the nearest point is left out
    const double farther = std::nextafter(far, 1e9);
    const Points data = to_doubles({far, 0, farther, 0, -2 * far, 0}, 2), query = to_doubles({0, 0}, 2);
    const Accuracy a = measure_accuracy(data, query, {1, 1, {1}, {root(farther * farther)}}, {});
    EXPECT_EQ(a.recall, 0) << far;
    EXPECT_EQ(a.faulty, 0) << a.first_fault;
  }
}

// Two sites 4,000 km apart, and 40 small clouds on a sphere of the earth's size: float32 cannot tell their points
// apart, around whatever common origin.
TEST(Reference, SeesWhatFloat32Merges) {
  Random r(4);
  std::vector<double> sites, earth;
  for (int i = 0; i < 2000; ++i)
    for (int a = 0; a < 3; ++a) sites.push_back((i % 2) * 4e6 * (a == 0) + 10 * r.uniform());
  for (int c = 0; c < 40; ++c) {
    const double direction[3] = {r.normal(), r.normal(), r.normal()};
    for (int i = 0; i < 50; ++i)
      for (int a = 0; a < 3; ++a)
        earth.push_back(6.4e6 * direction[a] / std::hypot(direction[0], direction[1], direction[2]) +
                        0.1 * r.uniform());
  }
  for (const std::vector<double>& cloud : {sites, earth}) {
    const Points points = to_doubles(cloud, 3);
    Points rounded = points;
    for (double& x : std::get<Array<double>>(rounded.coordinates)) x = static_cast<float>(x - 1e6);
    expect_identical(points, points, 8, true);
    const Accuracy a =
        measure_accuracy(points, points, exact_answer(rounded, rounded, 8, true), {.self_query = true, .exact = true});
    EXPECT_LT(a.recall, 0.97);
    EXPECT_LT(a.identical, 1500);
    EXPECT_GT(a.faulty, 1500);
  }
}

TEST(Reference, AnotherIdOfTheSameDistanceIsCorrectButNotIdentical) {
  const Points data{2, Array<float>{1, 0, 0, 1, -1, 0, 0, -1, 0.5f, 0}}, query{2, Array<float>{0, 0}};
  const auto judge = [&](Array<std::int32_t> ids, bool exact) {
    return measure_accuracy(data, query, {1, 3, std::move(ids), {0.5f, 1, 1}}, {.exact = exact});
  };
  for (const bool exact : {false, true}) {
    EXPECT_EQ(judge({4, 0, 1}, exact).identical, 1);
    EXPECT_EQ(judge({4, 0, 2}, exact).identical, 0);
    EXPECT_EQ(judge({4, 0, 2}, exact).all_correct, 1);
    EXPECT_EQ(judge({4, 0, 2}, exact).first_different, 0);
    EXPECT_EQ(judge({4, 1, 0}, exact).identical, !exact);  // the shifted sort orders by its own distances
  }
}

// Rows 1 and 3 have d² with one float32 root, the farther one with the smaller id: written, they are ordered by id.
TEST(Reference, IsOrderedByTheDistanceAsWritten) {
  const double nearer = 1, farther = 1 + 0x1p-40;
  const Points data = to_doubles({5, 0, farther, 0, 7, 0, nearer, 0}, 2), query = to_doubles({0, 0}, 2);
  const auto identical = [&](std::int64_t k, Array<std::int32_t> ids, Array<float> distances) {
    return measure_accuracy(data, query, {1, k, std::move(ids), std::move(distances)}, {.exact = true}).identical;
  };
  EXPECT_EQ(identical(2, {1, 3}, {1, 1}), 1);
  EXPECT_EQ(identical(2, {3, 1}, {1, 1}), 0);
  EXPECT_EQ(identical(1, {3}, {1}), 1);
  EXPECT_EQ(identical(1, {1}, {1}), 0);
}

// Every query is as far from all points as from the k-th: quadratic work would take minutes. The exact row has the
// smallest ids.
TEST(Reference, EqualPointsTakeNoQuadraticWork) {
  constexpr std::int64_t n = 100000, k = 8;
  Coordinates with_zeros = uniform(n, 3, 5);
  std::fill_n(with_zeros.begin() + 30000, 3 * 5000, 0.0f);
  std::fill_n(with_zeros.begin() + 30000, 3 * 100, -0.0f);
  const Points same = to_points(identical(n, 3, 0), 3), zeros = to_points(with_zeros, 3);
  const Points away = to_points(make_cloud(n, 3, [](auto, int) { return 9.0; }), 3);
  for (const bool self : {true, false}) {
    Neighbors neighbors{n, k, {}, {}};
    for (std::int64_t q = 0; q < n; ++q)
      for (std::int64_t r = 0; r < k; ++r) {
        neighbors.ids.push_back(static_cast<std::int32_t>(self && r >= q ? r + 1 : r));
        neighbors.distances.push_back(self ? 0.0f : root(7.5 * 7.5 + 6.5 * 6.5 + 5.5 * 5.5));
      }
    const Accuracy a = measure_accuracy(same, self ? same : away, neighbors, {.self_query = self, .exact = true});
    EXPECT_EQ(a.identical, n);
    EXPECT_EQ(a.faulty, 0) << a.first_fault;
  }
  Neighbors neighbors{n, k, {}, {}};  // for all rows, that of a zero point
  for (std::int64_t q = 0; q < n; ++q)
    for (std::int64_t r = 0; r < k; ++r) neighbors.ids.push_back(static_cast<std::int32_t>(10000 + r));
  neighbors.distances.assign(n * k, 0.0f);
  EXPECT_EQ(measure_accuracy(zeros, zeros, neighbors, {.self_query = true}).identical, 5000 - k);
}

}  // namespace
}  // namespace kann::test
