// A device that is started ahead of a search changes its time alone.
#include "search/start_up.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "kann/error.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

using StartUp = std::promise<std::shared_ptr<const StartedDevice>>;

class StartUpTest : public testing::Test {
 protected:
  StartUpTest() { options_.start_up = start_up_.get_future().share(); }

  /// A device that is not there, as start_device() would find it.
  static std::shared_ptr<const StartedDevice> unusable(int index = 0) {
    auto device = std::make_shared<StartedDevice>();
    device->index = index;
    device->status = {false, "the reason"};
    device->seconds = 3;
    return device;
  }

  const Points cloud_ = to_points(uniform(1000, 3, 1), 3);
  StartUp start_up_;
  SearchOptions options_;
};

TEST_F(StartUpTest, IsWaitedForAndReported) {
  std::jthread starter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    start_up_.set_value(unusable());
  });
  const SearchResult result = search_self(cloud_, options_);
  EXPECT_GT(result.report.steps.start_up, 0.03);
  EXPECT_EQ(result.report.start_up_seconds, 3);
  EXPECT_GE(result.report.total_seconds, result.report.steps.start_up);

  SearchOptions plain;
  plain.device.kind = DeviceKind::cpu;
  const SearchResult want = search_self(cloud_, plain);
  EXPECT_EQ(result.neighbors.ids, want.neighbors.ids);
  EXPECT_EQ(want.report.steps.start_up, 0);
  EXPECT_EQ(want.report.start_up_seconds, 0);
}

TEST_F(StartUpTest, ItsReasonIsTheMessage) {
  start_up_.set_value(unusable());
  options_.device.kind = DeviceKind::cuda;
  try {
    search_self(cloud_, options_);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_device);
    EXPECT_STREQ(e.what(), "no CUDA device (the reason); use --device cpu");
  }
}

TEST_F(StartUpTest, OfAnotherDeviceIsNotTaken) {
  start_up_.set_value(unusable(7));
  EXPECT_NE(search_self(cloud_, options_).report.start_up_seconds, 3);
}

TEST_F(StartUpTest, IsNotWaitedForOnTheCpu) {
  options_.device.kind = DeviceKind::cpu;
  EXPECT_EQ(search_self(cloud_, options_).neighbors.queries, 1000);  // nobody keeps the promise
}

TEST_F(StartUpTest, ABadCloudIsReportedWithoutWaiting) {
  Points bad = cloud_;
  std::get<Array<float>>(bad.coordinates)[0] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(search_self(bad, options_), Error);
}

TEST(StartDevice, StartsNothingForTheCpu) {
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  EXPECT_EQ(start_device(options), nullptr);
}

TEST(StartDevice, FindsWhatCudaStatusFinds) {
  SearchOptions options;
  const auto device = start_device(options);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->status.usable, cuda_status().usable);
  EXPECT_EQ(device->status.reason, cuda_status().reason);
  EXPECT_GE(device->seconds, 0);
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
