// Coordinates that are missing, as pandas and R write them, are NaN; the row keeps its place.
#include <cmath>

#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

struct MissingCase {
  const char* name;
  std::string bytes;
  std::vector<double> points;
};
void PrintTo(const MissingCase& c, std::ostream* out) { *out << c.name; }

class Missing : public testing::TestWithParam<MissingCase> {};

TEST_P(Missing, IsNan) {
  const std::vector<double> points = coordinates_of(read_bytes("a.csv", GetParam().bytes).points);
  ASSERT_EQ(points.size(), GetParam().points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isnan(GetParam().points[i]))
      EXPECT_TRUE(std::isnan(points[i])) << i << ": " << points[i];
    else
      EXPECT_EQ(points[i], GetParam().points[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(
    All, Missing,
    testing::Values(
        MissingCase{"Pandas", ",pos_x,pos_y,pos_z\n0,1.0,,5.0\n1,,4.0,6.0\n", {1, k_nan, 5, k_nan, 4, 6}},
        MissingCase{"Comma", "x,y,z\n1.0,,3.0\n4,5,6\n", {1, k_nan, 3, 4, 5, 6}},
        MissingCase{"Semicolon", "x;y;z\n1;2;\n4; ;6\n", {1, 2, k_nan, 4, k_nan, 6}},
        MissingCase{"Tab", "x\ty\tz\n\t2\t3\n4\t5\t6\n", {k_nan, 2, 3, 4, 5, 6}},
        MissingCase{"WholeRow", "x,y,z\n1,2,3\n,,\n4,5,6\n", {1, 2, 3, k_nan, k_nan, k_nan, 4, 5, 6}},
        MissingCase{
            "WholeRowOfTabs", "x\ty\tz\n\t\t\n4\t5\t6\n\t\t\n", {k_nan, k_nan, k_nan, 4, 5, 6, k_nan, k_nan, k_nan}},
        MissingCase{"FirstRowWithoutHeader", ",2,3\n4,5,6\n", {k_nan, 2, 3, 4, 5, 6}},
        MissingCase{"FirstRowAllMissing", ",,\n4,5,6\n", {k_nan, k_nan, k_nan, 4, 5, 6}},
        MissingCase{"FirstRowOfTabsAllMissing", "\t\t\n4\t5\t6\n", {k_nan, k_nan, k_nan, 4, 5, 6}},
        MissingCase{"FirstRowOfWords", "NA NA NA\n4 5 6\n", {k_nan, k_nan, k_nan, 4, 5, 6}},
        MissingCase{"Words", "x,y,z\nNA,null,NULL\nnan,NaN,NAN\n", {k_nan, k_nan, k_nan, k_nan, k_nan, k_nan}},
        MissingCase{"R", "\"x\" \"y\" \"z\"\n1 NA 3\n", {1, k_nan, 3}},
        MissingCase{"OtherColumns", "x,y,label,z\n1,2,,3\n4,5,NA,6\n", {1, 2, 3, 4, 5, 6}},
        MissingCase{"AllOfTheFirstFields", "1,2,\n,,\n", {1, 2, k_nan, k_nan, k_nan, k_nan}}),
    CaseName());

class MissingRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(MissingRefused, NamesTheLine) { EXPECT_EQ(refusal("a.csv", GetParam().bytes), "a.csv" + GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    All, MissingRefused,
    testing::Values(
        BytesCase{"TooFewCells", "x,y,z\n1,\n", ":2: row has 2 columns (need 3, as in the header in line 1)"},
        BytesCase{"TooManyCells", "x,y,z\n1,,3,4\n", ":2: row has 4 columns (need 3, as in the header in line 1)"},
        BytesCase{"TabsOfAnotherNumber", "x\ty\tz\n1\t2\t3\n1\t\n",
                  ":3: row has 2 columns (need 3, as in the header in line 1)"},
        BytesCase{"OtherWord", "x,y,z\n1,none,3\n", ":2: column 2 is not a number: 'none'"},
        BytesCase{"Blanks", "x y z\n1  3\n", ":2: row has 2 columns (need 3, as in the header in line 1)"}),
    CaseName());

}  // namespace
}  // namespace kann::formats
