// How the rows of a search that is divided among devices arrive, and how it ends after an error; with devices that a
// test makes.
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "search/devices/several_devices.hpp"

namespace kann::detail {
namespace {

using problem::Answer;
using problem::Problem;

/// A problem of which only the number of queries and k are looked at.
Problem of_size(std::int64_t queries, std::int64_t k) {
  Problem p;
  p.query_count = queries;
  p.k = k;
  return p;
}

TEST(SeveralDevices, TheFirstErrorNamesItsDeviceAndEndsTheOthers) {
  std::atomic<bool> has_failed{false};
  std::atomic<int> transfers{0};
  const std::vector<PartSolver> devices = {
      {"cuda:0", 1,
       [&](const Problem& part) {
         while (!has_failed) std::this_thread::yield();
         for (std::int64_t i = 1; i < 1'000'000'000; ++i, ++transfers) part.on_rows({}, 0, 0);
         return Answer();
       }},
      {"cuda:1", 1, [&](const Problem&) -> Answer {
         struct AtEnd {  // what the thread has thrown is noted when it has left the solver, so soon after this
           std::atomic<bool>& flag;
           ~AtEnd() { flag = true; }
         } at_end{has_failed};
         throw Error(ErrorKind::resources, "out of memory");
       }}};
  Problem p = of_size(100, 1);
  p.on_rows = [](const Neighbors&, std::int64_t, std::int64_t) {};
  try {
    solve_divided(p, devices);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::resources);
    EXPECT_STREQ(e.what(), "cuda:1: out of memory");
  }
  EXPECT_LT(transfers, 1'000'000'000 - 1);
}

/// The parts arrive in the order that a script says; what is reported must be complete from the first value on.
TEST(SeveralDevices, ReportTheRowsThatAreCompleteFromTheFirstOn) {
  constexpr std::int64_t k = 2;
  std::atomic<int> turn{0};
  const auto in_turn = [&turn](int number, auto f) {
    while (turn != number) std::this_thread::yield();
    f();
    ++turn;
  };
  const std::vector<PartSolver> devices = {{"cuda:0", 1,
                                            [&](const Problem& part) {
                                              in_turn(1, [&] { part.on_rows({}, 3, 0); });
                                              in_turn(3, [&] { part.on_rows({}, 6, 4); });
                                              in_turn(5, [&] { part.on_rows({}, 6, 6); });
                                              return Answer();
                                            }},
                                           {"cuda:1", 1, [&](const Problem& part) {
                                              in_turn(0, [&] { part.on_rows({}, 6, 0); });
                                              in_turn(2, [&] { part.on_rows({}, 6, 5); });
                                              in_turn(4, [&] { part.on_rows({}, 6, 6); });
                                              return Answer();
                                            }}};
  Problem p = of_size(6, k);
  std::vector<std::int64_t> ids, distances;
  p.on_rows = [&](const Neighbors& rows, std::int64_t some_ids, std::int64_t some_distances) {
    EXPECT_EQ(rows.ids.size(), 12u);
    ids.push_back(some_ids);
    distances.push_back(some_distances);
  };
  solve_divided(p, devices);
  ASSERT_FALSE(ids.empty());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_state = (distances[i] == 0 && (ids[i] == 3 || ids[i] == 12)) ||
                          (ids[i] == 12 && (distances[i] == 4 || distances[i] == 12));
    EXPECT_TRUE(is_state) << ids[i] << " ids, " << distances[i] << " distances";
    EXPECT_TRUE(i == 0 || ids[i] + distances[i] > ids[i - 1] + distances[i - 1]);
  }
}

TEST(SeveralDevices, AnErrorOfTheReaderOfRowsEndsTheSearch) {
  const PartSolver endless{"cuda:0", 1, [](const Problem& part) {
                             for (std::int64_t i = 1;; ++i) part.on_rows({}, i, 0);
                             return Answer();
                           }};
  Problem p = of_size(std::int64_t{1} << 20, 1);
  p.on_rows = [](const Neighbors&, std::int64_t, std::int64_t) { throw Error(ErrorKind::resources, "disk full"); };
  try {
    solve_divided(p, std::vector{endless, endless});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "disk full");
  }
}

/// A device that gives its part of the rows, some at a time, as a CUDA device does; the second is ready first.
PartSolver giving(const std::string& name, std::atomic<bool>& is_second_ready, bool is_second) {
  return {name, 1, [&is_second_ready, is_second](const Problem& part) {
            while (!is_second && !is_second_ready) std::this_thread::yield();
            is_second_ready = true;
            for (std::int64_t first = 0; first < part.query_count; first += part.parts.at_once) {
              Neighbors rows;
              rows.queries = std::min(part.parts.at_once, part.query_count - first);
              part.parts.take(first, rows);
            }
            return Answer();
          }};
}

TEST(SeveralDevices, GiveTheirRowsOneAfterTheOther) {
  std::atomic<bool> is_second_ready{false};
  Problem p = of_size(21, 2);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  p.parts = {8, [&](std::int64_t first, Neighbors& rows) { parts.emplace_back(first, rows.queries); }};
  const Answer answer =
      solve_divided(p, std::vector{giving("cuda:0", is_second_ready, false), giving("cuda:1", is_second_ready, true)});
  EXPECT_EQ(answer.neighbors.queries, 0);
  EXPECT_EQ(parts,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 4}, {4, 4}, {8, 2}, {10, 4}, {14, 4}, {18, 3}}));
}

TEST(SeveralDevices, AnErrorOfWhoTakesRowsEndsThem) {
  std::atomic<bool> is_second_ready{false};
  Problem p = of_size(100, 1);
  p.parts = {8, [&](std::int64_t first, Neighbors&) {
               EXPECT_LE(first, 4);
               if (first > 0) throw Error(ErrorKind::resources, "disk full");
             }};
  try {
    solve_divided(p, std::vector{giving("cuda:0", is_second_ready, false), giving("cuda:1", is_second_ready, true)});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "disk full");
  }
}

TEST(SeveralDevices, ADeviceWhoseTurnDoesNotComeEnds) {
  std::atomic<bool> is_second_ready{false};
  Problem p = of_size(100, 1);
  p.parts = {8, [](std::int64_t, Neighbors&) { FAIL() << "rows after an error"; }};
  const PartSolver broken{"cuda:0", 1, [&](const Problem&) -> Answer {
                            while (!is_second_ready) std::this_thread::yield();
                            throw Error(ErrorKind::resources, "out of memory");
                          }};
  try {
    solve_divided(p, std::vector{broken, giving("cuda:1", is_second_ready, true)});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cuda:0: out of memory");
  }
}

}  // namespace
}  // namespace kann::detail
