// What is known of a cloud before it is searched: its survey, which is that of its points one by one, whatever lanes,
// runs and threads they are taken in; its unevenness; the sample of its queries; and whether rows are final.
#include "problem/survey.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "clouds.hpp"
#include "problem/prepare.hpp"
#include "problem/sample.hpp"
#include "problem/unevenness.hpp"
#include "problem/valid_points.hpp"

namespace kann::problem {

using namespace test;

namespace {

/// Point by point, by the words of survey.hpp.
Survey slow_survey(const Points& points) {
  Survey s;
  for (std::int64_t i = 0; i < points.size(); ++i) {
    if (!PointsView(points).is_finite(i)) {
      if (s.invalid++ == 0) s.first_invalid = i;
      continue;
    }
    for (int a = 0; a < points.dimensions; ++a) {
      const double x = points.at(i, a);
      s.box.lo[a] = s.valid == 0 ? x : std::min(s.box.lo[a], x);
      s.box.hi[a] = s.valid == 0 ? x : std::max(s.box.hi[a], x);
      s.exact &= static_cast<double>(static_cast<float>(x)) == x;
    }
    ++s.valid;
  }
  return s;
}

void expect_slow_survey(const Points& points, const std::string& what) {
  const Survey want = slow_survey(points);
  for (const int threads : {1, 3}) {
    const Survey got = survey(points, threads);
    EXPECT_EQ(got.valid, want.valid) << what;
    EXPECT_EQ(got.invalid, want.invalid) << what;
    EXPECT_EQ(got.first_invalid, want.first_invalid) << what;
    EXPECT_EQ(got.exact, want.exact) << what;
    EXPECT_EQ(got.box.lo, want.box.lo) << what;
    EXPECT_EQ(got.box.hi, want.box.hi) << what;
  }
}

template <class T>
Points cloud(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  Array<T> c;
  for (std::int64_t i = 0; i < n * d; ++i) c.push_back(static_cast<T>(r.uniform() * 200 - 100));
  return {d, std::move(c)};
}

template <class T>
void survey_of_all_sizes() {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 7, 8, 9, 11, 12, 13, 4095, 4096, 4097, 10'000}) {
      Points points = cloud<T>(n, d, 3 + n);
      const std::string what = std::to_string(n) + " points, " + std::to_string(d) + "-D";
      expect_slow_survey(points, what);
      auto& c = std::get<Array<T>>(points.coordinates);
      for (const auto& [place, value] :
           {std::pair{n * d - 1, nan}, {n * d / 2, -infinity}, {std::int64_t{0}, infinity}})
        if (n > 0) {
          c[place] = value;
          expect_slow_survey(points, what + " with " + std::to_string(value));
        }
      std::fill(c.begin(), c.end(), nan);
      expect_slow_survey(points, what + ", all NaN");
    }
}

TEST(SurveyTest, OfFloats) { survey_of_all_sizes<float>(); }
TEST(SurveyTest, OfDoubles) { survey_of_all_sizes<double>(); }

TEST(SurveyTest, OfParts) {
  std::vector<double> c;
  Random r(4);
  for (int i = 0; i < 90; ++i) c.push_back(i < 12 || r.below(9) == 0 ? NAN : i > 70 ? r.uniform() : i);
  const Survey want = slow_survey(Points{3, Array<double>(c.begin(), c.end())});
  for (const std::size_t part : {3u, 6u, 30u, 90u}) {
    Survey got;
    for (std::size_t i = 0; i < c.size(); i += part) {
      Survey own = survey(PointsView{3, std::span<const double>(c).subspan(i, part)}, 1);
      if (own.first_invalid >= 0) own.first_invalid += static_cast<std::int64_t>(i / 3);
      append(got, own);
    }
    EXPECT_EQ(got.valid, want.valid);
    EXPECT_EQ(got.invalid, want.invalid);
    EXPECT_EQ(got.first_invalid, want.first_invalid);
    EXPECT_EQ(got.exact, want.exact);
    EXPECT_EQ(got.box.lo, want.box.lo);
    EXPECT_EQ(got.box.hi, want.box.hi);
  }
}

/// As if another thread wrote to the array after the survey.
TEST(ValidRows, AreAsManyAsTheSurveyCounted) {
  Array<double> c(30, 1.0);
  c[4] = NAN;
  for (const double value : {double{NAN}, 1.0}) {
    const Survey counted = survey(PointsView{3, std::span<const double>(c)}, 1);
    std::fill(c.begin() + 3, c.begin() + 20, value);
    const Array<std::int32_t> rows = valid_rows(PointsView{3, std::span<const double>(c)}, counted);
    EXPECT_EQ(static_cast<std::int64_t>(rows.size()), counted.valid);
    for (const std::int32_t row : rows) EXPECT_LT(static_cast<std::uint32_t>(row), 10u);
  }
}

/// Only then may the rows of an answer be handed over before all have arrived.
TEST(Prepare, RowsAreFinalUnlessPointsAreSkipped) {
  SearchOptions options;
  options.invalid = InvalidPoints::skip;
  const Points valid = test::to_points(test::uniform(20, 3, 1), 3);
  Points invalid = valid;
  std::get<Array<float>>(invalid.coordinates)[4] = std::numeric_limits<float>::quiet_NaN();

  EXPECT_TRUE(prepare(valid, valid, options).has_final_rows());
  EXPECT_TRUE(prepare(valid, {}, options).has_final_rows());
  EXPECT_FALSE(prepare(invalid, valid, options).has_final_rows());
  EXPECT_FALSE(prepare(valid, invalid, options).has_final_rows());
  EXPECT_FALSE(prepare(invalid, {}, options).has_final_rows());
}

TEST(Sample, IsAllNumbersWhereThereAreNoMore) {
  for (const std::int64_t count : {0, 1, 2, 9, 10}) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sample_numbers(count, 10), all);
  }
}

TEST(Sample, IsAscendingDistinctAndBelowTheCount) {
  for (const std::int64_t count : {11, 12, 20, 1000, 1 << 20, 2147483647}) {
    const auto sample = sample_numbers(count, 10);
    ASSERT_EQ(sample.size(), 10u);
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 10u);
    EXPECT_LT(sample.back(), count);
  }
}

TEST(Sample, LeavesOutOneOfOneMore) {
  const auto sample = sample_numbers(1025, k_sample_size);
  ASSERT_EQ(sample.size(), 1024u);
  EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 1024u);
  EXPECT_LE(sample.back(), 1024);
}

TEST(Sample, IsTheSameEachTime) { EXPECT_EQ(sample_numbers(100000, 1024), sample_numbers(100000, 1024)); }

TEST(Sample, IsOfAnyCount) {
  const auto sample = sample_numbers(std::int64_t{1} << 40, 1000);
  EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 1000u);
  EXPECT_GT(sample.back(), std::int64_t{1} << 39);
  EXPECT_LT(sample.back(), std::int64_t{1} << 40);
}

/// As rows of a raster or of a scanner with some beams have one.
TEST(Sample, HasNoStride) {
  for (const std::int64_t count : {1 << 16, 1 << 20, 1000000, 2147483647}) {
    const auto sample = sample_numbers(count, 1024);
    std::set<std::int64_t> gaps;
    for (std::size_t i = 1; i < sample.size(); ++i) gaps.insert(sample[i] - sample[i - 1]);
    EXPECT_GT(gaps.size(), 150u) << count;
    for (const std::int64_t period : {2, 3, 8, 16, 64}) {  // five standard deviations
      std::vector<double> of_residue(period);
      for (const std::int64_t number : sample) ++of_residue[number % period];
      const double expected = 1024.0 / static_cast<double>(period);
      for (const double found : of_residue) EXPECT_LT(std::abs(found - expected), 5 * std::sqrt(expected)) << period;
    }
    double sum = 0;
    for (const std::int64_t number : sample) sum += static_cast<double>(number);
    EXPECT_NEAR(sum / 1024 / static_cast<double>(count), 0.5, 5 * 0.29 / 32);
  }
}

/// `count`: of all points, of which the cloud is a sample; 0: it is all.
double unevenness_of(const test::Coordinates& cloud, int d, std::int64_t count = 0) {
  const Points points = test::to_points(cloud, d);
  return problem::unevenness(problem::survey(points, 1).box, {cloud.begin(), cloud.end()}, d,
                             std::max(count, points.size()));
}

TEST(Unevenness, OfEvenCloudsIsOne) {
  for (const int d : {2, 3})
    for (const std::int64_t count : {0, 1 << 16, 1 << 20, 1 << 30})
      for (const std::uint64_t seed : {1, 2, 3})
        EXPECT_NEAR(unevenness_of(test::uniform(4096, d, seed), d, count), 1, 0.05);
  EXPECT_NEAR(unevenness_of(test::slab(4096, 3, 1), 3, 1 << 22), 1, 0.05);
}

TEST(Unevenness, IsTheMeanSquareOfTheDensity) {
  test::Random r(5);
  // The density rises in proportion to x: the mean of its square is 4/3 of that of its mean
  const auto rising =
      test::make_cloud(4096, 3, [&](auto, int a) { return a == 0 ? std::sqrt(r.uniform()) : r.uniform(); });
  EXPECT_NEAR(unevenness_of(rising, 3), 4.0 / 3, 0.06);
  // All points in half of the box
  auto half = test::make_cloud(4096, 3, [&](auto, int a) { return a == 0 ? r.uniform() / 2 : r.uniform(); });
  half[0] = 1;
  EXPECT_NEAR(unevenness_of(half, 3), 2, 0.15);
}

TEST(Unevenness, OfASurfaceIsLarge) {
  test::Random r(5);
  const auto bent = test::make_cloud(4096, 3, [&, x = 0.0](auto, int a) mutable {
    return a == 0 ? (x = r.uniform()) : a == 1 ? r.uniform() : x * x;
  });
  EXPECT_GT(unevenness_of(bent, 3), 3);
  EXPECT_GT(unevenness_of(test::clusters(4096, 3, 1), 3), 3);
}

/// Ground of 100 × 100, of which some hundred cells are no lower than its hills.
TEST(Unevenness, OfFlatGroundShowsInFineCells) {
  for (const double height : {1.0, 3.0}) {
    test::Random r(5);
    const auto ground = test::make_cloud(4096, 3, [&, x = 0.0, y = 0.0](auto, int a) mutable {
      if (a == 0) return x = 100 * r.uniform();
      if (a == 1) return y = 100 * r.uniform();
      return height * std::sin(x / 7) * std::cos(y / 9) + .05 * r.uniform();
    });
    EXPECT_LT(unevenness_of(ground, 3), 1.3);
    for (const std::int64_t count : {1'000'000, 100'000'000}) EXPECT_GT(unevenness_of(ground, 3, count), 1.5) << height;
  }
}

TEST(Unevenness, OfALatticeIsInfinite) {
  test::Random r(5);
  const auto lattice = [&](double side, int d) {
    return test::make_cloud(4096, d, [&](auto, int) { return std::floor(r.uniform() * side); });
  };
  EXPECT_TRUE(std::isinf(unevenness_of(lattice(161, 3), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of(lattice(2896, 2), 2)));
  EXPECT_NEAR(unevenness_of(lattice(1e5, 3), 3), 1, 0.05);
}

TEST(Unevenness, OfABoxWithoutVolumeIsInfinite) {
  EXPECT_TRUE(std::isinf(unevenness_of(test::identical(100, 3, 0), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of(test::plane(100, 3, 1), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of({}, 3)));
  EXPECT_TRUE(std::isinf(unevenness_of({1, 2, 3}, 3)));
}

}  // namespace
}  // namespace kann::problem
