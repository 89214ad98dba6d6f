// A search that is divided among devices gives the answer of one: tested with the CPU in the place of each device.
#include "search/devices/several_devices.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "kann/error.hpp"

#include "cpu/backend.hpp"
#include "float64_clouds.hpp"
#include "problems.hpp"

namespace kann::detail {
namespace {

using problem::Answer;
using problem::Problem;

std::vector<PartSolver> cpus(const std::vector<double>& speeds, cpu::Index* index = nullptr) {
  std::vector<PartSolver> all;
  for (const double speed : speeds)
    all.push_back({"cpu:" + std::to_string(all.size()), speed,
                   [index](const Problem& part) { return index ? index->solve(part) : cpu::solve(part); }});
  return all;
}

template <class T>
bool same_bytes(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same(const Problem& p, const std::vector<double>& speeds, cpu::Index* index = nullptr) {
  const Answer want = cpu::solve(p), got = solve_divided(p, cpus(speeds, index));
  ASSERT_EQ(got.neighbors.queries, want.neighbors.queries);
  ASSERT_EQ(got.neighbors.k, want.neighbors.k);
  ASSERT_EQ(got.neighbors.ids, want.neighbors.ids);
  ASSERT_TRUE(same_bytes(got.neighbors.distances, want.neighbors.distances));
}

SearchOptions options_of(Method method, std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.threads = 2;
  options.method = method;
  return options;
}

const std::vector<std::vector<double>> k_divisions = {{1, 1}, {1, 4}, {2, 0.5, 1}, {1, 1, 1, 1, 1, 1, 1}};

TEST(SeveralDevices, GiveTheAnswerOfOneOnEveryCloud) {
  for (const int d : {2, 3})
    for (const auto& c : test::cases(600, 150, d, 31))
      for (const Method method : {Method::shifted_sort, Method::exact})
        for (const std::int64_t k : {1, 8, 40})
          for (const auto& speeds : k_divisions) {
            if (method == Method::shifted_sort && k > k_max_shifted_k) continue;
            SCOPED_TRACE(c.name + " k=" + std::to_string(k) + " by " + std::to_string(speeds.size()));
            ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options_of(method, k)).problem, speeds));
          }
}

TEST(SeveralDevices, GiveItOnCloudsThatFloat32DoesNotHold) {
  for (const int d : {2, 3})
    for (const auto& c : test::float64_cases(500, 90, d, 32))
      for (const Method method : {Method::shifted_sort, Method::exact}) {
        SCOPED_TRACE(c.name);
        ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options_of(method, 8)).problem, {1, 1, 1}));
      }
}

TEST(SeveralDevices, GiveItForSelfQueriesThatKeepThePoint) {
  for (const auto& c : test::cases(300, 1, 3, 33)) {
    if (c.queries) continue;
    for (const Method method : {Method::shifted_sort, Method::exact}) {
      SearchOptions options = options_of(method, 5);
      options.include_self = true;
      SCOPED_TRACE(c.name);
      ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options).problem, {1, 2}));
    }
  }
}

TEST(SeveralDevices, GiveItAtAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 7, 9, 33})
    for (const std::int64_t m : {0, 1, 2, 6, 7})
      for (const auto& c : test::cases(n, m, 3, 34, test::tied_clouds()))
        for (const Method method : {Method::shifted_sort, Method::exact})
          for (const auto& speeds : k_divisions) {
            SCOPED_TRACE(c.name);
            ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options_of(method, 8)).problem, speeds));
          }
}

TEST(SeveralDevices, GiveItForOtherShiftsAndWindows) {
  for (const auto& c : test::cases(700, 200, 3, 35)) {
    SearchOptions options = options_of(Method::shifted_sort, 8);
    options.shifts = 5;
    options.window = 9;
    SCOPED_TRACE(c.name);
    ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options).problem, {1, 1}));
  }
}

TEST(SeveralDevices, GiveItWithoutTheInvalidPoints) {
  for (auto c : test::cases(400, 120, 3, 36, test::tied_clouds())) {
    for (Points* const points : {&c.data, c.queries ? &*c.queries : nullptr})
      for (std::int64_t i = 0; points && i < points->size(); i += 3)
        std::get<Array<float>>(points->coordinates)[static_cast<std::size_t>(3 * i)] = NAN;
    for (const Method method : {Method::shifted_sort, Method::exact}) {
      SearchOptions options = options_of(method, 8);
      options.invalid = InvalidPoints::skip;
      SCOPED_TRACE(c.name);
      ASSERT_NO_FATAL_FAILURE(expect_same(c.prepare(options).problem, {1, 1, 1}));
    }
  }
}

TEST(SeveralDevices, MayShareAnIndex) {
  for (const auto& c : test::cases(900, 300, 3, 37, test::tied_clouds())) {
    cpu::Index index;
    const problem::Prepared of_shifts = c.prepare(options_of(Method::shifted_sort, 8));
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(expect_same(of_shifts.problem, {1, 1}, &index));
  }
}

TEST(SeveralDevices, HaveConsecutiveRowsByTheirSpeed) {
  EXPECT_EQ(part_bounds(10, cpus({1, 4})), (std::vector<std::int64_t>{0, 2, 10}));
  EXPECT_EQ(part_bounds(9, cpus({3, 3, 3})), (std::vector<std::int64_t>{0, 3, 6, 9}));
  EXPECT_EQ(part_bounds(1, cpus({1, 1})), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(part_bounds(0, cpus({1, 1})), (std::vector<std::int64_t>{0, 0, 0}));
}

/// A problem of which only the number of queries and k are looked at.
Problem of_size(std::int64_t queries, std::int64_t k) {
  Problem p;
  p.query_count = queries;
  p.k = k;
  return p;
}

TEST(SeveralDevices, AreDescribedTogether) {
  const auto solver = [](const std::string& name, int index) {
    return PartSolver{"cuda:" + std::to_string(index), 1, [name, index](const Problem& part) {
                        Answer answer;
                        std::fill_n(part.rows.ids, part.query_count * part.k, index);
                        answer.device = {name, DeviceKind::cuda, 0, 100, index};
                        answer.steps.select = index;
                        answer.device_peak_bytes = 10 * index;
                        return answer;
                      }};
  };
  Answer answer = solve_divided(of_size(4, 2), std::vector{solver("A", 2), solver("A", 5)});
  EXPECT_EQ(answer.neighbors.ids, (Array<std::int32_t>{2, 2, 2, 2, 5, 5, 5, 5}));
  EXPECT_EQ(answer.device.name, "2 × A");
  EXPECT_EQ(answer.device.memory_bytes, 200);
  ASSERT_EQ(answer.devices.size(), 2u);
  EXPECT_EQ(answer.devices[0].index, 2);
  EXPECT_EQ(answer.devices[1].index, 5);
  EXPECT_EQ(answer.devices[1].name, "A");
  EXPECT_EQ(answer.steps.select, 5);
  EXPECT_EQ(answer.device_peak_bytes, 50);

  answer = solve_divided(of_size(4, 2), std::vector{solver("A", 0), solver("B", 1)});
  EXPECT_EQ(answer.device.name, "A, B");
}

}  // namespace
}  // namespace kann::detail
