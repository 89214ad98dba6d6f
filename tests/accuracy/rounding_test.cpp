// The tolerance for rounding to float32: errors within it count as correct, larger ones do not.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "kann/accuracy.hpp"

#include "accuracy/exact_answer.hpp"
#include "clouds.hpp"

namespace kann::test {
namespace {

/// The k smallest distances by the fused float32 chain that defines the answer.
Neighbors float32_answer(const Coordinates& data, const Coordinates& queries, std::int64_t k) {
  return sorted_answer(to_points(data, 3), to_points(queries, 3), k, false, [&](std::int64_t i, std::int64_t q) {
    float d[3];
    for (int a = 0; a < 3; ++a) d[a] = data[3 * i + a] - queries[3 * q + a];
    return std::sqrt(std::fma(d[2], d[2], std::fma(d[1], d[1], d[0] * d[0])));
  });
}

/// Points at distances 1 to 1 + `thickness` around `centre`.
std::vector<double> shell(std::int64_t n, const double (&centre)[3], double thickness) {
  Random r(5);
  std::vector<double> points;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p[3] = {r.normal(), r.normal(), r.normal()};
    const double stretch = (1 + thickness * r.uniform()) / std::hypot(p[0], p[1], p[2]);
    for (int a = 0; a < 3; ++a) points.push_back(centre[a] + p[a] * stretch);
  }
  return points;
}

// Among points on a sphere around the query, rounding to float32 decides alone: the chosen ones count as correct.
TEST(Accuracy, AnAnswerByTheFloat32DefinitionIsAllCorrect) {
  const std::vector<double> points = shell(2000, {0.1, 0.2, 0.3}, 1e-7);
  const Coordinates data(points.begin(), points.end()), query{0.1f, 0.2f, 0.3f};
  const Neighbors neighbors = float32_answer(data, query, 500);
  EXPECT_NE(neighbors.ids, exact_answer(to_points(data, 3), to_points(query, 3), 500).ids);
  EXPECT_EQ(measure_accuracy(to_points(data, 3), to_points(query, 3), neighbors, {}).recall, 1);
}

// The same with coordinates that are not float32: an origin near the middle of the data is subtracted, then rounded.
TEST(Accuracy, AnAnswerOnCentredAndRoundedCoordinatesIsAllCorrect) {
  const std::vector<double> points = shell(2000, {4e6, 4e6, 4e6}, 1e-7);
  const Points data{3, Array<double>(points.begin(), points.end())}, query{3, Array<double>{4e6, 4e6, 4e6}};
  constexpr double centre = 4e6 + 0.3;

  Coordinates rounded;
  for (const double x : points) rounded.push_back(static_cast<float>(x - centre));
  const Neighbors neighbors = float32_answer(rounded, Coordinates(3, static_cast<float>(4e6 - centre)), 500);
  EXPECT_NE(neighbors.ids, exact_answer(data, query, 500).ids);
  EXPECT_EQ(measure_accuracy(data, query, neighbors, {}).recall, 1);
}

TEST(Accuracy, OnlyRoundingIsTolerated) {
  const auto recall_of_the_second = [](auto first, auto second) {  // the nearest point is left out
    using T = decltype(first);
    const Points data{2, Array<T>{first, T(0), second, T(0), T(-1000), T(0)}};
    const Points query{2, Array<T>{T(0), T(0)}};
    return measure_accuracy(data, query, {1, 1, {1}, {static_cast<float>(second)}}, {}).recall;
  };
  EXPECT_EQ(recall_of_the_second(1.0f, 1.0f + 0x1p-22f), 1);
  EXPECT_EQ(recall_of_the_second(1.0f, 1.0f + 0x1p-21f), 0);
  EXPECT_EQ(recall_of_the_second(1.0, 1.0 + 0x1p-22), 1);
  EXPECT_EQ(recall_of_the_second(1.0, 1.0 + 0x1p-21), 0);  // both are float32
  // 0.1 is not: coordinates up to 1,000 from the origin, wherever that is, move by at most 2⁻¹⁵, distances by √2·2⁻¹⁴.
  EXPECT_EQ(recall_of_the_second(0.1, 0.1 + 5 * 0x1p-15), 1);
  EXPECT_EQ(recall_of_the_second(0.1, 0.1 + 6 * 0x1p-15), 0);
}

}  // namespace
}  // namespace kann::test
