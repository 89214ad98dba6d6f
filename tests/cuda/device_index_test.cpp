// An index over data on a device gives the rows of brute force, byte for byte, and has the survey and the frame of data
// in host memory.
#include "kann/device_index.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_index.hpp"
#include "cuda/on_device.hpp"
#include "cuda/same_bytes.hpp"
#include "cuda/thinned_out.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

using test::brute_force, test::CloudOnDevice, test::rows_of, test::same_bytes, test::with_invalid;

/// Queries of the other type are float64 queries of float32 data, and the reverse; searches of both kinds share an
/// index.
void expect_rows_of_brute_force(const test::Case& c, const std::vector<std::int64_t>& ks) {
  if (test::thinned_out()) return;
  test::Device device;
  const CloudOnDevice data(device, c.data);
  std::optional<CloudOnDevice> queries;
  if (c.queries) queries.emplace(device, *c.queries);
  const DeviceIndex index(data.view(), {.stream = device.stream(), .invalid = InvalidPoints::skip});
  EXPECT_EQ(index.size(), c.data.size());
  EXPECT_EQ(index.dimensions(), c.data.dimensions);
  for (const std::int64_t k : ks) {
    const Neighbors want = brute_force(c, k);
    const Neighbors got =
        rows_of(device, index, queries ? std::optional<PointsView>(queries->view()) : std::nullopt, k);
    const std::string what = c.name + " k=" + std::to_string(k) + ": " + test::first_difference(got, want);
    ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what;
    ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what;
  }
}

Neighbors cpu_rows(const test::Case& c, std::int64_t k) {
  const problem::Prepared prepared = c.prepare(test::exact(k));
  return cpu::solve(prepared.problem).neighbors;
}

class CudaDeviceIndex : public test::GpuTest {};

TEST_F(CudaDeviceIndex, GivesTheRowsOfBruteForce) {
  for (const int d : {2, 3})
    for (const test::Case& c : test::cases(900, 400, d, 17))
      ASSERT_NO_FATAL_FAILURE(expect_rows_of_brute_force(c, {1, 8, 33}));
}

TEST_F(CudaDeviceIndex, GivesThemAtAllSizes) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1023, 1025})
      for (const test::Case& c : test::cases(n, n / 2 + 3, d, 19, test::tied_clouds()))
        ASSERT_NO_FATAL_FAILURE(expect_rows_of_brute_force(c, {8}));
}

TEST_F(CudaDeviceIndex, SearchesEvenDataInCells) {
  const Points data = test::to_points(test::uniform(70000, 3, 20), 3);
  for (const test::Case& c : {test::Case{"even", data, test::to_points(test::uniform(60001, 3, 21), 3)},
                              test::Case{"even, self", data, std::nullopt}}) {
    test::Device device;
    const CloudOnDevice d_data(device, c.data);
    std::optional<CloudOnDevice> queries;
    if (c.queries) queries.emplace(device, *c.queries);
    const DeviceIndex index(d_data.view(), {.stream = device.stream()});
    for (const std::int64_t k : {8, 33, 3}) {
      const auto asked = queries ? std::optional<PointsView>(queries->view()) : std::nullopt;
      const Neighbors got = rows_of(device, index, asked, k), want = cpu_rows(c, k);
      ASSERT_TRUE(same_bytes(got.ids, want.ids)) << c.name << ": " << test::first_difference(got, want);
      ASSERT_TRUE(same_bytes(got.distances, want.distances)) << c.name;
    }
  }
}

TEST_F(CudaDeviceIndex, TakesFloat64) {
  for (const int d : {2, 3})
    for (const test::Case& c : test::float64_cases(500, 300, d, 23))
      ASSERT_NO_FATAL_FAILURE(expect_rows_of_brute_force(c, {1, 8, 40}));
}

/// Row numbers stay; invalid queries have missing neighbours, and invalid data are none.
TEST_F(CudaDeviceIndex, SkipsInvalidPoints) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 2, 9, 300, 5000}) {
      std::vector<test::Case> all = test::cases(n, 50, d, 29, test::tied_clouds());
      if (n == 300) {
        const auto doubles = test::float64_cases(n, 50, d, 29);
        all.insert(all.end(), doubles.begin(), doubles.end());
      }
      for (test::Case& c : all) {
        if (n == 5000 && !c.queries) continue;
        c.data = with_invalid(std::move(c.data));
        if (c.queries) c.queries = with_invalid(std::move(*c.queries));
        ASSERT_NO_FATAL_FAILURE(expect_rows_of_brute_force(c, {8}));
      }
    }
}

std::vector<Points> clouds_of_many_kinds(std::int64_t n) {
  std::vector<Points> all;
  for (const int d : {2, 3}) {
    for (const auto& kind : test::all_clouds()) all.push_back(test::to_points(kind.make(n, d, 31), d));
    for (const auto& kind : test::float64_clouds()) all.push_back(test::to_points(kind.make(n, d, 31), d));
  }
  return all;
}

TEST_F(CudaDeviceIndex, HasTheSurveyAndTheFrameOfDataOnTheHost) {
  for (const std::int64_t n : {0, 1, 5, 300, 9000})
    for (const Points& whole : clouds_of_many_kinds(n))
      for (const bool some_are_invalid : {false, true}) {
        if (test::thinned_out()) continue;
        const Points cloud = some_are_invalid ? with_invalid(whole) : whole;
        test::Device device;
        const CloudOnDevice data(device, cloud);
        const cuda::DeviceIndex index(data.view(), {.invalid = InvalidPoints::skip});
        const problem::SurveyedData& got = index.data();
        const problem::PreparedData want(cloud, "data", InvalidPoints::skip, 1);
        ASSERT_EQ(got.survey.valid, want.survey.valid);
        ASSERT_EQ(got.survey.invalid, want.survey.invalid);
        ASSERT_EQ(got.survey.first_invalid, want.survey.first_invalid);
        ASSERT_EQ(got.survey.exact, want.survey.exact);
        ASSERT_EQ(got.survey.box.lo, want.survey.box.lo);
        ASSERT_EQ(got.survey.box.hi, want.survey.box.hi);
        ASSERT_EQ(got.frame.origin, want.frame.origin);
        ASSERT_EQ(got.frame.scale, want.frame.scale);
        ASSERT_EQ(got.box.lo, want.box.lo);
        ASSERT_EQ(got.box.hi, want.box.hi);
        ASSERT_EQ(got.grid.inv, want.grid.inv);
        for (int a = 0; a < 3; ++a) ASSERT_EQ(got.grid.lo[a], want.grid.lo[a]);
      }
}

}  // namespace
}  // namespace kann
