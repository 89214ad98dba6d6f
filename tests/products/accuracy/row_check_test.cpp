// Every row is checked by its own definition, judged or not.
#include <gtest/gtest.h>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

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

}  // namespace
}  // namespace kann::test
