// Background tasks: the future has the result or the exception, and a task counts as running until it ends.
#include "cli/background.hpp"

#include <chrono>
#include <stdexcept>

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

bool all_tasks_end() {
  for (int i = 0; i < 1000 && has_background_work(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !has_background_work();
}

TEST(Background, ReturnsTheResultOrThrowsTheException) {
  EXPECT_EQ(in_background([] { return 42; }).get(), 42);
  EXPECT_THROW(in_background([]() -> int { throw std::runtime_error("odd"); }).get(), std::runtime_error);
  EXPECT_TRUE(all_tasks_end());
}

TEST(Background, RunsOnAfterItsFutureIsDestroyed) {
  std::promise<void> go;
  {
    const auto dropped = in_background([wait = go.get_future().share()] { wait.wait(); });
    EXPECT_TRUE(has_background_work());
  }
  EXPECT_TRUE(has_background_work());
  go.set_value();
  EXPECT_TRUE(all_tasks_end());
}

}  // namespace
}  // namespace kann::cli
