// Whether the CUDA device is started before the files are read, or in the middle of a batch.
#include "cli/job/device_start.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/batch/batch.hpp"
#include "search/devices/start_up.hpp"

namespace kann::cli {
namespace {

constexpr SearchSize k_frame{120'000, 120'000};

SearchOptions options_of(DeviceKind kind) {
  SearchOptions options;
  options.device.kind = kind;
  options.threads = 2;
  return options;
}

/// Whether the device was started; waits until that has ended.
bool has_started(const DeviceStart& device) {
  const StartUp start_up = device.start_up();
  if (start_up.valid()) start_up.wait();
  return start_up.valid();
}

SearchReport cpu_search(double seconds) {
  SearchReport report;
  report.data_points = report.query_points = 120'000;
  report.total_seconds = seconds;
  return report;
}

TEST(DeviceStart, FollowsWhatIsAskedFor) {
  EXPECT_TRUE(has_started(DeviceStart(options_of(DeviceKind::cuda))));
  DeviceStart cpu(options_of(DeviceKind::cpu));
  cpu.expect({{k_frame}, 1e6});
  cpu.count(cpu_search(1e3));
  EXPECT_FALSE(has_started(cpu));
}

/// A process starts a device once, and then it costs nothing.
class AutoDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (detail::start_up_state(0).has_begun) GTEST_SKIP() << "another test of this process has looked for a device";
  }
};

TEST_F(AutoDevice, FollowsTheForecast) {
  DeviceStart few(options_of(DeviceKind::automatic));
  few.expect({});
  few.expect({{k_frame}, 3});
  EXPECT_FALSE(has_started(few));
  DeviceStart many(options_of(DeviceKind::automatic));
  many.expect({{k_frame}, 1e4});
  EXPECT_TRUE(has_started(many));
}

/// Nothing was known of a stream: the device is started when the CPU has lost what its start costs.
TEST_F(AutoDevice, StartsWhenTheCpuHasTakenTooLong) {
  DeviceStart device(options_of(DeviceKind::automatic));
  for (int i = 0; i < 20; ++i) device.count(cpu_search(.01));
  EXPECT_FALSE(has_started(device));
  for (int i = 0; i < 40; ++i) device.count(cpu_search(.01));
  EXPECT_TRUE(has_started(device));
}

TEST_F(AutoDevice, DoesNotCountSearchesThatTheDeviceMade) {
  DeviceStart device(options_of(DeviceKind::automatic));
  SearchReport report = cpu_search(1e3);
  report.device.kind = DeviceKind::cuda;
  device.count(report);
  EXPECT_FALSE(has_started(device));
}

/// A job source of which only the sizes matter: `count` jobs of one file.
class ExpectedBatch : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("kann_expected_" + test + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    for (const char* name : {"a.xyz", "b.xyz"}) std::ofstream(folder_ / name) << "1 2 3\n4 5 6\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  ExpectedSearches expect(int jobs, const std::function<std::string(int)>& line) {
    std::ofstream list(folder_ / "jobs.tsv");
    for (int i = 0; i < jobs; ++i) list << line(i) << '\n';
    list.close();
    Options options;
    options.jobs = (folder_ / "jobs.tsv").string();
    return expected_searches(*open_jobs(options), options);
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(ExpectedBatch, IsThatOfAFewJobsTimesTheirShare) {
  const auto line = [this](int i) {
    return file("a.xyz") + '\t' + file("b.xyz") + '\t' + file(std::to_string(i)) + ".npz";
  };
  const ExpectedSearches few = expect(3, line);
  ASSERT_EQ(few.sizes.size(), 3u);
  EXPECT_EQ(few.repeats, 1);
  EXPECT_EQ(few.sizes[0].data_points, 2);
  EXPECT_FALSE(few.sizes[0].data_are_ordered);
  EXPECT_TRUE(few.sizes[1].data_are_ordered);
  const ExpectedSearches many = expect(1'000, line);
  EXPECT_LE(many.sizes.size(), 64u);
  EXPECT_NEAR(static_cast<double>(many.sizes.size()) * many.repeats, 1'000, 1e-9);
}

TEST_F(ExpectedBatch, LeavesOutJobsThatCannotRun) {
  const ExpectedSearches some = expect(
      4, [this](int i) { return file(i % 2 ? "missing.xyz" : "a.xyz") + "\t\t" + file(std::to_string(i)) + ".npz"; });
  EXPECT_EQ(some.sizes.size(), 2u);
  EXPECT_EQ(expect(0, [](int) { return ""; }).sizes.size(), 0u);
}

}  // namespace
}  // namespace kann::cli
