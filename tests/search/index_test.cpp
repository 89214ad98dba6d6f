// kann::Index gives the bytes of kann::search(), however often, in whatever order and by however many threads it is
// asked.
#include "kann/index.hpp"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "clouds.hpp"
#include "refusal.hpp"

namespace kann {
namespace {

SearchOptions on_cpu(std::int64_t k, Method method = Method::exact, std::optional<int> shifts = {}) {
  SearchOptions options;
  options.k = k;
  options.method = method;
  options.shifts = shifts;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  return options;
}

/// Short and long lists, both methods, other shifts, the sky and boxes; each needs another part of the index, or the
/// same.
std::vector<SearchOptions> questions(int dimensions = 3) {
  std::vector<SearchOptions> all;
  for (const std::int64_t k : {1, 8, 40})
    for (const Method method : {Method::shifted_sort, Method::exact})
      if (method == Method::exact || k <= k_max_shifted_k) all.push_back(on_cpu(k, method));
  all.push_back(on_cpu(8, Method::shifted_sort, 5));
  all.push_back(on_cpu(8, Method::shifted_sort, 1));
  all.back().window = 9;
  for (const Images images : {Images::nearest, Images::all}) {
    all.push_back(on_cpu(8));
    all.back().periodic = std::vector<double>(static_cast<std::size_t>(dimensions), .5);
    all.back().images = images;
  }
  if (dimensions == 2) all.push_back(on_cpu(8));
  if (dimensions == 2) all.back().sky = AngleUnit::m;
  return all;
}

void expect_same(const SearchResult& got, const SearchResult& want, const std::string& what) {
  ASSERT_EQ(got.neighbors.ids, want.neighbors.ids) << what;
  ASSERT_EQ(got.neighbors.distances, want.neighbors.distances) << what;
  EXPECT_EQ(got.report.sample.recall, want.report.sample.recall) << what;
  EXPECT_EQ(got.report.warnings, want.report.warnings) << what;
  EXPECT_EQ(got.report.data_points, want.report.data_points) << what;
  EXPECT_EQ(got.report.query_points, want.report.query_points) << what;
}

/// All questions, some of them again: with more queries than data, float64 queries of float32 data, which are rounded,
/// the other way round, and the data themselves.
TEST(Index, GivesTheBytesOfSearch) {
  for (const int d : {2, 3}) {
    const Points floats = test::to_points(test::lattice(300, d, 1), d), none{d, Array<float>()};
    const Points many = test::to_points(test::uniform(5000, d, 2), d);
    Array<double> third;
    for (const float x : test::uniform(500, d, 3)) third.push_back(x / 3.0);
    const Points doubles{d, third};
    for (const Points* const data : {&floats, &many, &doubles, &none}) {
      const Index index(*data);
      EXPECT_EQ(index.size(), data->size());
      EXPECT_EQ(index.dimensions(), d);
      for (const SearchOptions& options : questions(d)) {
        for (const Points* const queries : {&doubles, &floats, &many, &doubles})
          expect_same(index.search(*queries, options), search(*data, *queries, options), "another kind");
        expect_same(index.search_self(options), search_self(*data, options), "itself");
      }
    }
  }
}

/// Some ask from float32, others from float64, which needs more of the same index.
TEST(Index, AnswersManyThreadsAtOnce) {
  const Points data = test::to_points(test::uniform(3000, 3, 1), 3),
               floats = test::to_points(test::uniform(700, 3, 2), 3), thirds{3, Array<double>(2100, 1. / 3)};
  const auto asked = [&](std::size_t t) -> const Points& { return t % 2 ? thirds : floats; };
  const auto all = questions();
  std::vector<SearchResult> want[2];
  for (const std::size_t t : {0, 1})
    for (const SearchOptions& options : all) want[t].push_back(search(data, asked(t), options));
  const Index index(data);
  std::vector<std::vector<SearchResult>> got(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < all.size(); ++i) got[t].push_back(index.search(asked(t), all[(i + t) % all.size()]));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < got.size(); ++t)
    for (std::size_t i = 0; i < all.size(); ++i)
      expect_same(got[t][i], want[t % 2][(i + t) % all.size()], "thread " + std::to_string(t));
}

/// Invalid points of the data are the index's, those of the queries the search's to refuse or to skip.
TEST(Index, RefusesOrSkipsInvalidPoints) {
  const Points valid = test::to_points(test::uniform(50, 3, 1), 3);
  Points invalid = valid;
  std::get<Array<float>>(invalid.coordinates)[30] = std::numeric_limits<float>::quiet_NaN();
  const auto message = [](auto f) { return test::refusal_of(ErrorKind::bad_input, f); };
  const std::string what = ": 1 of 50 points have NaN or infinite coordinates (first: 10); use --invalid skip";
  EXPECT_EQ(message([&] { Index(invalid, {.data_name = "map.ply"}); }), "map.ply" + what);
  const Index skipping(invalid, {.invalid = InvalidPoints::skip});
  auto skips = on_cpu(3);
  skips.invalid = InvalidPoints::skip;
  expect_same(skipping.search(valid, skips), search(invalid, valid, skips), "skipped data");
  expect_same(skipping.search_self(skips), search_self(invalid, skips), "skipped data, self-query");
  const Index index(valid);
  EXPECT_EQ(message([&] { index.search(invalid, on_cpu(3)); }), "query" + what);
  expect_same(index.search(invalid, skips), search(valid, invalid, skips), "skipped queries");
}

TEST(Index, RefusesQueriesOfOtherDimensions) {
  const Points flat = test::to_points(test::uniform(9, 2, 1), 2), solid = test::to_points(test::uniform(9, 3, 1), 3);
  const Index index(solid, {.data_name = "map.ply"});
  EXPECT_EQ(test::refusal_of(ErrorKind::bad_input, [&] { index.search(flat, on_cpu(1)); }),
            "query: points have 2 coordinates (map.ply has 3); --columns x,y takes two of both");
}

}  // namespace
}  // namespace kann
