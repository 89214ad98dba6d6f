// Which device a search takes: what --device auto says of searches whose times were measured, and that starting the
// device before a search changes the time of the search, and nothing else.
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/granted_processors.hpp"
#include "clouds.hpp"
#include "cuda/backend.hpp"
#include "search/devices/auto_rule.hpp"
#include "search/devices/device_choice.hpp"
#include "search/devices/start_up.hpp"

namespace kann::test {

using namespace detail;

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

/// Searches with a made-up result of start_device().
class StartUpTest : public testing::Test {
 protected:
  static std::shared_ptr<StartedDevice> device(CudaStatus status, int index = 0) {
    auto device = std::make_shared<StartedDevice>();
    device->index = index;
    device->status = std::move(status);
    device->seconds = k_seconds;
    return device;
  }

  /// Deferred: it is ready when the search waits for it and not before, however busy the machine is.
  void give(std::shared_ptr<const StartedDevice> device) {
    options_.start_up = std::async(std::launch::deferred, [this, device] {
                          waited_ = true;
                          return device;
                        }).share();
  }

  static constexpr double k_seconds = -1;  // a duration that no clock measures
  bool waited_ = false;                    // the search waited for the device
  const CudaStatus unusable_{false, "the reason"};
  const Points cloud_ = to_points(uniform(1000, 3, 1), 3);
  SearchOptions options_;
};

TEST_F(StartUpTest, ItsReasonIsTheMessage) {
  give(device(unusable_));
  options_.device.kind = DeviceKind::cuda;
  try {
    search_self(cloud_, options_);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_device);
    EXPECT_STREQ(e.what(), "no CUDA device (the reason); use --device cpu");
  }
}

TEST_F(StartUpTest, OfAnotherDeviceIsNotUsed) {
  give(device(unusable_, 7));
  options_.device.kind = DeviceKind::cuda;
  try {
    EXPECT_NE(search_self(cloud_, options_).report.start_up_seconds, k_seconds);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_device);
    EXPECT_STRNE(e.what(), "no CUDA device (the reason); use --device cpu");
  }
}

TEST_F(StartUpTest, IsNotWaitedForOnTheCpu) {
  give(device(unusable_));
  options_.device.kind = DeviceKind::cpu;
  const SearchResult result = search_self(cloud_, options_);
  EXPECT_FALSE(waited_);
  EXPECT_EQ(result.report.steps.start_up, 0);
  EXPECT_EQ(result.report.start_up_seconds, 0);
  EXPECT_EQ(result.report.device_reason, "");
}

/// A device that no other test of this process starts, after which it would cost nothing.
TEST_F(StartUpTest, IsNotWaitedForIfTheCpuEndsFirst) {
  options_.device.index = 5;
  give(device({true, ""}, 5));
  const SearchResult result = search_self(cloud_, options_);
  EXPECT_FALSE(waited_);
  EXPECT_EQ(result.report.device.kind, DeviceKind::cpu);
  // A build without CUDA compares with no device that it cannot use
  EXPECT_EQ(result.report.device_reason.find(" by the CPU; ") != std::string::npos, cuda::is_built());
  EXPECT_EQ(result.report.device_reason == "no CUDA device (built without CUDA)", !cuda::is_built());
}

/// A problem of which nothing is looked at but its size.
TEST_F(StartUpTest, IsWaitedForAndReportedIfTheDeviceEndsFirst) {
  problem::Problem large;
  large.data_count = 1'000'000'000;
  large.query_count = 1;
  large.k = options_.k;
  options_.threads = 1;
  options_.device.index = 6;
  give(device({true, ""}, 6));
  ChosenDevice chosen = choose_device(large, options_, false);
  EXPECT_TRUE(waited_);
  EXPECT_EQ(chosen.kind, DeviceKind::cuda);
  EXPECT_EQ(chosen.start_up_seconds, k_seconds);
  EXPECT_NE(chosen.reason.find("a CUDA device is taken from 340 ms on"), std::string::npos) << chosen.reason;

  give(device(unusable_, 6));
  chosen = choose_device(large, options_, false);
  EXPECT_EQ(chosen.kind, DeviceKind::cpu);
  EXPECT_EQ(chosen.reason, "no CUDA device (the reason)");

  waited_ = false;  // an index has ordered these data: one query is left
  EXPECT_EQ(choose_device(large, options_, true).kind, DeviceKind::cpu);
  EXPECT_FALSE(waited_);
}

TEST_F(StartUpTest, ABadCloudIsReportedWithoutWaiting) {
  give(device(unusable_));
  Points bad = cloud_;
  std::get<Array<float>>(bad.coordinates)[0] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(search_self(bad, options_), Error);
  EXPECT_FALSE(waited_);
}

TEST(StartDevice, StartsNothingForTheCpu) {
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  EXPECT_EQ(start_device(options), nullptr);
}

/// Independent of the CUDA runtime: without a device node of the driver there is no usable GPU.
TEST(StartDevice, FindsNoDeviceWhereThereIsNone) {
  for (const char* node : {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu"})
    if (std::filesystem::exists(node)) GTEST_SKIP() << node << " exists";
  const auto device = start_device({});
  ASSERT_TRUE(device);
  EXPECT_FALSE(device->status.usable);
  EXPECT_FALSE(device->status.reason.empty());
}

TEST(StartDevice, LeavesBadOptionsToTheSearch) {
  SearchOptions options;
  options.k = 0;
  EXPECT_TRUE(start_device(options));
  options.k = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(start_device(options));
}

}  // namespace
}  // namespace kann::test
