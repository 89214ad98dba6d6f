// The exact reference is brute force in double, to the last id, and forgives nothing. Every row is checked by its own
// definition, judged or not, and both round a root and a sum once.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "products/accuracy/exact_sum.hpp"
#include "products/accuracy/verdicts.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::test {
namespace {

/// That the exact answer is.
void expect_exact(const Points& data, const Points& queries, std::int64_t k, bool self = false) {
  expect_identical(data, queries, exact_answer(data, queries, k, self), {.self_query = self, .exact = true});
}

std::vector<double> as_doubles(const Coordinates& c, double factor, double offset) {
  std::vector<double> out;
  for (const float x : c) out.push_back(x * factor + offset);
  return out;
}

TEST(Reference, IsBruteForceOnCoordinatesThatAreNoFloat32) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      SCOPED_TRACE(kind.name + " d=" + std::to_string(d));
      const Points data = to_doubles(as_doubles(kind.make(600, d, 3), 1.1, 4.4e6 + 0.1), d);
      const Points queries = to_doubles(as_doubles(kind.make(60, d, 4), 1.1, 4.4e6 + 0.1), d);
      expect_exact(data, queries, 8);
      expect_exact(data, data, 8, true);
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
  for (const std::int64_t k : {1, 5, 24, 47, 100}) expect_exact(to_doubles(points, 3), to_doubles(centres, 3), k);
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
    expect_exact(points, points, 8, true);
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

/// A self-query of ten points for twelve neighbours; point and query 6 are invalid.
struct Result {
  Points data = to_points(uniform(10, 3, 1), 3);
  Neighbors rows;

  Result() {
    std::get<0>(data.coordinates)[6 * 3 + 1] = k_nan;
    rows = exact_answer(data, data, 12, true);
  }
  Accuracy judge(const Neighbors& changed, bool exact) const {
    return measure_accuracy(data, data, changed, {.sample = 1, .self_query = true, .exact = exact});
  }
};

TEST(RowCheck, AFaultOfAnyRowIsFound) {
  const Result r;
  for (const bool exact : {false, true})
    EXPECT_EQ(r.judge(r.rows, exact).faulty, 0) << r.judge(r.rows, exact).first_fault;

  const auto fault = [&](std::int64_t row, auto change, bool exact = false) {
    Neighbors n = r.rows;
    change(&n.ids[row * 12], &n.distances[row * 12]);
    const Accuracy a = r.judge(n, exact);
    EXPECT_EQ(a.faulty, 1);
    EXPECT_EQ(a.first_faulty, row);
    return a.first_fault;
  };
  const std::string id = "id " + std::to_string(r.rows.ids[12 * 3]);
  EXPECT_EQ(fault(6, [](auto* ids, auto* distances) { ids[0] = 2, distances[0] = 1; }),
            "rank 0: id 2 of a query with NaN or infinite coordinates (need id -1)");
  EXPECT_EQ(fault(6, [](auto*, auto* distances) { distances[11] = k_nan; }),
            "rank 11: distance nan of id -1 (need inf)");
  EXPECT_EQ(fault(6, [](auto*, auto* distances) { distances[3] = 0; }), "rank 3: distance 0 of id -1 (need inf)");
  EXPECT_EQ(fault(3, [](auto*, auto* distances) { distances[8] = 7; }), "rank 8: distance 7 of id -1 (need inf)");
  EXPECT_EQ(fault(3, [](auto* ids, auto* distances) { ids[2] = -1, distances[2] = k_infinity; }).substr(0, 10),
            "rank 3: id");
  EXPECT_EQ(fault(3, [](auto* ids, auto* distances) { ids[11] = ids[7], distances[11] = distances[7]; }).substr(9),
            "id " + std::to_string(r.rows.ids[12 * 3 + 7]) + " after id -1");
  EXPECT_EQ(fault(3, [](auto* ids, auto* distances) { ids[0] = 3, distances[0] = 0; }),
            "rank 0: id 3 is the query itself");
  EXPECT_EQ(fault(3, [](auto* ids, auto*) { ids[0] = 6; }), "rank 0: id 6 has NaN or infinite coordinates");
  EXPECT_EQ(fault(3, [](auto* ids, auto* distances) { ids[1] = ids[0], distances[1] = distances[0]; }),
            "rank 1: " + id + " is repeated");
  EXPECT_EQ(fault(3, [](auto*, auto* distances) { distances[0] = k_nan; }).substr(0, 29),
            "rank 0: distance nan of " + id + " ");
  for (const float wrong : {-1.0f, 0.0f, k_infinity, -k_infinity})
    EXPECT_EQ(fault(3, [&](auto*, auto* distances) { distances[0] = wrong; }).substr(0, 16), "rank 0: distance");
  EXPECT_NE(
      fault(3, [](auto* ids, auto* distances) { std::swap(ids[4], ids[5]), std::swap(distances[4], distances[5]); })
          .find(" after "),
      std::string::npos);
  EXPECT_EQ(fault(
                3, [](auto* ids, auto* distances) { ids[7] = -1, distances[7] = k_infinity; }, true),
            "rank 7: id -1 (need 8 neighbours)");
  const float right = r.rows.distances[12 * 3];
  EXPECT_EQ(fault(
                3, [](auto*, auto* distances) { distances[0] = std::nextafter(distances[0], 0.0f); }, true)
                .substr(0, 16),
            "rank 0: distance");
  // In float32 arithmetic it may be rounded that way, but not by 1/100,000.
  Neighbors rounded = r.rows;
  rounded.distances[12 * 3] = std::nextafter(right, 0.0f);
  EXPECT_EQ(r.judge(rounded, false).faulty, 0);
  rounded.distances[12 * 3] = right * 0.99999f;
  EXPECT_EQ(r.judge(rounded, false).faulty, 1);
}

TEST(RowCheck, ADistanceBeyondFloat32IsInfinite) {
  const Points data{2, Array<double>{0, 0, 1e39, 0, 3e38, 0}}, query{2, Array<double>{0, 0}};
  for (const bool exact : {false, true}) {
    const auto faulty = [&](float second, float third) {
      return measure_accuracy(data, query, {1, 3, {0, 2, 1}, {0, second, third}}, {.exact = exact}).faulty;
    };
    EXPECT_EQ(faulty(3e38f, k_infinity), 0);
    EXPECT_EQ(faulty(3e38f, 3.4e38f), 1);
    EXPECT_EQ(faulty(k_infinity, k_infinity), 1);
  }
}

// A row of the shifted sort is right by its own definition on every cloud, whatever its recall.
TEST(RowCheck, NoRowOfTheShiftedSortIsFaulty) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const double offset : {0.0, 0.1, 4.4e6 + 0.1}) {
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " offset " + std::to_string(offset));
        const auto cloud = [&](std::int64_t n, std::uint64_t seed) {
          const Coordinates c = kind.make(n, d, seed);
          if (offset == 0) return to_points(c, d);
          std::vector<double> moved;
          for (const float x : c) moved.push_back(x + offset);
          return to_doubles(moved, d);
        };
        const Points data = cloud(2000, 1), queries = cloud(300, 2);
        SearchOptions options;
        options.device.kind = DeviceKind::cpu;
        const Accuracy separate = measure_accuracy(data, queries, search(data, queries, options).neighbors, {});
        EXPECT_EQ(separate.faulty, 0) << separate.first_faulty << ", " << separate.first_fault;
        const Accuracy self = measure_accuracy(data, data, search_self(data, options).neighbors, {.self_query = true});
        EXPECT_EQ(self.faulty, 0) << self.first_faulty << ", " << self.first_fault;
      }
}

TEST(ExactSum, IsTheSameInAnyOrder) {
  std::vector<double> numbers{0, -0., 5e-324, 1.7e308, -1.7e308};
  Random r(1);
  for (int i = 0; i < 1000; ++i)
    numbers.push_back((r.uniform() - .3) * std::ldexp(1, static_cast<int>(r.below(80)) - 40));
  const auto sum_of = [](const std::vector<double>& all, std::size_t blocks) {
    accuracy::ExactSum sum;
    for (std::size_t b = 0; b < blocks; ++b) {
      accuracy::ExactSum part;
      for (std::size_t i = b; i < all.size(); i += blocks) part.add(all[i]);
      sum.add(part);
    }
    return sum.rounded();
  };
  const double want = sum_of(numbers, 1);
  _Float128 wide = 0;
  for (const double x : numbers)
    if (std::abs(x) < 1e300) wide += x;
  EXPECT_NEAR(want, static_cast<double>(wide), 1e-12 * std::abs(want));
  for (const std::size_t blocks : {1, 2, 7, 1005}) {
    std::ranges::sort(numbers);
    EXPECT_EQ(sum_of(numbers, blocks), want);
    std::ranges::reverse(numbers);
    EXPECT_EQ(sum_of(numbers, blocks), want);
  }
  EXPECT_EQ(sum_of({1, HUGE_VAL, 2}, 2), HUGE_VAL);
  EXPECT_TRUE(std::isnan(sum_of({HUGE_VAL, 1, -HUGE_VAL}, 2)));
}

}  // namespace
}  // namespace kann::test

namespace kann::accuracy {
namespace {

/// By 64 bits, which tell every root of a double from the midpoint of two float32.
float in_long_double(double sq_dist, double unit) {
  return static_cast<float>(std::sqrt(static_cast<long double>(sq_dist)) * unit);
}

TEST(RoundedRoot, IsThatOfMoreBits) {
  test::Random r(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(1 + r.uniform(), static_cast<int>(r.below(500)) - 250);
    EXPECT_EQ(rounded_root(x, 1), in_long_double(x, 1)) << x;
    EXPECT_EQ(rounded_root(x, 0x1p-20), in_long_double(x, 0x1p-20)) << x;
  }
}

// Squares of midpoints, and their neighbours in double: rounding the double root again goes to the even one.
TEST(RoundedRoot, DoesNotRoundTwice) {
  test::Random r(2);
  int by_two_roundings = 0;
  for (int i = 0; i < 10000; ++i)
    for (const int exponent : {-149, -140, -126, -125, -20, 0, 50, 127}) {
      const double ulp = std::ldexp(1.0, std::max(-149, exponent - 23));
      const double midpoint = static_cast<float>(std::ldexp(1 + r.uniform(), exponent)) + ulp / 2;
      for (const double x : {std::nextafter(midpoint * midpoint, 0), midpoint * midpoint,
                             std::nextafter(midpoint * midpoint, HUGE_VAL)}) {
        ASSERT_EQ(rounded_root(x, 1), in_long_double(x, 1)) << x;
        by_two_roundings += static_cast<float>(std::sqrt(x)) != in_long_double(x, 1);
      }
    }
  EXPECT_GT(by_two_roundings, 1000);
}

TEST(RoundedRoot, EndsInZeroAndInfinity) {
  constexpr float largest = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
  constexpr double above = 0x1.ffffffp127;  // halfway to 2¹²⁸
  EXPECT_EQ(rounded_root(0, 1), 0);
  EXPECT_EQ(rounded_root(0x1p-302, 1), 0);
  EXPECT_EQ(rounded_root(0x1p-300, 1), 0);  // halfway to the smallest subnormal
  EXPECT_EQ(rounded_root(std::nextafter(0x1p-300, 1), 1), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(rounded_root(static_cast<double>(largest) * largest, 1), largest);
  EXPECT_EQ(rounded_root(std::nextafter(above * above, 0), 1), largest);
  EXPECT_EQ(rounded_root(above * above, 1), infinite);
  EXPECT_EQ(rounded_root(0x1p400, 1), infinite);
  EXPECT_EQ(rounded_root(0x1p400, 0x1p-190), 0x1p10f);
}

}  // namespace
}  // namespace kann::accuracy
