// Whether the CUDA device is started before the files are read, or in the middle of a batch.
#include "cli/job/device_start.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/batch/batch.hpp"
#include "cuda/backend.hpp"

namespace kann::cli {
namespace {

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
  cpu.expect(1e6);
  cpu.count(cpu_search(1e3));
  EXPECT_FALSE(has_started(cpu));
}

class AutoDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::has_started(0)) GTEST_SKIP() << "another test of this process has started a device";
  }
};

TEST_F(AutoDevice, FollowsWhatIsExpected) {
  DeviceStart few(options_of(DeviceKind::automatic));
  few.expect(0);
  few.expect(.3);
  EXPECT_FALSE(has_started(few));
  DeviceStart many(options_of(DeviceKind::automatic));
  many.expect(.4);
  EXPECT_TRUE(has_started(many));
}

/// Nothing was known of a stream: the device is started when the CPU has searched for as long as its start takes.
TEST_F(AutoDevice, StartsWhenTheCpuHasTakenTooLong) {
  DeviceStart device(options_of(DeviceKind::automatic));
  for (int i = 0; i < 33; ++i) device.count(cpu_search(.01));
  EXPECT_FALSE(has_started(device));
  for (int i = 0; i < 2; ++i) device.count(cpu_search(.01));
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

  double expect(int jobs, const std::function<std::string(int)>& line) {
    std::ofstream list(folder_ / "jobs.tsv");
    for (int i = 0; i < jobs; ++i) list << line(i) << '\n';
    list.close();
    Options options;
    options.jobs = (folder_ / "jobs.tsv").string();
    options.search.threads = 1;
    return expected_cpu_seconds(*open_jobs(options), options);
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(ExpectedBatch, IsThatOfAFewJobsTimesTheirShare) {
  const auto line = [this](int i) {
    return file("a.xyz") + '\t' + file("b.xyz") + '\t' + file(std::to_string(i)) + ".npz";
  };
  SearchOptions one_thread;
  one_thread.threads = 1;
  detail::SearchSize size{2, 2};
  const double first = detail::cpu_seconds(size, one_thread);
  size.data_are_ordered = true;
  const double later = detail::cpu_seconds(size, one_thread);
  EXPECT_LT(later, first);
  EXPECT_NEAR(expect(3, line), first + 2 * later, 1e-12);
  EXPECT_NEAR(expect(1'000, line), 1'000 * later, 64 * (first - later));
}

TEST_F(ExpectedBatch, LeavesOutJobsThatCannotRun) {
  const auto line = [this](int i) {
    return file(i % 2 ? "missing.xyz" : "a.xyz") + "\t\t" + file(std::to_string(i)) + ".npz";
  };
  EXPECT_NEAR(expect(4, line), 2 * expect(1, line), 1e-12);
  EXPECT_EQ(expect(0, [](int) { return ""; }), 0);
}

}  // namespace
}  // namespace kann::cli
