// remove_pending_outputs() removes the temporary files that exist and no other file. Each test ends its process, as a
// program does that calls it.
#include "formats/files/pending_files.hpp"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "formats/write_support.hpp"

namespace {

/// Called by unlink() on this thread, with its path, before it removes the file.
thread_local std::function<void(const char*)> before_unlink;

}  // namespace

// The program's definition replaces that of the C library.
extern "C" int unlink(const char* path) noexcept {
  if (before_unlink) before_unlink(path);
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

namespace kann::formats {

using namespace test;

namespace {

class PendingFilesDeathTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string first_ = folder_.file(std::string(200, 'x')), second_ = folder_.file(std::string(200, 'y'));
};

/// The owner of a slot gives it up while a handler removes its file, and another thread wants it.
TEST_F(PendingFilesDeathTest, APathStaysWhileItsFileIsRemoved) {
  const auto end = [&] {
    auto pending = std::make_unique<PendingFile>(first_);
    std::atomic<bool> is_removing{false}, is_given_up{false}, is_replaced{false};
    std::thread([&] {
      is_removing.wait(false);
      pending.reset();
      is_given_up = true;
      pending = std::make_unique<PendingFile>(second_);
      is_replaced = true;
    }).detach();
    bool is_same = false;
    before_unlink = [&](const char* path) {
      is_same = path == first_;
      is_removing = true;
      is_removing.notify_one();
      while (!is_given_up) sched_yield();
      for (int i = 0; i < 10'000 && !is_replaced; ++i) sched_yield();
      is_same &= path == first_;
    };
    remove_pending_outputs();
    _exit(is_same && !is_replaced ? 0 : 1);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

TEST_F(PendingFilesDeathTest, AFileThatAppearsAfterTheFirstCallIsRemovedByTheNext) {
  const auto end = [&] {
    const PendingFile pending(first_);
    remove_pending_outputs();
    put_contents(first_, "temporary");
    remove_pending_outputs();
    _exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(PendingFilesDeathTest, OnlyWhatIsPendingIsRemoved) {
  const auto end = [&] {
    { const PendingFile first(first_); }
    const PendingFile second(second_);
    put_contents(first_, "somebody else's");
    put_contents(second_, "temporary");
    remove_pending_outputs();
    _exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{std::string(200, 'x')});
}

}  // namespace
}  // namespace kann::formats
