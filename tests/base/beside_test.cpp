// What was reported is consumed in order while more is produced, and an exception ends both sides.
#include "base/threads/beside.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kann::base {
namespace {

constexpr std::int64_t k_all = 1'000'000;

TEST(Beside, ProducingGoesOnWhileTheConsumerIsAtWork) {
  std::atomic<bool> is_consuming{false}, has_more{false};
  std::vector<std::int64_t> counts;
  consume_beside(
      k_all,
      [&](auto&& report) {
        EXPECT_TRUE(report(1));
        while (!is_consuming) std::this_thread::yield();
        report(2);
        report(3);
        has_more = true;
        while (has_more) std::this_thread::yield();  // until it is consumed
      },
      [&](std::int64_t count) {
        counts.push_back(count);
        is_consuming = true;
        while (!has_more) std::this_thread::yield();
        if (count == 3) has_more = false;
      });
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 3}));
}

TEST(Beside, CountsRiseAndWhatWasProducedIsSeen) {
  constexpr std::int64_t last = 20000;
  std::vector<std::int64_t> values(last, 0);
  std::int64_t seen = 0;
  consume_beside(
      k_all,
      [&](auto&& report) {
        for (std::int64_t i = 0; i < last; ++i) {
          values[static_cast<std::size_t>(i)] = i + 1;
          ASSERT_TRUE(report(i + 1));
        }
      },
      [&](std::int64_t count) {
        EXPECT_GT(count, seen);
        for (; seen < count; ++seen) EXPECT_EQ(values[static_cast<std::size_t>(seen)], seen + 1);
      });
  EXPECT_LE(seen, last);
}

TEST(Beside, AnExceptionOfTheConsumerEndsTheProducer) {
  bool was_stopped = false;
  EXPECT_THROW(consume_beside(
                   k_all,
                   [&](auto&& report) {
                     for (std::int64_t i = 1; report(i); ++i) std::this_thread::yield();
                     was_stopped = true;
                   },
                   [](std::int64_t) { throw std::runtime_error("full"); }),
               std::runtime_error);
  EXPECT_TRUE(was_stopped);
}

TEST(Beside, AnExceptionOfTheProducerReachesTheCaller) {
  int calls = 0;
  EXPECT_THROW(consume_beside(
                   k_all,
                   [](auto&& report) {
                     report(1);
                     throw std::runtime_error("lost");
                   },
                   [&](std::int64_t) { ++calls; }),
               std::runtime_error);
  EXPECT_LE(calls, 1);
}

TEST(Beside, StepsAreAtMostAsLargeAsAsked) {
  std::atomic<bool> is_consumed{false};
  std::vector<std::int64_t> counts;
  consume_beside(
      3,
      [&](auto&& report) {
        report(10);
        while (!is_consumed) std::this_thread::yield();
      },
      [&](std::int64_t count) {
        counts.push_back(count);
        is_consumed = count == 10;
      });
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 6, 9, 10}));
}

TEST(Beside, WhatWasReportedAtOnceIsConsumedInPart) {
  for (int repetition = 0; repetition < 100; ++repetition) {
    int calls = 0;
    consume_beside(
        3, [](auto&& report) { report(5); }, [&](std::int64_t) { ++calls; });
    EXPECT_TRUE(calls == 1 || calls == 2);
  }
}

TEST(Beside, NothingReportedIsNothingConsumed) {
  consume_beside(
      k_all, [](auto&&) {}, [](std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace kann::base
