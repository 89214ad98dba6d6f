// Rows on the CPU: they depend on their query, the data and the options alone, and the distances of approximate ones
// come from float32s in the frame of the data.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "kann/search.hpp"

#include "float64_clouds.hpp"
#include "pieces.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

double distance(const Points& a, std::int64_t i, const Points& b, std::int64_t j) {
  double sum = 0;
  for (int axis = 0; axis < a.dimensions; ++axis) sum += std::pow(a.at(i, axis) - b.at(j, axis), 2);
  return std::sqrt(sum);
}

/// The largest |written / true − 1| of a distance. Where float64 differences are 0, so must the written one be.
double largest_error(const Points& data, const Points& queries, const Neighbors& found) {
  double largest = 0;
  for (std::int64_t i = 0; i < found.queries * found.k; ++i) {
    if (found.ids[i] == k_missing_id) continue;
    const double expected = distance(queries, i / found.k, data, found.ids[i]), written = found.distances[i];
    largest = std::max(largest, expected == 0 ? written : std::abs(written / expected - 1));
  }
  return largest;
}

TEST(ApproximateDistances, AreRightToOnePercentWhereverFloat32Rounds) {
  for (const int d : {2, 3})
    for (const test::Case& c : test::float64_cases(3000, 3000, d, 5)) {
      if (c.name.starts_with("large_squares") || c.name.starts_with("denormals") || c.name.starts_with("decades") ||
          c.name.starts_with("squares_lost"))
        continue;  // float32 does not hold these distances
      SearchOptions options = test::cpu_options();
      options.method = Method::shifted_sort;
      const Points& queries = c.queries ? *c.queries : c.data;
      const Neighbors found =
          (c.queries ? search(c.data, *c.queries, options) : search_self(c.data, options)).neighbors;
      EXPECT_LE(largest_error(c.data, queries, found), 0.01) << c.name;
    }
}

TEST(Rows, DependOnTheirQueryAlone) {
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  test::expect_rows_of_pieces(options);
}

}  // namespace
}  // namespace kann
