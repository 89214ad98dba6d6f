// The limits of control groups, in folders that look like a system's.
#include "base/threads/granted_processors.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace kann::base {
namespace {

namespace fs = std::filesystem;

constexpr double k_unlimited = std::numeric_limits<double>::infinity();

class ProcessorQuota : public testing::Test {
 protected:
  ProcessorQuota() : root_(fs::temp_directory_path() / ("kann_quota_" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
  }
  ~ProcessorQuota() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  double quota() const { return processor_quota(root_); }

  fs::path root_;
};

TEST_F(ProcessorQuota, IsUnlimitedWithoutControlGroups) {
  EXPECT_EQ(quota(), k_unlimited);
  write("proc/self/mountinfo", "23 1 0:22 / / rw - ext4 /dev/vda rw\n");
  EXPECT_EQ(quota(), k_unlimited);
}

TEST_F(ProcessorQuota, IsThatOfAContainer) {
  write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup ro,nosuid shared:4 - cgroup2 cgroup rw,nsdelegate\n");
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), k_unlimited);
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
  write("sys/fs/cgroup/cpu.max", "350000 100000\n");
  EXPECT_EQ(quota(), 3.5);
  write("sys/fs/cgroup/cpu.max", "");
  EXPECT_EQ(quota(), k_unlimited);
}

TEST_F(ProcessorQuota, IsTheLeastOfAllGroupsThatTheProcessIsIn) {
  write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/user.slice/job:7/step\n");
  write("sys/fs/cgroup/user.slice/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/user.slice/job:7/cpu.max", "150000 50000\n");
  write("sys/fs/cgroup/user.slice/job:7/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(ProcessorQuota, OfVersionOne) {
  write("proc/self/mountinfo",
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "33 31 0:30 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "3:cpuset:/docker/abc\n1:cpu,cpuacct:/docker/abc/inner\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), k_unlimited);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(quota(), 2);
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "25000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.25);
  // The process is in a group that is not mounted here
  write("proc/self/cgroup", "1:cpu,cpuacct:/elsewhere\n");
  EXPECT_EQ(quota(), 2);
}

TEST(GrantedProcessors, AreThoseOfTheAffinityMask) {
  std::thread([] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_LE(granted_processors(), CPU_COUNT(&all));
    EXPECT_GT(granted_processors(), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_LE(granted_processors(), 1);
  }).join();
}

}  // namespace
}  // namespace kann::base
