// Starting the device before a search changes the time of the search, and nothing else.
#include "search/devices/start_up.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "search/devices/device_choice.hpp"

namespace kann::test {
namespace {

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
  detail::ChosenDevice chosen = detail::choose_device(large, options_, false);
  EXPECT_TRUE(waited_);
  EXPECT_EQ(chosen.kind, DeviceKind::cuda);
  EXPECT_EQ(chosen.start_up_seconds, k_seconds);
  EXPECT_NE(chosen.reason.find("a CUDA device is taken from 340 ms on"), std::string::npos) << chosen.reason;

  give(device(unusable_, 6));
  chosen = detail::choose_device(large, options_, false);
  EXPECT_EQ(chosen.kind, DeviceKind::cpu);
  EXPECT_EQ(chosen.reason, "no CUDA device (the reason)");

  waited_ = false;  // an index has ordered these data: one query is left
  EXPECT_EQ(detail::choose_device(large, options_, true).kind, DeviceKind::cpu);
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
