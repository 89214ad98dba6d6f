// remove_pending_outputs() removes the temporary files that exist and no other file.
#include "formats/files/pending_files.hpp"

#include <atomic>
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

class PendingFiles : public testing::Test {
 protected:
  ~PendingFiles() override { before_unlink = nullptr; }

  TemporaryFolder folder_;
  std::string first_ = folder_.file(std::string(200, 'x')), second_ = folder_.file(std::string(200, 'y'));
};

TEST_F(PendingFiles, APathStaysWhileItsFileIsRemoved) {
  auto pending = std::make_unique<PendingFile>(first_);
  std::atomic<bool> is_removing{false}, is_replaced{false};
  std::jthread owner([&] {
    is_removing.wait(false);
    pending.reset();
    pending = std::make_unique<PendingFile>(second_);
    is_replaced = true;
  });
  std::string path_before, path_after;
  before_unlink = [&](const char* path) {
    path_before = path;
    is_removing = true;
    is_removing.notify_one();
    // Lets the owner write its next path into the slot, if nothing stops it.
    for (int i = 0; i < 100'000 && !is_replaced; ++i) sched_yield();
    path_after = path;
  };
  remove_pending_outputs();
  owner.join();
  EXPECT_EQ(path_before, first_);
  EXPECT_EQ(path_after, first_);
}

TEST_F(PendingFiles, AFileThatAppearsAfterTheFirstCallIsRemovedByTheNext) {
  const PendingFile pending(first_);
  remove_pending_outputs();
  put_contents(first_, "temporary");
  remove_pending_outputs();
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(PendingFiles, AFileIsRemovedOnce) {
  const PendingFile first(first_);
  put_contents(first_, "temporary");
  remove_pending_outputs();
  EXPECT_TRUE(folder_.names().empty());

  const PendingFile second(second_);
  put_contents(first_, "somebody else's");
  put_contents(second_, "temporary");
  remove_pending_outputs();
  EXPECT_EQ(folder_.names(), std::vector<std::string>{std::string(200, 'x')});
}

}  // namespace
}  // namespace kann::formats
