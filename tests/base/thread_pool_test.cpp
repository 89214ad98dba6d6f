// Loops do all their work on the threads that the system grants: all, some or none of those asked for.
#include "base/threads/thread_pool.hpp"

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stdlib.h>
#include <thread>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "base/threads/start_threads.hpp"

namespace {

constexpr int k_no_limit = std::numeric_limits<int>::max();
std::atomic<int> granted{k_no_limit};  ///< this many threads may exist at a time, the first of each test aside
std::atomic<int> existing{0};
std::atomic<int> refusals{0};         ///< so many calls of pthread_create() fail first
std::atomic<bool> holds_back{false};  ///< new threads do not begin before this is false

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* counted(void* data) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start*>(data));
  holds_back.wait(true);
  void* const result = start.function(start.argument);
  --existing;
  return result;
}

}  // namespace

// The program's definition replaces that of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (refusals > 0) {
    --refusals;
    return EAGAIN;
  }
  if (existing >= granted) return EAGAIN;
  ++existing;
  return create(thread, attributes, counted, new Start{function, argument});
}

namespace kann::base {
namespace {

/// Calls `test` in a new thread, which has a new pool.
void on_new_pool(const std::function<void()>& test) {
  std::thread([&] {
    existing = 0;
    test();
    thread_pool().stop();
    granted = k_no_limit;
    refusals = 0;
  }).join();
}

/// How often each index of [0, n) was visited by the three loops.
std::vector<int> visits(std::int64_t n, int threads) {
  std::vector<std::atomic<int>> counts(static_cast<std::size_t>(n));
  const auto visit = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(i)];
  };
  std::set<int> blocks;
  std::mutex mutex;
  parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    visit(begin, end);
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(blocks.insert(block).second);
  });
  EXPECT_EQ(blocks.size(), static_cast<std::size_t>(threads));
  parallel_chunks(n, 7, threads, visit);
  parallel_for(n, threads, [&](std::int64_t i) { visit(i, i + 1); });
  return {counts.begin(), counts.end()};
}

TEST(ThreadPool, EveryIndexIsVisitedOnceByEachLoopHoweverManyThreadsThereAre) {
  for (const int of_system : {k_no_limit, 5, 1, 0}) {
    on_new_pool([&] {
      granted = of_system;
      for (const int threads : {1, 2, 3, 8, 4, 8})  // fewer, then more again
        for (const std::int64_t n : {0, 1, 2, 7, 8, 1000})
          EXPECT_EQ(visits(n, threads), std::vector<int>(static_cast<std::size_t>(n), 3)) << threads << ' ' << n;
    });
  }
}

TEST(ThreadPool, StartsWhatTheSystemGrants) {
  on_new_pool([] {
    granted = 3;
    ThreadPool pool;
    EXPECT_EQ(pool.start(3), 3);
    EXPECT_EQ(pool.start(8), 4);
    EXPECT_EQ(pool.start(2), 2);
    pool.stop();
    granted = k_no_limit;
    EXPECT_EQ(pool.start(8), 8);
  });
}

TEST(ThreadPool, AsksForAThreadAgainWhileOnesThatEndedStillCount) {
  on_new_pool([] {
    refusals = 3;
    ThreadPool pool;
    EXPECT_EQ(pool.start(4), 4);
  });
}

TEST(ThreadPool, RunsAtTheSameTimeOnAllItsThreads) {
  on_new_pool([] {
    std::atomic<int> arrived{0};
    on_pool(4, [&] {
      ++arrived;
      while (arrived < 4) std::this_thread::yield();  // ends only if all four run
    });
    EXPECT_EQ(arrived, 4);
  });
}

TEST(ThreadPool, WaitsForNoThreadThatHasNotBegun) {
  on_new_pool([] {
    holds_back = true;  // as a system whose cores are taken
    for (const int threads : {2, 5}) {
      std::vector<std::thread::id> callers;  // that one thread alone writes
      on_pool(threads, [&] { callers.push_back(std::this_thread::get_id()); });
      EXPECT_EQ(callers, std::vector{std::this_thread::get_id()});
      EXPECT_EQ(visits(100, threads), std::vector<int>(100, 3));
    }
    holds_back = false;
    holds_back.notify_all();
    std::atomic<int> arrived{0};
    on_pool(5, [&] {
      ++arrived;
      while (arrived < 5) std::this_thread::yield();
    });
  });
}

TEST(ThreadPool, HasNoMoreThreadsInACallThanItMay) {
  on_new_pool([] {
    EXPECT_EQ(thread_pool().start(8), 8);
    for (int round = 0; round < 200; ++round) {
      std::mutex mutex;
      std::set<std::thread::id> callers;
      on_pool(3, [&] {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        const std::lock_guard lock(mutex);
        callers.insert(std::this_thread::get_id());
      });
      EXPECT_TRUE(callers.contains(std::this_thread::get_id()));
      EXPECT_LE(callers.size(), 3U);
    }
  });
}

TEST(ThreadPool, ALoopWithinALoopRunsOnTheCallingThread) {
  on_new_pool([] {
    std::atomic<int> total{0};
    parallel_for(6, 3, [&](std::int64_t) {
      const auto self = std::this_thread::get_id();
      parallel_blocks(100, 4, [&](int, std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        total += static_cast<int>(end - begin);
      });
    });
    EXPECT_EQ(total, 600);
  });
}

TEST(ThreadPool, ManyShortLoopsLoseNothing) {
  on_new_pool([] {
    for (int round = 0; round < 20'000; ++round) {
      std::int64_t sums[3] = {};
      parallel_blocks(100, 3, [&](int block, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) sums[block] += i;
      });
      ASSERT_EQ(sums[0] + sums[1] + sums[2], 4950) << round;
    }
  });
}

TEST(ThreadPool, ThreadsThatCallAtTheSameTimeHavePoolsOfTheirOwn) {
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([] {
      for (int round = 0; round < 50; ++round) EXPECT_EQ(visits(100, 3), std::vector<int>(100, 3));
    });
}

TEST(ThreadPool, AnExceptionOfAnyThreadReachesTheCaller) {
  on_new_pool([] {
    for (const int thrower : {0, 1, 3}) {
      EXPECT_THROW(parallel_blocks(4, 4,
                                   [&](int block, std::int64_t, std::int64_t) {
                                     if (block == thrower) throw std::runtime_error("odd");
                                   }),
                   std::runtime_error);
      EXPECT_THROW(parallel_chunks(4, 1, 4,
                                   [&](std::int64_t begin, std::int64_t) {
                                     if (begin == thrower) throw std::runtime_error("odd");
                                   }),
                   std::runtime_error);
    }
  });
}

TEST(ThreadPool, EveryThreadHasTheDefaultRounding) {
  on_new_pool([] {
    std::fesetround(FE_UPWARD);
    std::atomic<int> arrived{0};
    on_pool(3, [&] {
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
    });
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  });
}

TEST(StartThreads, FewerThanAskedForAreAnErrorAndFewerThanTheMachineHasAreHalved) {
  on_new_pool([] {
    granted = 5;
    try {
      start_threads(8);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resources);
      EXPECT_EQ(std::string(error.what()),
                "--threads 8: only 6 can be started (address space, or a limit on processes); use fewer");
    }
  });
  on_new_pool([] {
    setenv("OMP_NUM_THREADS", "8", 1);
    granted = 5;
    const StartedThreads threads = start_threads(0);
    unsetenv("OMP_NUM_THREADS");
    EXPECT_EQ(threads.wanted, 8);
    EXPECT_EQ(threads.count, 3);
    EXPECT_EQ(existing, 2);
  });
}

}  // namespace
}  // namespace kann::base
