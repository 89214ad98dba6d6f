// Every chunk is processed once; what is made ahead is used in its order; and an exception reaches the caller.
#include "base/threads/copy_threads.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/threads/made_ahead.hpp"

namespace kann::base {
namespace {

TEST(Threads, EveryChunkIsDoneOnce) {
  for (const std::size_t grain : {1, 7, 100})
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, grain - 1, grain, grain + 1, 10 * grain + 1}) {
      std::vector<int> times(size);
      on_threads(size, grain, 3, [&](std::size_t begin, std::size_t count) {
        ASSERT_TRUE(count > 0 && count <= grain && begin % grain == 0);
        for (std::size_t i = begin; i < begin + count; ++i) ++times[i];
      });
      EXPECT_TRUE(std::ranges::all_of(times, [](int t) { return t == 1; })) << size << " by " << grain;
    }
}

TEST(Threads, EveryWorkerHasItsNumber) {
  std::mutex mutex;
  std::vector<std::size_t> seen;
  on_workers(5, [&](std::size_t worker) {
    const std::scoped_lock lock(mutex);
    seen.push_back(worker);
  });
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Threads, AnExceptionReachesTheCallerAndEndsTheWork) {
  std::atomic<int> done{0};
  EXPECT_THROW(on_threads(1'000'000, 1, 3,
                          [&](std::size_t begin, std::size_t) {
                            if (begin == 10) throw std::runtime_error("ten");
                            ++done;
                          }),
               std::runtime_error);
  EXPECT_LT(done, 1'000'000 - 1);
}

TEST(MadeAhead, UsesEachOnceInOrder) {
  for (const std::int64_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::int64_t> used;
    for_each_made_ahead(
        count, [](std::int64_t i) { return std::make_unique<std::int64_t>(i * i); },
        [&](std::int64_t i, const std::unique_ptr<std::int64_t>& made) {
          EXPECT_EQ(*made, i * i);
          used.push_back(i);
        });
    ASSERT_EQ(std::ssize(used), count);
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(used[static_cast<std::size_t>(i)], i);
  }
}

TEST(MadeAhead, MakesTheNextWhileOneIsUsed) {
  std::atomic<std::int64_t> made{0};
  for_each_made_ahead(
      5,
      [&](std::int64_t i) {
        ++made;
        return i;
      },
      [&](std::int64_t i, std::int64_t) {
        while (made < std::min<std::int64_t>(i + 2, 5)) std::this_thread::yield();
      });
}

/// Counts how many of it exist.
class Counted {
 public:
  Counted(std::atomic<int>& alive, std::atomic<int>& most) : alive_(&alive) {
    const int now = ++alive;
    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
  }
  Counted(Counted&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(alive_, other.alive_);
    return *this;
  }
  ~Counted() {
    if (alive_) --*alive_;
  }

 private:
  std::atomic<int>* alive_;
};

TEST(MadeAhead, HasTwoAtATime) {
  std::atomic<int> alive{0}, most{0};
  for_each_made_ahead(
      20, [&](std::int64_t) { return Counted(alive, most); },
      [&](std::int64_t, const Counted&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  EXPECT_EQ(alive, 0);
  EXPECT_LE(most, 2);
}

TEST(MadeAhead, AnExceptionOfEitherSideEndsBoth) {
  for (const bool is_maker : {true, false})
    for (const std::int64_t at : {0, 1, 7, 99}) {
      std::int64_t used = 0;
      const auto fail_at = [at](std::int64_t i) {
        if (i == at) throw std::runtime_error("here");
      };
      EXPECT_THROW(for_each_made_ahead(
                       100,
                       [&](std::int64_t i) {
                         if (is_maker) fail_at(i);
                         return i;
                       },
                       [&](std::int64_t i, std::int64_t) {
                         if (!is_maker) fail_at(i);
                         ++used;
                       }),
                   std::runtime_error);
      EXPECT_EQ(used, at) << (is_maker ? "of the maker" : "of the user");
    }
}

}  // namespace
}  // namespace kann::base
