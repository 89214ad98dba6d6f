// The temporary files of killed runs are removed by the next run in their folder, those of a run that ends by itself;
// no other file is.
#include "formats/files/temporary_files.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "formats/files/pending_files.hpp"
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

using Names = std::vector<std::string>;

class TemporaryFiles : public testing::Test {
 protected:
  /// A result written here sweeps the folder. Another folder before it, since a folder is swept once in a row.
  void next_run() const {
    const TemporaryFolder elsewhere;
    write_file(elsewhere.file("x.bin"), NeighborFormat::bin, sample_neighbors(1, 1));
    write_file(folder_.file("next.bin"), NeighborFormat::bin, sample_neighbors(1, 1), "", true);
  }

  TemporaryFolder folder_;
};

TEST_F(TemporaryFiles, OfAKilledRunAreRemovedAndOfALivingOneStay) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    NeighborFile npz(folder_.file("a.npz"), NeighborFormat::npz, false);
    NeighborFile pair(folder_.file("b.npy"), NeighborFormat::npy, false);
    pair.write(sample_neighbors(3, 2), "");
    [[maybe_unused]] const auto written = write(ready[1], "x", 1);
    while (true) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(folder_.names().size(), 3u);
  next_run();
  EXPECT_EQ(folder_.names().size(), 4u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  next_run();
  EXPECT_EQ(folder_.names(), Names{"next.bin"});
  for (const int fd : ready) close(fd);
}

TEST_F(TemporaryFiles, AFileStaysLockedFromItsLastByteToItsName) {
  NeighborFile first(folder_.file("a.bin"), NeighborFormat::bin, false);
  first.write(sample_neighbors(2, 2), "");
  for (int round = 0; round < 3; ++round) next_run();
  first.commit();
  EXPECT_EQ(folder_.names(), (Names{"a.bin", "next.bin"}));
}

TEST_F(TemporaryFiles, ThatAreNotOursStay) {
  const Names others = {
      ".notes.2024.11.kann.tmp",          ".a.npz.kann-0123456789abcde.tmp",      ".a.npz.kann-0123456789abcdef0.tmp",
      ".a.npz.kann-0123456789ABCDEF.tmp", ".a.npz.kann-0123456789abcdeg.tmp",     "a.npz.kann-0123456789abcdef.tmp",
      ".a.npz.kann-0123456789abcdef.old", ".a.npz.kann-0123456789abcdef.tmp.bak", ".a.npzkann-0123456789abcdef.tmp",
      ".kann-0123456789abcdef.tmp",       ".a.npz.kann.0123456789abcdef.tmp",     ".a.npz.kann-.tmp"};
  for (const std::string& name : others) {
    EXPECT_FALSE(is_temporary_name(name)) << name;
    put_contents(folder_.file(name), "somebody else's");
  }
  ASSERT_EQ(mkfifo(folder_.file(".fifo.kann-0123456789abcdef.tmp").c_str(), 0600), 0);
  std::filesystem::create_directory(folder_.file(".folder.kann-0123456789abcdef.tmp"));
  put_contents(folder_.file("target"), "somebody else's");
  std::filesystem::create_symlink("target", folder_.file(".link.kann-0123456789abcdef.tmp"));
  const Names before = folder_.names();
  put_contents(folder_.file(".a.npz.kann-0123456789abcdef.tmp"), "left by a killed run");
  ASSERT_EQ(folder_.names().size(), before.size() + 1);
  next_run();
  Names after = folder_.names();
  std::erase(after, "next.bin");
  EXPECT_EQ(after, before);
}

TEST_F(TemporaryFiles, OfAnotherUserStay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const std::string path = folder_.file(".a.npz.kann-0123456789abcdef.tmp");
  put_contents(path, "another user's");
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  next_run();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(TemporaryFiles, AFileRemovedBeforeItsLockIsNoneToWriteTo) {
  const std::string path = folder_.file("file");
  put_contents(path, "");
  const int creator = open(path.c_str(), O_WRONLY), sweeper = open(path.c_str(), O_RDONLY);
  ASSERT_EQ(flock(sweeper, LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(lock_temporary(creator));  // being removed
  ASSERT_EQ(unlink(path.c_str()), 0);
  close(sweeper);
  EXPECT_FALSE(lock_temporary(creator));  // removed
  close(creator);
}

// Writers that begin and end all the time, beside one that sweeps: none loses its file.
TEST_F(TemporaryFiles, NoWriterLosesItsFileToASweep) {
  std::vector<std::jthread> writers;
  for (int w = 0; w < 3; ++w)
    writers.emplace_back([&, w] {
      const std::string path = folder_.file("w" + std::to_string(w) + ".bin");
      for (int i = 0; i < 100; ++i)
        EXPECT_NO_THROW(write_file(path, NeighborFormat::bin, sample_neighbors(2, 2), "", true));
    });
  const TemporaryFolder elsewhere;
  for (int i = 0; i < 300; ++i) {
    sweep_temporaries(elsewhere.path());
    sweep_temporaries(folder_.path());
  }
  writers.clear();
  EXPECT_EQ(folder_.names().size(), 3u);
}

/// remove_pending_outputs() removes the temporary files that exist and no other file. Each test ends its process, as a
/// program does that calls it.
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
