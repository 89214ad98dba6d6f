// Ends of the program that main() does not see, each in its own process: one line, the exit code, no temporary file.
#include "cli/termination.hpp"

#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "kann/io.hpp"

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

namespace fs = std::filesystem;

class TerminationDeathTest : public testing::Test {
 protected:
  TerminationDeathTest() {
    std::string name = (fs::temp_directory_path() / "kann_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TerminationDeathTest() override { fs::remove_all(folder_); }

  /// Opens a result and calls `end`, which ends the process.
  void end_with_open_result(void (*end)()) const {
    handle_termination();
    const NeighborFile file(folder_ / "out.npz", NeighborFormat::npz, false);
    if (fs::is_empty(folder_)) return;  // without a temporary file the test would prove nothing
    end();
  }
  bool folder_is_empty() const { return fs::is_empty(folder_); }

 private:
  fs::path folder_;
};

template <class Exception>
void throw_in_thread(const Exception& exception) {
  std::thread([&] { throw exception; }).join();
}

TEST_F(TerminationDeathTest, BadAllocInAThread) {
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(std::bad_alloc()); }), testing::ExitedWithCode(4),
              "^kann: error: not enough host memory\n$");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(TerminationDeathTest, AnyOtherExceptionInAThread) {
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(std::runtime_error("odd")); }), testing::ExitedWithCode(70),
              "^kann: error: internal error: odd; please report it\n$");
  EXPECT_EXIT(end_with_open_result([] { throw_in_thread(1); }), testing::ExitedWithCode(70), "unknown exception");
  EXPECT_EXIT(end_with_open_result([] { std::terminate(); }), testing::ExitedWithCode(70), "without an exception");
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(TerminationDeathTest, ALibraryThatEndsTheProcess) {
  EXPECT_EXIT(end_with_open_result([] { std::exit(1); }), testing::ExitedWithCode(1), "");
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace kann::cli
