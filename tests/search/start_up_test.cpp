// Starting the device before a search changes the time of the search, and nothing else.
#include "search/start_up.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "kann/error.hpp"

#include "clouds.hpp"

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

TEST_F(StartUpTest, IsWaitedForAndReported) {
  give(device(unusable_));
  const SearchResult result = search_self(cloud_, options_);
  EXPECT_TRUE(waited_);
  EXPECT_EQ(result.report.start_up_seconds, k_seconds);
  EXPECT_GE(result.report.total_seconds, result.report.steps.start_up);
  EXPECT_EQ(result.report.device_reason, "no CUDA device (the reason)");

  SearchOptions plain;
  plain.device.kind = DeviceKind::cpu;
  const SearchResult want = search_self(cloud_, plain);
  EXPECT_EQ(result.neighbors.ids, want.neighbors.ids);
  EXPECT_EQ(want.report.steps.start_up, 0);
  EXPECT_EQ(want.report.start_up_seconds, 0);
  EXPECT_EQ(want.report.device_reason, "");
}

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
  EXPECT_NE(search_self(cloud_, options_).report.start_up_seconds, k_seconds);
}

TEST_F(StartUpTest, IsNotWaitedForOnTheCpu) {
  give(device(unusable_));
  options_.device.kind = DeviceKind::cpu;
  EXPECT_EQ(search_self(cloud_, options_).neighbors.queries, 1000);
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
  EXPECT_EQ(device->staging, nullptr);
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
