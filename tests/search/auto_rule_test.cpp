// The rule by which --device auto chooses: what it says of searches whose times were measured.
#include "search/devices/auto_rule.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "base/threads/granted_processors.hpp"
#include "cuda/backend.hpp"

namespace kann::detail {
namespace {

SearchOptions options_of(std::int64_t k, int threads) {
  SearchOptions options;
  options.k = k;
  options.threads = threads;
  return options;
}

/// Milliseconds of 16 threads that were measured for so many data points and as many queries on a surface.
struct Measured {
  std::int64_t points, k;
  double ms;
};

TEST(AutoRule, IsNearWhatWasMeasured) {
  for (const Measured& m : std::vector<Measured>{{100'000, 8, 11},
                                                 {1'000'000, 1, 28},
                                                 {1'000'000, 8, 47},
                                                 {1'000'000, 32, 73},
                                                 {1'000'000, 100, 185},
                                                 {100'000, 1'000, 143},
                                                 {10'000'000, 8, 386},
                                                 {10'000'000, 32, 722},
                                                 {10'000'000, 100, 1'833}}) {
    const double rule = 1e3 * cpu_seconds({m.points, m.points}, m.k, 16);
    EXPECT_GT(rule, .55 * m.ms) << m.points << " " << m.k;
    EXPECT_LT(rule, 1.2 * m.ms) << m.points << " " << m.k;
  }
}

double by_one(const SearchSize& size, std::int64_t k) { return cpu_seconds(size, k, 1); }

TEST(AutoRule, GrowsWithEverySize) {
  double last = 0;
  for (const std::int64_t k : {1, 2, 8, 9, 32, 100, 999, 1'000}) {
    const double seconds = by_one({1'000, 1'000}, k);
    EXPECT_GT(seconds, last) << k;
    last = seconds;
  }
  EXPECT_EQ(by_one({1'000, 1'000}, 1'000), by_one({1'000, 1'000}, 1'000'000)) << "there are no more neighbours";
  EXPECT_GT(by_one({2'000, 1'000}, 8), by_one({1'000, 1'000}, 8));
  EXPECT_GT(by_one({1'000, 2'000}, 8), by_one({1'000, 1'000}, 8));
  EXPECT_GT(by_one({1'000, 1'000}, 8),
            by_one({.data_points = 1'000, .query_points = 1'000, .data_are_ordered = true}, 8));
}

TEST(AutoRule, CountsTheThreadsThatTheSystemGrants) {
  const double granted = base::granted_processors();
  const SearchSize size{1'000'000, 1'000'000};
  EXPECT_EQ(cpu_seconds(size, options_of(8, 1'000)) < by_one(size, 8), granted > 1);
}

TEST(AutoRule, CountsClustersByTheirPoints) {
  const SearchSize size{.data_points = 10'000'000, .finds_clusters = true};
  EXPECT_NEAR(cpu_seconds(size, 8, 2), 6.7, 1.5);
  EXPECT_NEAR(cpu_seconds(size, 8, 16), 1.7, .5);
}

TEST(AutoRule, TakesCudaFromItsStartOn) {
  if (cuda::has_started(0)) GTEST_SKIP() << "another test of this process has started a device";
  const AutoChoice small = auto_choice({100'000, 100'000}, options_of(8, 1));
  EXPECT_EQ(small.kind, DeviceKind::cpu);
  EXPECT_EQ(small.reason, "about 47 ms by the CPU; a CUDA device is taken from 340 ms on");
  const AutoChoice large = auto_choice({10'000'000, 10'000'000}, options_of(8, 1));
  EXPECT_EQ(large.kind, DeviceKind::cuda);
  EXPECT_EQ(large.reason, "about 4.4 s by the CPU; a CUDA device is taken from 340 ms on");
}

}  // namespace
}  // namespace kann::detail
