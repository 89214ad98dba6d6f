#include "geometry/doubt.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "clouds.hpp"
#include "geometry/morton.hpp"

namespace kann::geometry {
namespace {

constexpr float k_inf = std::numeric_limits<float>::infinity(), k_nan = std::numeric_limits<float>::quiet_NaN();

TEST(DoubtRatio, IsInfiniteAtTheQueryAndNoNumberWithoutNeighbours) {
  EXPECT_EQ(doubt_ratio(2, 3), 1.5f);
  EXPECT_EQ(doubt_ratio(0, 3), k_inf);
  EXPECT_EQ(doubt_ratio(0, 0), k_inf);
  EXPECT_EQ(doubt_ratio(2, k_inf), k_inf);
  EXPECT_TRUE(std::isnan(doubt_ratio(k_inf, k_inf)));
}

template <int D>
void expect_highest_bit_of_codes() {
  test::Random random(1);
  for (int round = 0; round < 10000; ++round) {
    std::uint32_t p[D], q[D];
    for (int a = 0; a < D; ++a) {
      p[a] = static_cast<std::uint32_t>(random.below(1u << k_cell_bits<D>));
      q[a] = random.below(3) == 0 ? p[a] : p[a] ^ 1u << random.below(k_cell_bits<D>);
    }
    int highest = -1;
    for (int b = 0; b < 64; ++b)
      if ((interleave(p) ^ interleave(q)) >> b & 1) highest = b;
    ASSERT_EQ(highest_difference<D>(p, q), highest);
  }
}

TEST(HighestDifference, IsTheHighestBitInWhichTheCodesDiffer) {
  expect_highest_bit_of_codes<2>();
  expect_highest_bit_of_codes<3>();
  const std::uint32_t p[3] = {0, 4, 1}, q[3] = {0, 0, 1};
  EXPECT_EQ(highest_difference<3>(p, q), 7);
  EXPECT_EQ(highest_difference<3>(p, p), -1);
}

TEST(CoveredSide, IsThatOfACubeOfAsManyCells) {
  EXPECT_EQ(covered_sq_side<3>(0), 1);
  for (int bit = 0; bit < k_code_bits<3>; ++bit)
    EXPECT_FLOAT_EQ(covered_sq_side<3>(bit), static_cast<float>(std::pow(2.0, 2.0 * bit / 3))) << bit;
  EXPECT_EQ(covered_sq_side<2>(20), 0x1p20f);
  for (int bit = 14; bit < k_code_bits<2>; ++bit) EXPECT_EQ(covered_sq_side<2>(bit), std::ldexp(1.0f, bit)) << bit;
}

TEST(CoveredSide, IsNoneBelowWhatFloat32TellsApart) {
  EXPECT_EQ(covered_sq_side<3>(-1), 0);
  for (int bit = -1; bit < 14; ++bit) EXPECT_EQ(covered_sq_side<2>(bit), 0) << bit;
}

/// Ten points on the first axis, in the order of their cells; their squared distances from the query at cell 0 are what
/// the test says.
class EndsOf : public testing::Test {
 protected:
  WindowEnds look(std::int64_t begin, std::int64_t end, float reach) const {
    const std::uint32_t own[3] = {0, 0, 0};
    const auto cell_at = [&](std::int64_t place, std::uint32_t(&cell)[3]) {
      EXPECT_TRUE(begin <= place && place < end) << place;
      cell[0] = cells_[place];
      cell[1] = cell[2] = 0;
    };
    return ends_of<3>({begin, end}, 10, own, reach, cell_at, [&](std::int64_t place) { return sq_dists_[place]; });
  }

  std::vector<std::uint32_t> cells_ = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  std::vector<float> sq_dists_ = std::vector<float>(10, 100);
};

TEST_F(EndsOf, AWindowOfAllDataReachesEverything) {
  EXPECT_EQ(look(0, 10, 1).sq_side, k_inf);
  EXPECT_FALSE(look(0, 10, k_inf).cuts_run);
}

TEST_F(EndsOf, TheNearerEndDecides) {
  EXPECT_EQ(look(0, 5, 1).sq_side, covered_sq_side<3>(12));   // cell 16
  EXPECT_EQ(look(6, 10, 1).sq_side, covered_sq_side<3>(18));  // cell 64
  EXPECT_EQ(look(2, 8, 1).sq_side, covered_sq_side<3>(6));    // cells 4 and 128
  cells_[2] = 0;
  EXPECT_EQ(look(2, 8, 1).sq_side, 0);  // the cell of the query itself
}

TEST_F(EndsOf, ARunIsCutWhereTheLastTwoPointsShareACellWithinReach) {
  cells_[3] = 4;  // as place 2
  EXPECT_FALSE(look(2, 8, 100).cuts_run);
  EXPECT_TRUE(look(2, 8, std::nextafter(100.0f, 101.0f)).cuts_run);
  EXPECT_TRUE(look(2, 8, k_inf).cuts_run);
  EXPECT_FALSE(look(3, 8, k_inf).cuts_run);
  EXPECT_FALSE(look(0, 8, k_inf).cuts_run);
  cells_[8] = cells_[9];
  EXPECT_FALSE(look(4, 9, k_inf).cuts_run);
  EXPECT_FALSE(look(4, 10, k_inf).cuts_run);  // no point follows
  cells_[7] = cells_[8];
  EXPECT_TRUE(look(4, 9, k_inf).cuts_run);
}

TEST(RunReach, IsTwiceTheDistanceOrThatAndADiagonal) {
  DoubtRules rules;
  EXPECT_EQ(run_reach(rules, 3), 12);
  rules.diagonal = 6;
  EXPECT_EQ(run_reach(rules, 3), 12);
  EXPECT_EQ(run_reach(rules, 1), 8);
}

/// A row that is not doubtful, and one reason at a time.
class IsDoubtful : public testing::Test {
 protected:
  bool ask() const { return is_doubtful(rules_, evidence_, ends_, rounding_, nearest_, last_); }

  DoubtRules rules_{1e-6f, -1, 0, 1.5f, 0, 1.5f, 3};
  float rounding_ = 0;
  Evidence evidence_{4, 4};
  WindowEnds ends_{100, false};  // reach: 150
  float nearest_ = 1, last_ = 4;
};

TEST_F(IsDoubtful, NotWithoutAReason) {
  EXPECT_FALSE(ask());
  nearest_ = 0;
  evidence_.first_ratio = k_inf;
  EXPECT_FALSE(ask());
  ends_.sq_side = k_inf;
  EXPECT_FALSE(ask());
}

TEST_F(IsDoubtful, WhereFloat32IsTooCoarse) {
  rules_.coarse = std::nextafter(4.0f, 0.0f);
  EXPECT_FALSE(ask());
  rules_.coarse = 4;
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, WhereTheFirstDistanceIsBlurred) {
  rules_.blurred = std::nextafter(1.0f, 0.0f);
  EXPECT_FALSE(ask());
  rules_.blurred = 1;
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, WhereTheQueryIsBlurred) {
  rounding_ = 0.5f / 400;
  EXPECT_FALSE(ask());
  rounding_ = std::nextafter(1.0f / 400, 1.0f);
  EXPECT_TRUE(ask());
  rounding_ = k_inf;
  EXPECT_TRUE(ask());
}

TEST(QueryRounding, IsRelativeWhereTheDataAreRounded) {
  DoubtRules rules;
  const float point[] = {3, -8, 5};
  EXPECT_EQ(query_rounding<3>(rules, point, nullptr, 1), 0);
  rules.rounding = 0x1p-24f;
  EXPECT_EQ(query_rounding<3>(rules, point, nullptr, 1), 0x1p-21f);
  EXPECT_EQ(query_rounding<2>(rules, point + 1, nullptr, 1), 0x1p-21f);
}

TEST(QueryRounding, IsThatOfTheQueryAmongFloat32s) {
  const DoubtRules rules;
  const float point[] = {3, -8, 5};
  const double same[] = {12, -32, 20}, moved[] = {12, -32.5, 20.25}, too_large[] = {12, -32, 1e300};
  EXPECT_EQ(query_rounding<3>(rules, point, same, 4), 0);
  EXPECT_EQ(query_rounding<3>(rules, point, moved, 4), 0.125f);
  EXPECT_EQ(query_rounding<3>(rules, point, too_large, 4), 3e38f);
  EXPECT_EQ(blurred_by(3e38f), k_inf);
}

TEST_F(IsDoubtful, WhereNeighboursAreMissing) {
  ends_.sq_side = k_inf;
  last_ = k_inf;
  EXPECT_TRUE(ask());
  nearest_ = k_inf;
  evidence_.first_ratio = k_nan;
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, WhereTheBallIsTooWide) {
  nearest_ = 0;
  evidence_.first_ratio = k_inf;
  last_ = 149;
  EXPECT_FALSE(ask());
  last_ = 150;
  EXPECT_TRUE(ask());
  last_ = 4;
  ends_.sq_side = 0;
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, WhereARunIsCut) {
  ends_.cuts_run = true;
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, WhereTooFewWereSeenAgain) {
  evidence_.seen = 3;
  EXPECT_TRUE(ask());
  rules_.seen = -1;  // one shift alone
  evidence_.seen = 0;
  EXPECT_FALSE(ask());
}

TEST_F(IsDoubtful, WhereDistancesAreNearlyEqual) {
  ends_.sq_side = k_inf;
  nearest_ = 2;
  last_ = 3;
  EXPECT_FALSE(ask());
  last_ = std::nextafter(3.0f, 0.0f);
  EXPECT_TRUE(ask());
  last_ = 4;
  evidence_.first_ratio = 1.5f;
  EXPECT_FALSE(ask());
  evidence_.first_ratio = std::nextafter(1.5f, 0.0f);
  EXPECT_TRUE(ask());
}

TEST_F(IsDoubtful, MoreEasilyTheWiderTheBall) {
  evidence_.first_ratio = 2;
  last_ = 37;  // a rest of .753
  EXPECT_FALSE(ask());
  last_ = 38;  // of .747
  EXPECT_TRUE(ask());
}

}  // namespace
}  // namespace kann::geometry
