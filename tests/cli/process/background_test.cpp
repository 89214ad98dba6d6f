// Background tasks: the future has the result or the exception, and a task counts as running until it ends.
#include "cli/process/background.hpp"

#include <future>
#include <stdexcept>
#include <thread>

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

/// The count falls after the future is ready. ctest ends a test whose task never does.
void wait_until_all_tasks_end() {
  while (has_background_work()) std::this_thread::yield();
}

TEST(Background, ReturnsTheResultOrThrowsTheException) {
  EXPECT_EQ(in_background([] { return 42; }).get(), 42);
  EXPECT_THROW(in_background([]() -> int { throw std::runtime_error("odd"); }).get(), std::runtime_error);
  wait_until_all_tasks_end();
}

TEST(Background, RunsOnAfterItsFutureIsDestroyed) {
  std::promise<void> go;
  {
    const auto dropped = in_background([wait = go.get_future().share()] { wait.wait(); });
    EXPECT_TRUE(has_background_work());
  }
  EXPECT_TRUE(has_background_work());
  go.set_value();
  wait_until_all_tasks_end();
}

}  // namespace
}  // namespace kann::cli
