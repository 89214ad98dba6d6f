#include "base/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vector>

namespace kann::base {
namespace {

TEST(PeakHostMemory, GrowsWithWhatIsUsed) {
  const std::int64_t before = peak_host_memory();
  const std::vector<char> memory(64 << 20, 1);
  EXPECT_GE(peak_host_memory(), before);
  EXPECT_GE(peak_host_memory(), 64 << 20);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LE(peak_host_memory(), (std::int64_t{usage.ru_maxrss} + 1024) * 1024);
  EXPECT_EQ(memory.back(), 1);
}

}  // namespace
}  // namespace kann::base
