// histogram_svg(): bars that are in proportion to the numbers of queries.
#include "kann/histogram.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "kann/error.hpp"

namespace kann::test {
namespace {

Neighbors nearest(const std::vector<float>& distances) {
  Neighbors n{static_cast<std::int64_t>(distances.size()), 1, {}, {}};
  for (const float d : distances) {
    n.ids.push_back(d < 0 ? k_missing_id : 0);
    n.distances.push_back(d < 0 ? std::numeric_limits<float>::infinity() : d);
  }
  return n;
}

std::string svg_of(const std::vector<float>& distances) {
  const Neighbors n = nearest(distances);
  return histogram_svg(n, distance_statistics(n, 3, 1));
}

struct Bar {
  double x, height;
};

std::vector<Bar> bars_of(const std::string& svg) {
  std::vector<Bar> bars;
  const std::regex bar(R"re(<rect x="([0-9.]+)" y="[0-9.]+" width="[0-9.]+" height="([0-9.]+)" fill="#3a6ea5"/>)re");
  for (std::sregex_iterator m(svg.begin(), svg.end(), bar), end; m != end; ++m)
    bars.push_back({std::stod((*m)[1]), std::stod((*m)[2])});
  return bars;
}

/// Every tag that is opened is closed, and no number is one that a reader refuses.
void expect_well_formed(const std::string& svg) {
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  std::size_t opened = 0, closed = 0;
  for (std::size_t i = 0; (i = svg.find("<text", i)) != svg.npos; ++i) ++opened;
  for (std::size_t i = 0; (i = svg.find("</text>", i)) != svg.npos; ++i) ++closed;
  EXPECT_EQ(opened, closed);
  for (const char* attribute : {"=\"nan", "=\"inf", "=\"-nan", "Mnan", "Linf"})
    EXPECT_EQ(svg.find(attribute), svg.npos);
}

TEST(Histogram, BarsAreInProportionToTheQueries) {
  std::vector<float> distances;  // 0.5 … 5.5, once to six times: an axis to 6, ten bars per unit
  for (int i = 0; i < 6; ++i)
    distances.insert(distances.end(), static_cast<std::size_t>(i + 1), static_cast<float>(i) + .55f);
  const std::string svg = svg_of(distances);
  const std::vector<Bar> bars = bars_of(svg);
  ASSERT_EQ(bars.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(bars[i].height / bars[0].height, static_cast<double>(i + 1), 1e-2);
    EXPECT_NEAR(bars[i].x - bars[0].x, static_cast<double>(i) * (bars[1].x - bars[0].x), 1e-1);
  }
  EXPECT_NE(svg.find(">21 queries, mean 3.883, maximum 5.55<"), svg.npos) << svg;
  EXPECT_NE(svg.find(">median 4.55<"), svg.npos) << svg;
  expect_well_formed(svg);
}

TEST(Histogram, FarDistancesAreWords) {
  std::vector<float> distances(995, 1);
  distances.insert(distances.end(), 5, 1000);
  distances.insert(distances.end(), 3, -1);
  const std::string svg = svg_of(distances);
  EXPECT_EQ(bars_of(svg).size(), 1u);
  EXPECT_NE(svg.find(">1000 queries, mean "), svg.npos) << svg;
  EXPECT_NE(svg.find("; 5 beyond 1; 3 without a neighbour<"), svg.npos) << svg;
  expect_well_formed(svg);
}

TEST(Histogram, AnyDistancesGiveAPicture) {
  const float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  for (const std::vector<float>& distances : {std::vector<float>{},
                                              {-1},
                                              {0},
                                              {0, 0, 0},
                                              {infinity},
                                              {infinity, 1, 2},
                                              {largest, largest},
                                              {1e-45f, 1e-45f},
                                              {0, 1e-45f, largest},
                                              {1, 1, 1, 1}}) {
    const std::string svg = svg_of(distances);
    expect_well_formed(svg);
    EXPECT_LE(bars_of(svg).size(), distances.size());
    EXPECT_LT(svg.size(), 20'000u);
  }
  EXPECT_NE(svg_of({-1}).find(">1 queries, none with a neighbour<"), std::string::npos);
}

TEST(Histogram, RefusesWhatIsNoResult) {
  EXPECT_THROW(histogram_svg(Neighbors{2, 1, {0}, {0}}, {}), Error);
  EXPECT_NE(histogram_svg(Neighbors{3, 0, {}, {}}, {}).find("none with a neighbour"), std::string::npos);
}

}  // namespace
}  // namespace kann::test
