// An index on a device gives the bytes of a search without one, however often and by however many threads it is asked,
// with queries and results in host memory or on the device.
#include "kann/index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "kann/error.hpp"

#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "cuda/thinned_out.hpp"
#include "float64_clouds.hpp"
#include "search/search.hpp"

namespace kann {
namespace {

using test::exact, test::shifted, test::same_bytes;

SearchOptions on(DeviceKind kind, SearchOptions options) {
  options.device.kind = kind;
  return options;
}

/// Short and long lists, both methods, other shifts, and what keeps no orders.
std::vector<SearchOptions> questions() {
  std::vector<SearchOptions> all = {shifted(8), exact(8), exact(1), shifted(32), exact(40), shifted(5), shifted(5)};
  all[4].include_self = true;
  all[5].shifts = 1;
  all[6].shifts = 5;
  return all;
}

Neighbors want_of(const test::Case& c, const SearchOptions& options) {
  const SearchOptions on_cpu = on(DeviceKind::cpu, options);
  return (c.queries ? search(c.data, *c.queries, on_cpu) : search_self(c.data, on_cpu)).neighbors;
}

void expect_same(const Neighbors& got, const Neighbors& want, const std::string& what) {
  ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what << ": " << test::first_difference(got, want);
  ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what << ": " << test::first_difference(got, want);
}

class CudaIndex : public test::GpuTest {};

TEST_F(CudaIndex, GivesTheBytesOfSearch) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 9, 1500}) {
      const auto cases = test::cases(n, n / 2 + 3, d, 7);
      for (std::size_t c = 0; c + 1 < cases.size(); c += 2) {  // of the same data: its queries, then itself
        if (test::thinned_out()) continue;
        const Index index(cases[c].data);
        for (const SearchOptions& options : questions())
          for (const std::size_t i : {c, c + 1, c}) {
            const SearchOptions asked = on(DeviceKind::cuda, options);
            const auto got = cases[i].queries ? index.search(*cases[i].queries, asked) : index.search_self(asked);
            EXPECT_EQ(got.report.device.kind, DeviceKind::cuda);
            ASSERT_NO_FATAL_FAILURE(expect_same(got.neighbors, want_of(cases[i], options),
                                                cases[i].name + " k=" + std::to_string(options.k)));
          }
      }
    }
}

TEST_F(CudaIndex, GivesTheBytesOfSearchInFloat64) {
  const Points data = test::to_points(test::uniform(2000, 3, 1), 3);
  for (const auto& kind : test::float64_clouds()) {
    if (test::thinned_out()) continue;
    const Points cloud = test::to_points(kind.make(1000, 3, 3), 3);
    const Index floats(data), doubles(cloud);
    for (const SearchOptions& options : questions()) {
      const SearchOptions asked = on(DeviceKind::cuda, options);
      // Float32 queries of float32 data, then float64 ones, which need the data as given, too
      for (const Points* queries : {&data, &cloud, &data}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(floats.search(*queries, asked).neighbors,
                                            want_of({kind.name, data, *queries}, options), kind.name));
        ASSERT_NO_FATAL_FAILURE(expect_same(doubles.search(*queries, asked).neighbors,
                                            want_of({kind.name, cloud, *queries}, options), kind.name));
      }
    }
  }
}

/// Even data, which are searched in cells, and queries: as many, few, some that are beside the data, and the data.
std::vector<test::Case> even_cases(int d, bool is_float32) {
  const auto points = [&](const test::Coordinates& from) {
    if (is_float32) return test::to_points(from, d);
    Array<double> moved;
    for (const float x : from) moved.push_back(1000 + x / 3.0);
    return Points{d, std::move(moved)};
  };
  const Points data = points(test::uniform(70000, d, 41));
  auto beside = test::uniform(20000, d, 44);
  for (std::size_t i = 0; i < beside.size(); i += 50) beside[i] += 3;
  std::vector<test::Case> all;
  for (const auto& queries : {test::uniform(60000, d, 42), test::uniform(500, d, 43), beside})
    all.push_back({"even d=" + std::to_string(d), data, points(queries)});
  all.push_back({"even, self d=" + std::to_string(d), data, std::nullopt});
  return all;
}

TEST_F(CudaIndex, SearchesInCells) {
  for (const int d : {2, 3})
    for (const bool is_float32 : {true, false}) {
      const auto cases = even_cases(d, is_float32);
      const Index index(cases[0].data);
      for (const std::int64_t k : {8, 5, 40, 8})
        for (const test::Case& c : cases) {
          const SearchOptions asked = on(DeviceKind::cuda, exact(k));
          const auto got = c.queries ? index.search(*c.queries, asked) : index.search_self(asked);
          ASSERT_NO_FATAL_FAILURE(expect_same(got.neighbors, want_of(c, exact(k)), c.name + " k=" + std::to_string(k)));
        }
    }
}

/// All rows that come in parts, of some at a time, put together.
Neighbors in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first, std::int64_t count,
                   const SearchOptions& options, std::int64_t at_once) {
  Neighbors all;
  all.k = options.k;
  const auto take = [&](std::int64_t begin, Neighbors& rows) {
    EXPECT_EQ(begin, all.queries);
    EXPECT_LE(rows.queries, at_once);
    all.queries += rows.queries;
    all.ids.insert(all.ids.end(), rows.ids.begin(), rows.ids.end());
    all.distances.insert(all.distances.end(), rows.distances.begin(), rows.distances.end());
    rows.ids[0] = 77;  // it may be changed
  };
  EXPECT_EQ(detail::search_in_parts(index, queries, first, count, options, {at_once, take}).neighbors.queries, 0);
  return all;
}

TEST_F(CudaIndex, GivesItsRowsInParts) {
  const auto cases = test::cases(700, 300, 3, 11);
  for (std::size_t c = 0; c + 1 < cases.size(); c += 2)
    for (SearchOptions options : {exact(8), exact(1), shifted(8), exact(40)}) {
      if (test::thinned_out()) continue;
      options = on(DeviceKind::cuda, options);
      const Points &data = cases[c].data, &queries = *cases[c].queries;
      const Index index(data);
      const Neighbors want = index.search(queries, options).neighbors;
      const Neighbors want_self = index.search_self(exact(options.k)).neighbors;
      for (const std::int64_t at_once : {1, 7, 300, 5000}) {
        const auto n = PointsView(data).size();
        SCOPED_TRACE(cases[c].name + " " + std::to_string(at_once));
        expect_same(in_parts(index, PointsView(queries), 0, 0, options, at_once), want, "queries");
        expect_same(in_parts(index, std::nullopt, 0, n, on(DeviceKind::cuda, exact(options.k)), at_once), want_self,
                    "self");
        const std::int64_t first = n / 3, count = n / 2;
        const Neighbors some =
            in_parts(index, std::nullopt, first, count, on(DeviceKind::cuda, exact(options.k)), at_once);
        const auto begin = static_cast<std::size_t>(first * options.k);
        EXPECT_TRUE(std::ranges::equal(some.ids, std::span(want_self.ids).subspan(begin, some.ids.size())));
        EXPECT_TRUE(std::ranges::equal(some.distances, std::span(want_self.distances).subspan(begin, some.ids.size())));
      }
    }
}

TEST_F(CudaIndex, MayBeAskedByManyThreads) {
  const auto cases = test::cases(3000, 500, 3, 5);
  const Index index(cases[0].data);
  std::vector<Neighbors> want;
  for (const SearchOptions& options : questions()) want.push_back(want_of(cases[0], options));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < want.size(); ++i) {
        const std::size_t q = (i + static_cast<std::size_t>(t)) % want.size();
        const Neighbors got = index.search(*cases[0].queries, on(DeviceKind::cuda, questions()[q])).neighbors;
        wrong += !same_bytes(got.ids, want[q].ids) || !same_bytes(got.distances, want[q].distances);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Queries and results on the device.
class CudaIndexOnStream : public test::GpuTest {
 protected:
  template <class T>
  static std::vector<T> row_major(const Points& points) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (int a = 0; a < points.dimensions; ++a) values.push_back(static_cast<T>(points.at(i, a)));
    return values;
  }

  /// What is queued with the queries as T, once it is done. The results begin `skipped` values after an allocation.
  template <class T>
  Neighbors queued(const Index& index, const std::vector<T>& queries, std::int64_t k, std::int64_t skipped = 0) {
    test::Device device;
    const std::int64_t m = static_cast<std::int64_t>(queries.size()) / index.dimensions();
    const auto d_queries = device.upload(queries);
    const auto d_ids = device.poisoned<std::int32_t>(m * k + skipped);
    const auto d_distances = device.poisoned<float>(m * k + skipped);
    const PointsView view(index.dimensions(), std::span<const T>(d_queries.data(), queries.size()));
    index.queue_search(view, {d_ids.data() + skipped, d_distances.data() + skipped}, {k, device.stream()});
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);
    return {m, k, {ids.begin() + skipped, ids.end()}, {distances.begin() + skipped, distances.end()}};
  }
};

TEST_F(CudaIndexOnStream, GivesTheBytesOfTheExactSearch) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 9, 1500})
      for (const auto& c : test::cases(n, n / 2 + 3, d, 9)) {
        if (!c.queries || test::thinned_out()) continue;
        const Index index(c.data);
        for (const std::int64_t k : {1, 8, 33})
          for (int repeat = 0; repeat < 2; ++repeat)
            ASSERT_NO_FATAL_FAILURE(expect_same(queued(index, row_major<float>(*c.queries), k), want_of(c, exact(k)),
                                                c.name + " k=" + std::to_string(k)));
      }
}

TEST_F(CudaIndexOnStream, SearchesInCells) {
  for (const int d : {2, 3}) {
    const auto cases = even_cases(d, true), doubles = even_cases(d, false);
    const Index index(cases[0].data), index_of_doubles(doubles[0].data);
    for (const std::int64_t k : {8, 5, 40, 17})
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string what = cases[i].name + " k=" + std::to_string(k);
        ASSERT_NO_FATAL_FAILURE(
            expect_same(queued(index, row_major<float>(*cases[i].queries), k), want_of(cases[i], exact(k)), what));
        ASSERT_NO_FATAL_FAILURE(expect_same(queued(index_of_doubles, row_major<double>(*doubles[i].queries), k),
                                            want_of(doubles[i], exact(k)), what));
      }
  }
}

TEST_F(CudaIndexOnStream, WritesToAnyAddress) {
  const auto small = test::cases(900, 400, 3, 9).front(), even = even_cases(3, true).front();
  for (const test::Case& c : {small, even}) {
    const Index index(c.data);
    for (const std::int64_t k : {3, 8, 10, 17})
      for (const std::int64_t skipped : {1, 2, 4, 7})
        ASSERT_NO_FATAL_FAILURE(expect_same(queued(index, row_major<float>(*c.queries), k, skipped),
                                            want_of(c, exact(k)), c.name + " k=" + std::to_string(k)));
  }
}

TEST_F(CudaIndexOnStream, TakesFloat64QueriesAndData) {
  const Points data = test::to_points(test::uniform(2000, 3, 1), 3);
  for (const auto& kind : test::float64_clouds()) {
    if (test::thinned_out()) continue;
    const Points cloud = test::to_points(kind.make(1000, 3, 4), 3);
    const Index floats(data), doubles(cloud);
    const auto queries = row_major<double>(cloud);
    ASSERT_NO_FATAL_FAILURE(expect_same(queued(floats, queries, 8), want_of({"", data, cloud}, exact(8)), kind.name));
    ASSERT_NO_FATAL_FAILURE(expect_same(queued(doubles, queries, 8), want_of({"", cloud, cloud}, exact(8)), kind.name));
    ASSERT_NO_FATAL_FAILURE(
        expect_same(queued(doubles, row_major<float>(data), 8), want_of({"", cloud, data}, exact(8)), kind.name));
  }
}

/// As `InvalidPoints::skip` says: row numbers stay, such queries have missing neighbours, such data are none.
TEST_F(CudaIndexOnStream, SkipsInvalidQueriesAndData) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  auto data = test::uniform(1000, 3, 11);
  auto queries = row_major<float>(test::to_points(test::uniform(300, 3, 12), 3));
  for (std::size_t i = 0; i < 1000; i += 7) data[3 * i + i % 3] = i % 2 ? inf : nan;
  for (std::size_t i = 0; i < 300; i += 5) queries[3 * i + i % 3] = i % 2 ? -inf : nan;
  const Points cloud = test::to_points(data, 3);
  const Index index(cloud, {.invalid = InvalidPoints::skip});
  SearchOptions options = exact(8);
  options.invalid = InvalidPoints::skip;
  const Points asked{3, Array<float>(queries.begin(), queries.end())};
  ASSERT_NO_FATAL_FAILURE(expect_same(queued(index, queries, 8), want_of({"", cloud, asked}, options), "skipped"));
  const std::vector<double> far = {1e300, 0, 0};
  const Neighbors missing = queued(index, far, 2);
  EXPECT_EQ(missing.ids, (Array<std::int32_t>{-1, -1}));
  EXPECT_TRUE(std::isinf(missing.distances[0]) && std::isinf(missing.distances[1]));
}

/// The stream is held up by a function on the host: a call that waited for it would never return.
TEST_F(CudaIndexOnStream, DoesNotWait) {
  for (const test::Case& c : {test::cases(5000, 3000, 3, 13).front(), even_cases(3, true).front()}) {
    const Index index(c.data);
    const auto queries = row_major<float>(*c.queries);
    queued(index, queries, 8);  // the first search orders the data, and waits for that
    test::Device device;
    const auto d_queries = device.upload(queries);
    const std::int64_t values = PointsView(*c.queries).size() * 8;
    const auto d_ids = device.poisoned<std::int32_t>(values);
    const auto d_distances = device.poisoned<float>(values);
    std::atomic<bool> is_released = false;
    cuda::check(cudaLaunchHostFunc(
                    device.stream(),
                    [](void* flag) {
                      while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                    },
                    &is_released),
                "cudaLaunchHostFunc");
    const PointsView view(3, std::span<const float>(d_queries.data(), queries.size()));
    index.queue_search(view, {d_ids.data(), d_distances.data()}, {8, device.stream()});
    EXPECT_EQ(cudaStreamQuery(device.stream()), cudaErrorNotReady);
    is_released = true;
    const auto ids = device.download(d_ids);
    EXPECT_EQ((Array<std::int32_t>(ids.begin(), ids.end())), want_of(c, exact(8)).ids);
  }
}

TEST_F(CudaIndexOnStream, RefusesWhatItCannotSearch) {
  const Points data = test::to_points(test::uniform(100, 3, 1), 3);
  const Index index(data);
  const auto refusal = [&](int dimensions, std::int64_t k, int device) {
    try {
      const std::vector<float> none;
      index.queue_search(PointsView(dimensions, std::span<const float>(none)), {}, {k, nullptr, device});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("queued");
  };
  EXPECT_EQ(refusal(3, 8, 0), "queued");
  EXPECT_EQ(refusal(2, 8, 0), "queries: points have 2 coordinates (data has 3)");
  EXPECT_EQ(refusal(3, 0, 0), "--k expects a whole number of at least 1, got '0'");
  EXPECT_EQ(refusal(3, 8, 200).substr(0, 38), "no CUDA device (cuda:200 does not exis");
}

}  // namespace
}  // namespace kann
