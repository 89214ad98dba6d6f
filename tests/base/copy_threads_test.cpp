// Every chunk is processed once, and an exception reaches the caller.
#include "base/threads/copy_threads.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <stdexcept>

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

}  // namespace
}  // namespace kann::base
