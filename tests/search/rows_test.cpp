// Rows on the CPU: they depend on their query, the data and the options alone, and the distances of approximate ones
// come from float32s in the frame of the data.
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "kann/search.hpp"

#include "float64_clouds.hpp"
#include "pieces.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

/// Two points are rounded to float32 in the frame, and the distance between them once more.
TEST(ApproximateDistances, AreThoseOfCoordinatesThatFloat32Rounds) {
  for (const int d : {2, 3})
    for (const test::Case& c : test::float64_cases(3000, 3000, d, 5)) {
      if (c.name.starts_with("large_squares") || c.name.starts_with("denormals") || c.name.starts_with("decades") ||
          c.name.starts_with("squares_lost"))
        continue;  // float32 does not hold these distances
      const SearchOptions options = test::cpu_options(5, Method::shifted_sort);
      const Points& queries = c.queries ? *c.queries : c.data;
      const problem::Prepared prepared = c.prepare(options);
      const problem::Problem& p = prepared.problem;
      const Neighbors found = test::search_case(c, options).neighbors;
      for (std::int64_t i = 0; i < found.queries * found.k; ++i) {
        const std::int64_t query = i / found.k, point = found.ids[i];
        if (point == k_missing_id) continue;
        double moved = 0;  // in the frame, the first by 2⁻²⁴ of its coordinate and the other likewise
        for (int a = 0; a < d; ++a) moved += std::abs(p.queries[query * d + a]) + std::abs(p.data[point * d + a]);
        const double expected = std::sqrt(test::sq_distance(c.data, point, queries, query));
        ASSERT_NEAR(found.distances[i], expected, 1e-6 * expected + 0x1p-24 * moved * p.unit) << c.name;
      }
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
