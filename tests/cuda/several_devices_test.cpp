// A search that is divided among devices gives the bytes of the CPU: among the one device, once and as two, and among
// all where there are more.
#include "search/devices/several_devices.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "cuda/thinned_out.hpp"
#include "float64_clouds.hpp"
#include "search/search.hpp"

namespace kann {
namespace {

using test::exact, test::shifted, test::paper, test::same_bytes;

std::vector<int> all_devices() {
  std::vector<int> all;
  for (int i = 0; i < cuda::device_count(); ++i) all.push_back(i);
  return all;
}

/// One device, one as two parts and as three, and all of them.
std::vector<std::vector<int>> divisions() {
  std::vector<std::vector<int>> all = {{0}, {0, 0}, {0, 0, 0}};
  if (cuda::device_count() > 1) all.push_back(all_devices());
  return all;
}

std::vector<detail::PartSolver> solvers(const std::vector<int>& devices, cuda::Index* first = nullptr) {
  std::vector<detail::PartSolver> all;
  for (const int device : devices)
    all.push_back(
        {"cuda:" + std::to_string(device), 1.0 + static_cast<double>(all.size()), [=](const problem::Problem& part) {
           return first && device == 0 ? first->solve(part) : cuda::solve(part, device);
         }});
  return all;
}

void expect_same(const problem::Answer& got, const problem::Answer& want, const std::string& what) {
  ASSERT_TRUE(same_bytes(got.neighbors.ids, want.neighbors.ids))
      << what << ": " << test::first_difference(got.neighbors, want.neighbors);
  ASSERT_TRUE(same_bytes(got.neighbors.distances, want.neighbors.distances))
      << what << ": " << test::first_difference(got.neighbors, want.neighbors);
}

class CudaSeveralDevices : public test::GpuTest {};
class CudaSeveralDevicesLarge : public test::GpuTest {};

TEST_F(CudaSeveralDevices, GiveTheBytesOfTheCpu) {
  std::vector<SearchOptions> questions = {shifted(8), exact(8), exact(1), shifted(32), exact(40)};
  questions.push_back(shifted(5));
  questions.back().shifts = 5;
  questions.push_back(exact(4));
  questions.back().include_self = true;
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 9, 1500})
      for (const auto& c : test::cases(n, n / 2 + 3, d, 41))
        for (const SearchOptions& options : questions) {
          if (test::thinned_out()) continue;
          const problem::Prepared prepared = c.prepare(options);
          const problem::Answer want = cpu::solve(prepared.problem);
          for (const auto& devices : divisions())
            ASSERT_NO_FATAL_FAILURE(
                expect_same(detail::solve_divided(prepared.problem, solvers(devices)), want,
                            c.name + " k=" + std::to_string(options.k) + " by " + std::to_string(devices.size())));
        }
}

TEST_F(CudaSeveralDevices, GiveThemOnCloudsThatFloat32DoesNotHold) {
  for (const int d : {2, 3})
    for (const auto& c : test::float64_cases(900, 400, d, 42))
      for (const SearchOptions& options : {shifted(8), exact(8), exact(40)}) {
        if (test::thinned_out()) continue;
        const problem::Prepared prepared = c.prepare(options);
        const problem::Answer want = cpu::solve(prepared.problem);
        for (const auto& devices : divisions())
          ASSERT_NO_FATAL_FAILURE(expect_same(detail::solve_divided(prepared.problem, solvers(devices)), want, c.name));
      }
}

TEST_F(CudaSeveralDevices, GiveThemByThePipelineOfThePaper) {
  for (const auto& c : test::cases(1200, 500, 3, 43)) {
    if (test::thinned_out()) continue;
    const problem::Prepared prepared = c.prepare(paper(8));
    const problem::Answer want = cuda::solve(prepared.problem, 0);
    for (const auto& devices : divisions())
      ASSERT_NO_FATAL_FAILURE(expect_same(detail::solve_divided(prepared.problem, solvers(devices)), want, c.name));
  }
}

TEST_F(CudaSeveralDevices, GiveThemWithDataThatStayOnTheDevice) {
  for (const auto& c : test::cases(1500, 700, 3, 44))
    for (const SearchOptions& options : {shifted(8), exact(8)}) {
      if (test::thinned_out()) continue;
      const problem::Prepared prepared = c.prepare(options);
      const problem::Answer want = cpu::solve(prepared.problem);
      cuda::Index index(0);
      for (const auto& devices : divisions())
        ASSERT_NO_FATAL_FAILURE(
            expect_same(detail::solve_divided(prepared.problem, solvers(devices, &index)), want, c.name));
    }
}

/// The whole search, whose rows are taken in parts.
TEST_F(CudaSeveralDevicesLarge, RowsArriveInOrder) {
  constexpr std::int64_t queries = 10'000'000, at_once = 1'000'000;
  const Points data = test::to_points(test::uniform(100'000, 3, 1), 3);
  const Points asked = test::to_points(test::uniform(queries, 3, 2), 3);
  SearchOptions options;
  options.device.kind = DeviceKind::cuda;
  const SearchResult want = search(data, asked, options);
  EXPECT_TRUE(want.report.devices.empty());

  options.device.others = {cuda::device_count() > 1 ? 1 : 0};
  const Index index(data);
  std::int64_t next = 0;
  const auto take = [&](std::int64_t first, Neighbors& rows) {
    ASSERT_EQ(first, next);
    ASSERT_LE(rows.queries, at_once / 2);
    const auto begin = static_cast<std::size_t>(first * rows.k),
               values = static_cast<std::size_t>(rows.queries * rows.k);
    ASSERT_TRUE(std::ranges::equal(rows.ids, std::span(want.neighbors.ids).subspan(begin, values)));
    ASSERT_TRUE(std::ranges::equal(rows.distances, std::span(want.neighbors.distances).subspan(begin, values)));
    next += rows.queries;
  };
  const SearchResult got = detail::search_in_parts(index, PointsView(asked), 0, 0, options, {at_once, take});
  EXPECT_EQ(next, queries);
  ASSERT_EQ(got.report.devices.size(), 2u);
  EXPECT_EQ(got.report.devices[1].index, options.device.others[0]);
  EXPECT_EQ(got.report.device.memory_bytes, got.report.devices[0].memory_bytes + got.report.devices[1].memory_bytes);

  const auto full_disk = [](std::int64_t, Neighbors&) {
    throw Error(ErrorKind::resources, "a.npz: No space left on device");
  };
  try {
    detail::search_in_parts(index, PointsView(asked), 0, 0, options, {at_once, full_disk});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "a.npz: No space left on device");
  }
  EXPECT_TRUE(same_bytes(search(data, asked, options).neighbors.ids, want.neighbors.ids));
}

TEST_F(CudaSeveralDevices, AreAllThatThereAre) {
  const Points cloud = test::to_points(test::uniform(5000, 3, 3), 3);
  SearchOptions options;
  options.device.kind = DeviceKind::cuda;
  const Neighbors want = search_self(cloud, options).neighbors;
  options.device.all = true;
  const SearchResult got = search_self(cloud, options);
  EXPECT_TRUE(same_bytes(got.neighbors.ids, want.ids));
  EXPECT_TRUE(same_bytes(got.neighbors.distances, want.distances));
  const auto count = static_cast<std::size_t>(cuda::device_count());
  EXPECT_EQ(got.report.devices.size(), count > 1 ? count : 0);
}

TEST_F(CudaSeveralDevices, OneThatDoesNotExistIsAnError) {
  SearchOptions options;
  options.device = {DeviceKind::cuda, 0, {200}};
  try {
    search_self(test::to_points(test::uniform(100, 3, 3), 3), options);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_device);
    EXPECT_NE(std::string(e.what()).find("cuda:200 does not exist"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kann
