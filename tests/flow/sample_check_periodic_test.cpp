// Rows of a search in tiles are judged by the distances in a periodic box as measure_accuracy() judges them in memory.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/memory_source.hpp"
#include "flow/sample_check_support.hpp"
#include "part.hpp"

namespace kann::test {
namespace {

/// The cloud, of which some points have no finite coordinates.
Coordinates with_gaps(Coordinates c, std::uint64_t seed) {
  Random r(seed);
  for (float& x : c)
    if (r.below(50) == 0) x = k_nan;
  return c;
}

TEST(SampleCheckPeriodic, JudgesAsInMemory) {
  const std::vector<std::vector<double>> boxes{{1, 1, 1},      {.3, 0, .3},     {0, 7, 0},
                                               {.05, .5, 100}, {1e30, 1e30, 0}, {1, .8, .9, .4, -.3, .2}};
  Part part;
  std::uint64_t seed = 0;
  std::int64_t different = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (int repeat = 0; repeat < 2; ++repeat) {
        const std::vector<double>& box = boxes[++seed % boxes.size()];
        if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
        const std::string what = kind.name + " " + std::to_string(d) + "-D, box " + std::to_string(box[0]);
        const MemorySource<float> data(d, with_gaps(kind.make(1500, d, seed), seed)),
            queries(d, with_gaps(kind.make(200, d, seed + 1), seed + 1));
        SearchOptions search = search_of(5, Method::exact);
        search.periodic.assign(box.begin(), box.size() == 3 ? box.begin() + d : box.end());
        AccuracyOptions options = accuracy_of(false, Method::exact);
        options.periodic = search.periodic;
        const bool may_be_narrow =
            std::ranges::count(search.periodic, 0) > 0 || box[0] == .05;  // beside clouds that are far wider
        if (seed % 2 == 0 && !may_be_narrow) search.images = options.images = Images::all;
        if (seed % 3 == 0 && box[0] != .05) search.radius = options.radius = .1;
        Neighbors rows = kann::search(data.view(), queries.view(), search).neighbors;
        EXPECT_EQ(expect_verdict_of_memory(data, &queries, rows, options, what).first_different, -1) << what;
        search.periodic.front() *= 1.5;  // the rows of another box
        rows = kann::search(data.view(), queries.view(), search).neighbors;
        const Accuracy other = expect_verdict_of_memory(data, &queries, rows, options, what + ", other");
        different += other.judged - other.identical;

        search.periodic = options.periodic;
        search.include_self = options.include_self = seed % 2;
        options.self_query = true;
        rows = search_self(data.view(), search).neighbors;
        EXPECT_EQ(
            (expect_verdict_of_memory<float, float>(data, nullptr, rows, options, what + ", self").first_different),
            -1);
      }
  EXPECT_GT(different, 0);
}

/// Points that are many sides of a small box apart.
std::vector<double> far_apart(std::int64_t n) {
  Random r(static_cast<std::uint64_t>(n) + 20);
  std::vector<double> c;
  for (std::int64_t i = 0; i < 3 * n; ++i) c.push_back(1000 * (r.uniform() - .5));
  return c;
}

TEST(SampleCheckPeriodic, TakesAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6})
    for (const std::int64_t k : {1, 5, 70}) {
      const MemorySource<double> data(3, far_apart(n)), queries(3, far_apart(7));
      SearchOptions search = search_of(k, Method::exact);
      AccuracyOptions options = accuracy_of(false, Method::exact);
      options.periodic = search.periodic = {10, 0, 3.3};
      const std::string what = std::to_string(n) + " points, k " + std::to_string(k);
      const Neighbors other = kann::search(data.view(), queries.view(), search).neighbors;
      EXPECT_EQ(expect_verdict_of_memory(data, &queries, other, options, what).first_different, -1) << what;
      options.self_query = true;
      const Neighbors self = search_self(data.view(), search).neighbors;
      EXPECT_EQ((expect_verdict_of_memory<double, double>(data, nullptr, self, options, what).first_different), -1)
          << what;
    }
}

}  // namespace
}  // namespace kann::test
