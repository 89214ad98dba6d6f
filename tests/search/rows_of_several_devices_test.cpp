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

/// The first error names its device. A device that gives rows meanwhile ends with its next part.
TEST(SeveralDevices, AnErrorEndsTheOthers) {
  std::atomic<bool> is_second_ready{false}, has_failed{false};
  std::atomic<int> transfers{0};
  Problem p = of_size(1'000'000, 1);
  p.parts = {2, [&](std::int64_t, Neighbors&) {
               is_second_ready = true;
               while (!has_failed) std::this_thread::yield();
               ++transfers;
             }};
  const PartSolver broken{"cuda:1", 1, [&](const Problem&) -> Answer {
                            while (!is_second_ready) std::this_thread::yield();
                            struct AtEnd {  // what the thread has thrown is noted when it has left the solver
                              std::atomic<bool>& flag;
                              ~AtEnd() { flag = true; }
                            } at_end{has_failed};
                            throw Error(ErrorKind::resources, "out of memory");
                          }};
  std::atomic<bool> is_ready{true};
  try {
    solve_divided(p, std::vector{giving("cuda:0", is_ready, false), broken});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::resources);
    EXPECT_STREQ(e.what(), "cuda:1: out of memory");
  }
  EXPECT_LT(transfers, 500'000);
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
