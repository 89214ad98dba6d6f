// All neighbours within a radius on a device have the bytes of the CPU: with an index and without, all rows at once and
// some after others.
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kann/index.hpp"
#include "kann/radius.hpp"

#include "cuda/exact/index.hpp"
#include "cuda/exact/neighbor_lists.hpp"
#include "cuda/search_context.hpp"
#include "cuda/searches.hpp"
#include "float64_clouds.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

SearchOptions within(double radius, DeviceKind kind) {
  SearchOptions options;
  options.radius = radius;
  options.device.kind = kind;
  return options;
}

RadiusResult search_by_grid(const Case& c, const SearchOptions& options) {
  return c.queries ? search_radius(c.data, *c.queries, options) : search_radius_self(c.data, options);
}

/// Radii with few and with many neighbours: distances that occur in the case, to the last bit.
std::vector<double> radii_of(const Case& c) {
  std::vector<double> radii{0, 1e-300, 1e300};
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  options.method = Method::exact;
  options.k = 40;
  const Neighbors rows = (c.queries ? search(c.data, *c.queries, options) : search_self(c.data, options)).neighbors;
  for (std::size_t i = 3; i < rows.distances.size(); i += rows.distances.size() / 4 + 1)
    if (rows.distances[i] < k_infinity) radii.push_back(rows.distances[i]);
  return radii;
}

/// Lists, by an index and without, and counts alone.
void expect_bytes_of_cpu(const Case& c, const std::vector<double>& radii) {
  if (thinned_out()) return;
  const Index index(c.data);
  Device device;
  const CloudOnDevice d_data(device, c.data);
  const DeviceIndex on_device(d_data.view());
  std::optional<CloudOnDevice> d_queries;
  if (c.queries) d_queries.emplace(device, *c.queries);
  const auto asked = d_queries ? std::optional(d_queries->view()) : std::nullopt;
  for (const double radius : radii) {
    const std::string what = c.name + " R=" + std::to_string(radius);
    const SearchOptions options = within(radius, DeviceKind::cuda);
    const NeighborLists want = search_by_grid(c, within(radius, DeviceKind::cpu)).lists;
    const RadiusResult got = search_by_grid(c, options);
    ASSERT_EQ(got.report.device.kind, DeviceKind::cuda);
    ASSERT_NO_FATAL_FAILURE(expect_same_lists(got.lists, want, what));
    ASSERT_NO_FATAL_FAILURE(expect_lists(device, on_device, asked, radius, want, what + " on the device"));
    const auto by_index = c.queries ? index.search_radius(*c.queries, options) : index.search_radius_self(options);
    ASSERT_NO_FATAL_FAILURE(expect_same_lists(by_index.lists, want, what + " by an index"));
    const auto counted = c.queries ? count_radius(c.data, *c.queries, options) : count_radius_self(c.data, options);
    ASSERT_TRUE(same_bytes(counted.lists.begins, want.begins)) << what;
    ASSERT_TRUE(counted.lists.ids.empty());
  }
}

class CudaWithin : public GpuTest {};
class CudaWithinLarge : public GpuTest {};

TEST_F(CudaWithin, GivesTheBytesOfTheCpu) {
  for (const int d : {2, 3}) {
    for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 255, 256, 257, 2000})
      for (const Case& c : cases(n, n / 2 + 3, d, 41)) ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c, radii_of(c)));
    for (const Case& c : float64_cases(1000, 300, d, 42)) ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c, radii_of(c)));
  }
}

/// Rows and ids are those of the input.
TEST_F(CudaWithin, LeavesOutInvalidPointsOnTheDevice) {
  for (const Case& c : cases(1000, 300, 3, 47)) {
    if (thinned_out()) continue;
    const Points data = with_invalid(c.data);
    std::optional<Points> queries;
    if (c.queries) queries = with_invalid(*c.queries);
    Device device;
    const CloudOnDevice d_data(device, data);
    const DeviceIndex index(d_data.view(), {.invalid = InvalidPoints::skip});
    std::optional<CloudOnDevice> d_queries;
    if (queries) d_queries.emplace(device, *queries);
    for (const double radius : {0.0, .1, 10.0}) {
      SearchOptions options = within(radius, DeviceKind::cpu);
      options.invalid = InvalidPoints::skip;
      const NeighborLists want =
          (queries ? search_radius(data, *queries, options) : search_radius_self(data, options)).lists;
      ASSERT_NO_FATAL_FAILURE(expect_lists(device, index, d_queries ? std::optional(d_queries->view()) : std::nullopt,
                                           radius, want, c.name + " R=" + std::to_string(radius)));
    }
  }
}

TEST_F(CudaWithin, OnTheDeviceRefusesWrongRadii) {
  Device device;
  const CloudOnDevice data(device, to_points(uniform(10, 3, 1), 3));
  const DeviceIndex index(data.view());
  const auto d_begins = device.poisoned<std::int64_t>(11);
  for (const double radius : {-1.0, static_cast<double>(k_nan), static_cast<double>(k_infinity)}) {
    EXPECT_NE(refusal_of(ErrorKind::usage, [&] { index.queue_lists({}, {.begins = d_begins.data()}, radius); }), "");
    EXPECT_NE(refusal_of(ErrorKind::usage,
                         [&] {
                           index.queue_search_self({nullptr, nullptr}, 3, nullptr, radius);
                         }),
              "");
  }
}

/// Rows around the lengths at which another sort begins, and past all of them.
TEST_F(CudaWithin, SortsRowsOfEveryLength) {
  for (const std::int64_t n : {31, 32, 33, 34, 128, 129, 130, 512, 513, 514, 3000})
    for (const Case& c : cases(n, 5, 3, 43, {{"uniform", uniform}, {"identical", identical}}))
      ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c, {.5, 10}));
}

/// Where the rows do not fit in the device's memory together.
TEST_F(CudaWithin, FindsSomeRowsAfterOthers) {
  for (const Case& c : data_cases(3000, 3, 46)) {
    if (thinned_out()) continue;
    SearchOptions options = within(.1, DeviceKind::cpu);
    const NeighborLists want = search_radius_self(c.data, options).lists;
    options.method = Method::exact;
    problem::Prepared prepared = c.prepare(options);
    problem::Problem& p = prepared.problem;
    if (p.is_rounded()) continue;
    p.list_radius = .1;
    p.k = 0;
    p.most_listed = want.neighbors();
    const cuda::Memory memory;
    cuda::Workspace workspace(memory);
    cuda::SearchContext context(p, workspace);
    const cuda::exact::Index<float> index(context);
    const cuda::PointSequence queries{{nullptr, index.d_placed(), p.grid}, nullptr};
    cuda::exact::Search<float> search = index.search_for(context, queries, p.query_count);
    search.d_data_keys = nullptr;
    for (const std::int64_t most : {1, 1000, 100'000})
      ASSERT_NO_FATAL_FAILURE(expect_same_lists(cuda::exact::neighbor_lists(context, search, most), want,
                                                c.name + " most=" + std::to_string(most)));
    p.most_listed = want.neighbors() - 1;
    EXPECT_TRUE(cuda::exact::neighbor_lists(context, search).ids.empty()) << c.name;
  }
}

TEST_F(CudaWithinLarge, GivesTheBytesOfTheCpu) {
  for (const auto& kind : {CloudKind{"uniform", uniform}, {"clusters", clusters}}) {
    const Case c{kind.name, to_points(kind.make(1'000'000, 3, 48), 3), std::nullopt};
    ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c, {.02}));
  }
}

}  // namespace
}  // namespace kann::test
