// Ends of the program that main() does not see, each in its own process: one line, the exit code, no temporary file.
// And background tasks: the future has the result or the exception, and a task counts as running until it ends.
#include "cli/process/ends.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include "kann/io.hpp"

#include "../run_kann.hpp"
#include "base/threads/parallel.hpp"
#include "base/threads/signal_stack.hpp"
#include "cli/process/background.hpp"
#include "cli/report/publish_report.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

using test::k_is_sanitized;
namespace fs = std::filesystem;

class EndsDeathTest : public testing::Test {
 protected:
  EndsDeathTest() {
    std::string name = (fs::temp_directory_path() / "kann_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~EndsDeathTest() override { fs::remove_all(folder_); }

  /// Opens a result and calls `end`, which ends the process.
  void end_with_open_result(void (*end)()) const {
    handle_ends();
    const NeighborFile file(folder_ / "out.npz", NeighborFormat::npz, false);
    if (fs::is_empty(folder_)) return;  // without a temporary file the test would prove nothing
    end();
  }
  bool folder_is_empty() const { return fs::is_empty(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

template <class Exception>
void throw_in_thread(const Exception& exception) {
  std::thread([&] { throw exception; }).join();
}

TEST_F(EndsDeathTest, BadAllocInAThread) {
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(std::bad_alloc()); }), testing::ExitedWithCode(4),
              "^kann: error: not enough host memory\n$");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(EndsDeathTest, AnyOtherExceptionInAThread) {
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(std::runtime_error("odd")); }), testing::ExitedWithCode(70),
              "^kann: error: internal error: odd; please report it\n$");
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(1); }), testing::ExitedWithCode(70), "unknown exception");
  EXPECT_EXIT(end_with_open_result([] { std::terminate(); }), testing::ExitedWithCode(70), "without an exception");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(EndsDeathTest, ALibraryThatEndsTheProcess) {
  EXPECT_EXIT(end_with_open_result([] { std::exit(1); }), testing::ExitedWithCode(70),
              "^kann: error: internal error: a library ended the program; please report it\n$");
  EXPECT_TRUE(folder_is_empty());
}

/// Calls itself until the stack ends.
[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

constexpr const char* k_crash = "^kann: error: internal error: the program crashed; please report it\n$";

TEST_F(EndsDeathTest, ACrashInAnyThread) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer reports crashes itself";
  EXPECT_EXIT(end_with_open_result([] { raise(SIGSEGV); }), testing::ExitedWithCode(70), k_crash);
  EXPECT_EXIT(end_with_open_result([] { std::thread([] { raise(SIGSEGV); }).join(); }), testing::ExitedWithCode(70),
              k_crash);
  EXPECT_EXIT(end_with_open_result([] { std::abort(); }), testing::ExitedWithCode(70), k_crash);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(EndsDeathTest, AStackThatOverflowsInAnyThread) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer reports crashes itself";
  EXPECT_EXIT(end_with_open_result([] {
                const base::SignalStack stack;
                overflow(0);
              }),
              testing::ExitedWithCode(70), k_crash);
  EXPECT_EXIT(end_with_open_result([] {
                const auto caller = std::this_thread::get_id();
                base::on_pool(2, [&] { std::this_thread::get_id() == caller ? pause() : overflow(0); });
              }),
              testing::ExitedWithCode(70), k_crash);
  EXPECT_EXIT(end_with_open_result([] { in_background([] { overflow(0); }).get(); }), testing::ExitedWithCode(70),
              k_crash);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(EndsDeathTest, MemoryThatEndsInALoopThatMustNotThrow) {
  EXPECT_EXIT(end_with_open_result([] { base::parallel_for(4, 2, [](std::int64_t) { throw std::bad_alloc(); }); }),
              testing::ExitedWithCode(4), "^kann: error: not enough host memory\n$");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(EndsDeathTest, LeaveAReport) {
  static Options options;  // which the child knows
  options.data = "pts.ply";
  options.report = path("r.json");
  const auto report_after = [&](void (*end)(), int code) {
    EXPECT_EXIT(end_with_open_result(end), testing::ExitedWithCode(code), "");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("")), {}), 1);
    const auto report = nlohmann::json::parse(std::ifstream(*options.report));
    fs::remove(*options.report);
    EXPECT_EQ(report["data"]["path"], "pts.ply");
    EXPECT_EQ(report["warnings"], nlohmann::json::array({"before"}));
    EXPECT_EQ(report["error"]["exit_code"], code);
    return report["error"]["kind"];
  };
  static const auto begin = [] {
    Report report;
    report.warnings = {"before"};
    begin_reports(options, report);
  };
  EXPECT_EQ(report_after([] { begin(), throw_in_thread(std::runtime_error("odd")); }, 70), "internal");
  EXPECT_EQ(report_after([] { begin(), throw_in_thread(std::bad_alloc()); }, 4), "resources");
  EXPECT_EQ(report_after([] { begin(), raise(SIGTERM); }, 143), "interrupted");
  EXPECT_EQ(report_after([] { begin(), std::exit(0); }, 70), "internal");
  if (k_is_sanitized) return;  // a sanitizer reports crashes itself
  EXPECT_EQ(report_after([] { begin(), raise(SIGSEGV); }, 70), "internal");
}

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
