// kann::search on the CPU: the frame, invalid points, options.
#include "kann/search.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "clouds.hpp"
#include "pieces.hpp"
#include "refusal.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

using test::cpu_options, test::in_double, test::refusal_of;

constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();
constexpr Method k_cpu_methods[] = {Method::exact, Method::shifted_sort};

TEST(Search, DoublesThatAreFloatsGiveTheSameBytes) {
  const Points floats = test::to_points(test::uniform(500, 3, 1), 3);
  const auto a = search_self(floats, cpu_options());
  const auto b = search_self(in_double(floats, 1, 0), cpu_options());
  EXPECT_EQ(a.neighbors.ids, b.neighbors.ids);
  EXPECT_EQ(a.neighbors.distances, b.neighbors.distances);
}

TEST(Search, MapCoordinatesInDoubleLoseNoPrecision) {
  const Points local = test::to_points(test::lattice(4000, 3, 2), 3);
  const auto near = search_self(in_double(local, 0.01, 0.003), cpu_options());
  const auto far = search_self(in_double(local, 0.01, 6543210.003), cpu_options());
  std::int64_t different = 0;
  for (std::size_t i = 0; i < near.neighbors.ids.size(); ++i)
    different += std::abs(near.neighbors.distances[i] - far.neighbors.distances[i]) > 1e-5f;
  EXPECT_EQ(different, 0);
}

TEST(Search, ScaleByAPowerOfTwoScalesOnlyTheDistances) {
  const Points cloud = test::to_points(test::clusters(3000, 3, 3), 3);
  for (const Method method : k_cpu_methods) {
    const auto plain = search_self(cloud, cpu_options(5, method));
    for (const double factor : {0x1p-110, 0x1p-60, 0x1p80, 0x1p120}) {
      const auto scaled = search_self(in_double(cloud, factor, 0), cpu_options(5, method));
      EXPECT_EQ(plain.neighbors.ids, scaled.neighbors.ids) << factor;
      for (std::size_t i = 0; i < plain.neighbors.ids.size(); ++i)
        ASSERT_NEAR(scaled.neighbors.distances[i] / factor, plain.neighbors.distances[i],
                    1e-6 * plain.neighbors.distances[i])
            << factor;
    }
  }
}

TEST(Search, WidestFloatsGiveFiniteDistances) {
  for (const Method method : k_cpu_methods) {
    const auto r = search_self(test::to_points(test::huge(200, 3, 4), 3), cpu_options(1, method));
    for (const auto id : r.neighbors.ids) EXPECT_NE(id, k_missing_id);
    for (const auto distance : r.neighbors.distances) EXPECT_TRUE(std::isfinite(distance));
  }
}

/// `with` has the points of `without` and a far point after them: the ids in the rows of the other points are the same,
/// and their distances differ by `rounding` at most.
void expect_a_far_point_changes_nothing(const Points& with, const Points& without, float rounding) {
  const auto far = search_self(with, cpu_options()), near = search_self(without, cpu_options());
  for (std::size_t i = 0; i < near.neighbors.ids.size(); ++i) {
    ASSERT_EQ(far.neighbors.ids[i], near.neighbors.ids[i]) << i;
    ASSERT_NEAR(far.neighbors.distances[i], near.neighbors.distances[i], rounding) << i;
  }
}

TEST(Search, AFarPointOfDoublesDoesNotChangeOtherRows) {
  auto c = test::uniform(1001, 3, 9);
  const Points without = in_double(test::to_points(test::Coordinates{c.begin(), c.end() - 3}, 3), 1, 0.1);
  for (const double far : {1e4, 1e6, 1e9, -1e15}) {
    Points with = in_double(test::to_points(c, 3), 1, 0.1);
    auto& all = std::get<Array<double>>(with.coordinates);
    std::fill(all.end() - 3, all.end(), far);
    expect_a_far_point_changes_nothing(with, without, 2e-7f);
  }
}

TEST(Search, AFarPointOfFloatsDoesNotChangeOtherRows) {
  auto c = test::uniform(1001, 3, 9);
  const Points without = test::to_points(test::Coordinates{c.begin(), c.end() - 3}, 3);
  for (const float far : {1e6f, 1e20f, -1e29f}) {
    std::fill(c.end() - 3, c.end(), far);
    expect_a_far_point_changes_nothing(test::to_points(c, 3), without, 0);
  }
}

TEST(Search, AFarQueryDoesNotChangeOtherRows) {
  const Points data = test::to_points(test::uniform(1000, 3, 9), 3);
  auto q = test::uniform(20, 3, 10);
  const auto near = search(data, test::to_points(q, 3), cpu_options());
  q.insert(q.end(), 3, 1e29f);
  const auto far = search(data, test::to_points(q, 3), cpu_options());
  for (std::size_t i = 0; i < near.neighbors.ids.size(); ++i) {
    EXPECT_EQ(far.neighbors.ids[i], near.neighbors.ids[i]);
    EXPECT_EQ(far.neighbors.distances[i], near.neighbors.distances[i]);
  }
  EXPECT_NEAR(far.neighbors.distances.back(), std::sqrt(3.0) * 1e29, 1e24);
}

TEST(Search, ExactTakesAnyWidthThatFloat64Can) {
  auto c = test::uniform(1001, 3, 9);
  const Points without = test::to_points(test::Coordinates{c.begin(), c.end() - 3}, 3);
  std::fill(c.end() - 3, c.end(), std::numeric_limits<float>::max());
  expect_a_far_point_changes_nothing(test::to_points(c, 3), without, 0);
  for (const double far : {1e40, 1e100, -1e150}) {
    Points with = in_double(test::to_points(c, 3), 1, 0);
    auto& all = std::get<Array<double>>(with.coordinates);
    std::fill(all.end() - 3, all.end(), far);
    expect_a_far_point_changes_nothing(with, without, 0);
  }
}

TEST(Search, RefusesAWidthWhoseSquareFloat64CannotHold) {
  const std::string what = ": wider than squared distances in float64 can be (10^153); scale down the coordinates";
  const std::string message = "data and query" + what;
  const Points here{3, Array<double>{0, 0, 0}}, far{3, Array<double>{0, 1e154, 0}}, near{3, Array<double>{0, 3e153, 0}};
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { search(here, far, cpu_options(1)); }), message);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { search(far, here, cpu_options(1)); }), message);
  const Points both{3, Array<double>{0, 0, 0, 0, 1e154, 0}};
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { search_self(both, cpu_options(1)); }), "data" + what);
  EXPECT_EQ(search(here, near, cpu_options(1)).neighbors.ids, (Array<std::int32_t>{0}));
}

TEST(Search, TinyExtentsGiveFiniteDistances) {
  const auto coordinate = [](std::int64_t i, int a, double offset, double size) {
    return a == 2 ? offset : size * static_cast<double>((i * 7919 + a * 104729) % 997);
  };
  for (const double offset : {0.0, 5.0, 1e30})
    for (const double size : {1e-43, 1e-30, 1e-13}) {
      const auto c = test::make_cloud(300, 3, [&](auto i, int a) { return coordinate(i, a, offset, size); });
      for (const Method method : k_cpu_methods) {
        const Neighbors rows = search_self(test::to_points(c, 3), cpu_options(5, method)).neighbors;
        for (const float distance : rows.distances) ASSERT_TRUE(std::isfinite(distance)) << offset << " " << size;
        for (const auto id : rows.ids) ASSERT_NE(id, k_missing_id) << offset << " " << size;
      }
    }
  for (const double size : {1e-310, 1e-320, 1e150}) {
    Array<double> c;
    for (std::int64_t i = 0; i < 300; ++i)
      for (int a = 0; a < 3; ++a) c.push_back(coordinate(i, a, 0, size));
    for (const Method method : k_cpu_methods)
      for (const float distance : search_self(Points{3, c}, cpu_options(5, method)).neighbors.distances)
        ASSERT_FALSE(std::isnan(distance)) << size;
  }
}

TEST(Search, IsTheSameOnAnyNumberOfThreads) {
  const Points cloud = test::to_points(test::uniform(300, 3, 1), 3);
  for (const Method method : k_cpu_methods) {
    auto options = cpu_options(5, method);
    const auto want = search_self(cloud, options);
    for (const int threads : {1, 7, 65536, std::numeric_limits<int>::max()}) {
      options.threads = threads;
      EXPECT_EQ(search_self(cloud, options).neighbors.ids, want.neighbors.ids) << threads;
    }
  }
}

TEST(Search, RefusesInvalidPointsAndNamesTheFirst) {
  auto c = test::uniform(20, 3, 5);
  c[7 * 3 + 1] = k_nan;
  c[9 * 3] = std::numeric_limits<float>::infinity();
  auto options = cpu_options();
  options.data_name = "pts.ply";
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { search_self(test::to_points(c, 3), options); }),
            "pts.ply: 2 of 20 points have NaN or infinite coordinates (first: 7); use --invalid skip");
}

TEST(Search, SkippedPointsKeepRowNumbers) {
  auto c = test::uniform(50, 3, 6);
  test::Coordinates valid;
  std::vector<std::int32_t> row_of;
  for (int i = 0; i < 50; ++i) {
    if (i % 7 == 3) {
      c[i * 3 + i % 3] = k_nan;
    } else {
      valid.insert(valid.end(), c.begin() + i * 3, c.begin() + i * 3 + 3);
      row_of.push_back(i);
    }
  }
  auto options = cpu_options(4);
  options.invalid = InvalidPoints::skip;
  const auto skipped = search_self(test::to_points(c, 3), options);
  const auto compact = search_self(test::to_points(valid, 3), options);
  EXPECT_EQ(skipped.report.data_skipped, 50 - static_cast<int>(row_of.size()));
  ASSERT_EQ(skipped.neighbors.ids.size(), 200u);
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 4; ++j) {
      const std::int32_t id = skipped.neighbors.ids[i * 4 + j];
      if (i % 7 == 3) {
        EXPECT_EQ(id, k_missing_id);
        EXPECT_TRUE(std::isinf(skipped.neighbors.distances[i * 4 + j]));
      } else {
        EXPECT_EQ(id, row_of[compact.neighbors.ids[at]]);
        EXPECT_EQ(skipped.neighbors.distances[i * 4 + j], compact.neighbors.distances[at++]);
      }
    }
}

TEST(Search, OnlyInvalidPoints) {
  const Points nothing = test::to_points(test::Coordinates{k_nan, k_nan, k_nan}, 3);
  auto options = cpu_options(2);
  options.invalid = InvalidPoints::skip;
  const auto r = search_self(nothing, options);
  EXPECT_EQ(r.neighbors.ids, (Array<std::int32_t>{-1, -1}));
}

TEST(Search, RefusesOptionsOutOfRange) {
  const Points cloud = test::to_points(test::uniform(30, 3, 1), 3);
  const auto with = [&](auto&& change) {
    auto options = cpu_options();
    change(options);
    return refusal_of(ErrorKind::usage, [&] { search_self(cloud, options); });
  };
  EXPECT_EQ(with([](auto& o) { o.k = 0; }), "--k expects a whole number of at least 1, got '0'");
  EXPECT_EQ(with([](auto& o) { o.shifts = 3; }),
            "--shifts is for approximate answers; it needs --method shifted-sort or paper");
  EXPECT_NE(refusal_of(ErrorKind::bad_input,
                       [&] { search(cloud, test::to_points(test::uniform(3, 2, 1), 2), cpu_options()); })
                .find("2 coordinates"),
            std::string::npos);
}

TEST(Search, RefusesAResultLargerThanMemory) {
  const Points cloud = test::to_points(test::uniform(30, 3, 1), 3);
  const std::string message =
      refusal_of(ErrorKind::resources, [&] { search_self(cloud, cpu_options(std::int64_t{1} << 62)); });
  EXPECT_NE(message.find("host memory"), std::string::npos) << message;
}

TEST(Search, TakesTheLargestK) {
  const Points none = test::to_points(test::Coordinates{}, 3);
  EXPECT_EQ(search_self(none, cpu_options(std::numeric_limits<std::int64_t>::max())).neighbors.queries, 0);
}

/// Fractions that never fall, from the caller's thread, many more than there are steps: both methods search
/// chunks of at most 1,024 queries. On one thread, all are told.
TEST(Search, ItsProgressAscendsWithTheQueries) {
  const Points data = test::to_points(test::uniform(20000, 3, 1), 3);
  const Points queries = test::to_points(test::uniform(30000, 3, 2), 3);
  for (const Method method : k_cpu_methods)
    for (const int threads : {1, 3}) {
      SearchOptions options = cpu_options(8, method);
      options.threads = threads;
      std::vector<double> fractions;
      options.on_progress = [&, caller = std::this_thread::get_id()](std::string_view, double fraction) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        fractions.push_back(fraction);
      };
      search(data, queries, options);
      ASSERT_FALSE(fractions.empty());
      EXPECT_GE(fractions.front(), 0);
      for (std::size_t i = 1; i < fractions.size(); ++i) EXPECT_GE(fractions[i], fractions[i - 1]);
      EXPECT_EQ(fractions.back(), 1);
      if (threads == 1) {
        EXPECT_GE(fractions.size(), 30000u / 1024);
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
