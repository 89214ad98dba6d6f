// Searches on the CPU: the bytes of a plain search through all points in float64, and of the definition of the shifted
// sort. fuzz/search compares with both in any cloud of some hundred points; here are large ones, and queries beside the
// data.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"

#include "brute_force.hpp"
#include "cpu/backend.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/vector_target.hpp"
#include "float64_clouds.hpp"
#include "problems.hpp"

namespace kann {
namespace {

SearchOptions options_of(std::int64_t k, Method method = Method::exact) {
  SearchOptions options;
  options.k = k;
  options.threads = 2;
  options.method = method;
  options.device.kind = DeviceKind::cpu;
  return options;
}

void expect_plain(const test::Case& c, const SearchOptions& options) {
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors;
  const Neighbors want = test::plain_exact(prepared.problem);
  ASSERT_EQ(got.ids, want.ids) << c.name << " k=" << options.k;
  ASSERT_EQ(got.distances, want.distances) << c.name << " k=" << options.k;
}

/// Four levels of boxes, and crowded cells of float64 clouds.
TEST(CpuExact, IsThePlainSearchInLargeClouds) {
  for (const int d : {2, 3})
    for (const auto& all : {test::cases(5000, 40, d, 23), test::float64_cases(6000, 40, d, 29)})
      for (const auto& c : all)
        if (c.queries) {
          ASSERT_NO_FATAL_FAILURE(expect_plain(c, options_of(8)));
        }
}

TEST(CpuExact, IsThePlainSearchForQueriesFarFromTheData) {
  test::Random random(30);
  for (const int d : {2, 3})
    for (const double distance : {10.0, 1e3, 1e9, 1e20, 3e38, 1e100})
      for (const double extent : {1e-30, 1.0, 1e9}) {
        const auto data = test::to_points(
            test::make_doubles(900, d, [&](auto, int) { return extent * (static_cast<float>(random.uniform())); }), d);
        const auto queries = test::to_points(
            test::make_doubles(20, d, [&](auto, int) { return distance * (2 * random.uniform() - 1); }), d);
        for (const std::int64_t k : {1, 8, 40}) {
          const test::Case c{"distance " + std::to_string(distance), data, queries};
          ASSERT_NO_FATAL_FAILURE(expect_plain(c, options_of(k)));
        }
      }
}

/// Queries whose rank on the curve says nothing of their neighbours, and many points about as far as these.
TEST(CpuExact, IsThePlainSearchForQueriesBesideFlatClouds) {
  for (const int d : {2, 3})
    for (const double lattice : {0.0, 64.0})        // in steps of which float32 is exact, or in none
      for (const double unit : {1.0, 1 + 0x1p-40})  // float32s, and float64s that they do not hold
        for (const auto make : {test::line, test::plane, test::surface}) {
          test::Doubles data, queries;
          for (const float x : make(5000, d, 31))
            data.push_back((lattice > 0 ? std::round(lattice * static_cast<double>(x)) : x) * unit);
          test::Random random(32);
          for (int i = 0; i < 70; ++i)
            for (int a = 0; a < d; ++a) {
              const double beside[3] = {8, -4, 2}, t = random.uniform();
              const double x = make == test::surface ? 1e-3 * t : t * (make == test::line ? a + 1 : 1) + beside[a];
              queries.push_back((lattice > 0 ? std::round(lattice * x) : static_cast<float>(x)) * unit);
            }
          for (const std::int64_t k : {1, 8, 40})
            ASSERT_NO_FATAL_FAILURE(
                expect_plain({"beside", test::to_points(data, d), test::to_points(queries, d)}, options_of(k)));
        }
}

TEST(CpuExact, IsThePlainSearchWhereOneAxisIsNoise) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {100, 2000})
      for (const auto& c : test::cases(n, 200, d, 33, {{"one_axis_noise", test::one_axis_noise}}))
        for (const std::int64_t k : {1, 8, 40}) ASSERT_NO_FATAL_FAILURE(expect_plain(c, options_of(k)));
}

/// Where density rises towards the neighbours, far more candidates come within a first bound than a list keeps; where
/// coordinates are log-wide, float32 tells few of them apart.
TEST(CpuExact, IsThePlainSearchForLongListsOfManyCandidates) {
  test::Random random(31);
  const auto steep = [&](std::int64_t n) {
    double radius = 0;
    return test::make_cloud(n, 3, [&](auto, int a) {
      if (a == 0) radius = std::pow(random.uniform(), 4);
      return radius * random.normal();
    });
  };
  const auto log_wide = [&](std::int64_t n) {
    return test::make_cloud(n, 3,
                            [&](auto, int) { return random.normal() * std::pow(10, 30 * random.uniform() - 20); });
  };
  const auto pair = [](std::string name, const test::Coordinates& data, const test::Coordinates& queries) {
    return test::Case{std::move(name), test::to_points(data, 3), test::to_points(queries, 3)};
  };
  for (const auto& c :
       {pair("steep", steep(6000), steep(100)), pair("steep, seen from afar", steep(6000), test::uniform(100, 3, 32)),
        pair("log-wide", log_wide(6000), log_wide(100))})
    for (const std::int64_t k : {9, 16, 32, 33, 200, 1000, 2999})
      ASSERT_NO_FATAL_FAILURE(expect_plain(c, options_of(k)));
}

/// Neighbours whose squared distances differ by one ulp of float64, and not in float32, in both orders of their
/// indices.
TEST(CpuExact, OneUlpOfFloat64Decides) {
  for (const bool nearer_first : {false, true}) {
    const double near = 1, far = 1 + 0x1p-52;
    test::Doubles data;
    for (int i = 0; i < 200; ++i) {
      const double x = (i < 100) == nearer_first ? near : far;
      const double sides[4][3] = {{x, 0, 0}, {0, -x, 0}, {-x, 0, 0}, {0, 0, x}};
      data.insert(data.end(), sides[i % 4], sides[i % 4] + 3);
    }
    SearchOptions options = options_of(100);
    const auto result = search(test::to_points(data, 3), test::to_points(test::Doubles{0, 0, 0}, 3), options);
    for (std::int32_t i = 0; i < 100; ++i) EXPECT_EQ(result.neighbors.ids[i], nearer_first ? i : 100 + i);
  }
}

/// The data have no extent, so that nothing scales them.
TEST(CpuExact, SquaresThatUnderflowInFloat32BesideIdenticalData) {
  const Points data{3, Array<float>(3 * 50, 0x1p-100f)};
  Points queries{3, Array<float>(3 * 4, 0x1p-100f)};
  std::get<Array<float>>(queries.coordinates)[4] = 0x1.8p-99f;
  std::get<Array<float>>(queries.coordinates)[8] = 0x1p-60f;
  for (const std::int64_t k : {1, 8, 40})
    ASSERT_NO_FATAL_FAILURE(expect_plain({"identical", data, queries}, options_of(k)));
}

TEST(CpuExact, FindsWhatNanoflannFinds) {
  for (const auto& kind : {test::CloudKind{"uniform", test::uniform}, {"clusters", test::clusters}}) {
    const Points data = test::to_points(kind.make(60000, 3, 25), 3),
                 queries = test::to_points(kind.make(5000, 3, 26), 3);
    const auto result = search(data, queries, options_of(8));
    const Accuracy accuracy = measure_accuracy(data, queries, result.neighbors, {});
    EXPECT_EQ(accuracy.judged, 5000);
    EXPECT_EQ(accuracy.recall, 1.0) << kind.name;
    EXPECT_EQ(accuracy.all_correct, 5000) << kind.name;
  }
}

void expect_definition(const test::Case& c, const SearchOptions& options) {
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors, want = test::plain_shifted_sort(prepared.problem);
  EXPECT_EQ(got.queries, want.queries) << c.name;
  EXPECT_EQ(got.ids, want.ids) << c.name << " k=" << options.k;
  EXPECT_EQ(got.distances, want.distances) << c.name << " k=" << options.k;
}

/// Queries as they come in practice: the next frame of a moving scanner, far ones, and some all over the box.
std::vector<test::Case> cases_beside_the_data(std::int64_t n, std::int64_t m, int d, std::uint64_t seed) {
  std::vector<test::Case> all;
  test::Random random(seed);
  for (const auto& kind : test::all_clouds()) {
    if (kind.name == "huge") continue;  // as are queries beside it, which would not be float32s
    const test::Coordinates data = kind.make(n, d, seed);
    float extent = 0;
    for (const float x : data) extent = std::max(extent, std::abs(x - data[0]));
    const auto add = [&](const std::string& name, const auto& coordinate) {
      all.push_back({kind.name + ", queries " + name, test::to_points(data, d),
                     test::to_points(test::make_cloud(m, d, coordinate), d)});
    };
    for (const double offset : {0.001, 0.03, 1.0, 100.0}) {
      const auto beside = [&](std::int64_t i, int a) {
        return data[i * d + a] + (a == d - 1 ? offset : 0.3 * offset) * extent;
      };
      add("beside by " + std::to_string(offset), beside);
    }
    add("in the box", [&](auto, int a) { return data[a] + (2 * random.uniform() - 1) * extent; });
  }
  return all;
}

TEST(CpuBackend, FollowsTheDefinitionForQueriesBesideTheData) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 2, 8, 16, 31})
      for (const auto& c : cases_beside_the_data(2000, 40, d, 19))
        expect_definition(c, options_of(k, Method::shifted_sort));
}

/// The squares of their distances are infinite in float32, but they are neighbours all the same.
TEST(CpuBackend, FollowsTheDefinitionForQueriesWhoseSquaresOverflow) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 32})
      for (test::Case c : test::cases(300, 40, d, 63, test::tied_clouds())) {
        if (!c.queries) continue;
        auto& x = std::get<Array<float>>(c.queries->coordinates);
        for (std::size_t i = 0; i < x.size(); i += 5) x[i] = 1e30f;
        SearchOptions options = options_of(k, Method::shifted_sort);
        options.window = 2 * k + 3;
        expect_definition(c, options);
      }
}

/// Queries of many chunks, which threads take in any order, on every vector target; fuzz/search has few, and all lists.
class Levels : public testing::TestWithParam<cpu::VectorTarget> {};

TEST_P(Levels, GiveTheSameBytesOnAnyNumberOfThreads) {
  auto all = test::cases(40000, 3000, 3, 24, test::tied_clouds());
  std::ranges::move(test::float64_cases(10000, 2000, 3, 24), std::back_inserter(all));
  for (const Method method : {Method::shifted_sort, Method::exact})
    for (const auto& c : all) {
      const auto solve_on = [&](cpu::VectorTarget target, int threads) {
        const cpu::VectorTargetScope scope(target);
        SearchOptions options = options_of(8, method);
        options.threads = threads;
        return cpu::solve(c.prepare(options).problem).neighbors;
      };
      const Neighbors want = solve_on(cpu::VectorTarget::scalar, 1);
      for (const int threads : {2, 16}) {
        const Neighbors got = solve_on(GetParam(), threads);
        ASSERT_EQ(got.ids, want.ids) << c.name << " threads=" << threads;
        ASSERT_EQ(got.distances, want.distances) << c.name << " threads=" << threads;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(, Levels, testing::ValuesIn(cpu::vector_targets()), cpu::vector_target_name);

}  // namespace
}  // namespace kann
