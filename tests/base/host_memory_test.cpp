#include "base/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory_budget.hpp"

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

TEST(MemoryBudget, CountsWhatIsChargedAtATime) {
  MemoryBudget memory(1000);
  {
    const MemoryCharge one(&memory, 300);
    MemoryCharge two(&memory, 900);
    EXPECT_EQ(memory.in_use(), 1200) << "past the limit, nothing fails";
    two.resize(100);
    EXPECT_EQ(memory.in_use(), 400);
    MemoryCharge three = std::move(two);
    EXPECT_EQ(memory.in_use(), 400);
    three = MemoryCharge(&memory, 50);
    EXPECT_EQ(memory.in_use(), 350);
    const MemoryCharge none(nullptr, 1e9);
  }
  EXPECT_EQ(memory.in_use(), 0);
  EXPECT_EQ(memory.peak(), 1200);
  EXPECT_EQ(memory.limit(), 1000);
}

TEST(MemoryBudget, ThreadsChargeItTogether) {
  MemoryBudget memory;
  {
    std::vector<MemoryCharge> held(4);
    std::vector<std::jthread> threads;
    for (MemoryCharge& own : held)
      threads.emplace_back([&] {
        for (int i = 0; i < 10'000; ++i) own = MemoryCharge(&memory, i % 2 == 0 ? 3 : 5);
      });
    threads.clear();
    EXPECT_EQ(memory.in_use(), 4 * 5);
  }
  EXPECT_EQ(memory.in_use(), 0);
  EXPECT_LE(memory.peak(), 4 * (3 + 5));
}

TEST(BytesText, HasThreeDigits) {
  EXPECT_EQ(bytes_text(900), "900 bytes");
  EXPECT_EQ(bytes_text(52.61e6), "52.6 MB");
  EXPECT_EQ(bytes_text(1.763e12), "1.76 TB");
  EXPECT_EQ(enough_text(52.61e6), "52.7 MB");
  EXPECT_EQ(enough_text(9.2000001e9), "9.21 GB");
}

}  // namespace
}  // namespace kann::base
