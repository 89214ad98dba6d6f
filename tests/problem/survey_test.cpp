// The survey of a cloud is that of its points one by one, whatever lanes, runs and threads they are taken in.
#include "problem/survey.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
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

}  // namespace
}  // namespace kann::problem
