// All neighbours within a radius on a device have the bytes of the CPU: in one go, some rows after others, by an index,
// and divided among devices.
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kann/index.hpp"
#include "kann/radius.hpp"

#include "cuda/exact/index.hpp"
#include "cuda/exact/neighbor_lists.hpp"
#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "cuda/search_context.hpp"
#include "cuda/thinned_out.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

using test::Case, test::same_bytes;

SearchOptions within(double radius, DeviceKind kind) {
  SearchOptions options;
  options.radius = radius;
  options.device.kind = kind;
  return options;
}

void expect_same(const NeighborLists& got, const NeighborLists& want, const std::string& what) {
  ASSERT_TRUE(same_bytes(got.begins, want.begins)) << what;
  ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what;
  ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what;
}

RadiusResult search_case(const Case& c, const SearchOptions& options) {
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
    if (rows.distances[i] < test::k_infinity) radii.push_back(rows.distances[i]);
  return radii;
}

void expect_bytes_of_cpu(const Case& c) {
  if (test::thinned_out()) return;
  for (const double radius : radii_of(c)) {
    const std::string what = c.name + " R=" + std::to_string(radius);
    const NeighborLists want = search_case(c, within(radius, DeviceKind::cpu)).lists;
    const RadiusResult got = search_case(c, within(radius, DeviceKind::cuda));
    ASSERT_EQ(got.report.device.kind, DeviceKind::cuda);
    ASSERT_NO_FATAL_FAILURE(expect_same(got.lists, want, what));
    const SearchOptions options = within(radius, DeviceKind::cuda);
    const NeighborLists counted =
        (c.queries ? count_radius(c.data, *c.queries, options) : count_radius_self(c.data, options)).lists;
    ASSERT_TRUE(same_bytes(counted.begins, want.begins)) << what;
    ASSERT_TRUE(counted.ids.empty());
  }
}

class CudaWithin : public test::GpuTest {};
class CudaWithinLarge : public test::GpuTest {};

TEST_F(CudaWithin, GivesTheBytesOfTheCpu) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 255, 256, 257, 2000})
      for (const Case& c : test::cases(n, n / 2 + 3, d, 41)) ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c));
}

TEST_F(CudaWithin, GivesTheBytesOfTheCpuInFloat64) {
  for (const int d : {2, 3})
    for (const Case& c : test::float64_cases(1000, 300, d, 42)) ASSERT_NO_FATAL_FAILURE(expect_bytes_of_cpu(c));
}

/// Rows around the lengths at which another sort begins, and past all of them.
TEST_F(CudaWithin, SortsRowsOfEveryLength) {
  for (const std::int64_t n : {31, 32, 33, 34, 128, 129, 130, 512, 513, 514, 3000})
    for (const Case& c : test::cases(n, 5, 3, 43, {{"uniform", test::uniform}, {"identical", test::identical}})) {
      if (test::thinned_out()) continue;
      for (const double radius : {.5, 10.0})
        ASSERT_NO_FATAL_FAILURE(expect_same(search_case(c, within(radius, DeviceKind::cuda)).lists,
                                            search_case(c, within(radius, DeviceKind::cpu)).lists, c.name));
    }
}

TEST_F(CudaWithin, AnIndexGivesTheSameBytes) {
  const Points data = test::to_points(test::clusters(5000, 3, 44), 3);
  const Index index(data);
  for (const Case& c : test::float64_cases(100, 700, 3, 45)) {
    if (test::thinned_out() || !c.queries) continue;
    const NeighborLists want = search_radius(data, *c.queries, within(.05, DeviceKind::cpu)).lists;
    ASSERT_NO_FATAL_FAILURE(
        expect_same(index.search_radius(*c.queries, within(.05, DeviceKind::cuda)).lists, want, c.name));
  }
  const NeighborLists want = search_radius_self(data, within(.05, DeviceKind::cpu)).lists;
  for (int i = 0; i < 2; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_same(index.search_radius_self(within(.05, DeviceKind::cuda)).lists, want, "self"));
}

/// Where the rows do not fit in the device's memory together.
TEST_F(CudaWithin, FindsSomeRowsAfterOthers) {
  for (const Case& c : test::data_cases(3000, 3, 46)) {
    if (test::thinned_out()) continue;
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
      ASSERT_NO_FATAL_FAILURE(expect_same(cuda::exact::neighbor_lists(context, search, most), want,
                                          c.name + " most=" + std::to_string(most)));
    p.most_listed = want.neighbors() - 1;
    EXPECT_TRUE(cuda::exact::neighbor_lists(context, search).ids.empty()) << c.name;
  }
}

TEST_F(CudaWithinLarge, GivesTheBytesOfTheCpu) {
  for (const auto& kind : {test::CloudKind{"uniform", test::uniform}, {"clusters", test::clusters}}) {
    const Case c{kind.name, test::to_points(kind.make(1'000'000, 3, 48), 3), std::nullopt};
    ASSERT_NO_FATAL_FAILURE(expect_same(search_case(c, within(.02, DeviceKind::cuda)).lists,
                                        search_case(c, within(.02, DeviceKind::cpu)).lists, c.name));
  }
}

}  // namespace
}  // namespace kann
