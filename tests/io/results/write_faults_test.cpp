// Each system call of writing a result fails once, and the folder stays as it was.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/write_support.hpp"

namespace {

/// The errors that the calls below report; 0: the call works.
struct Faults {
  int write_errno = 0, fsync_errno = 0, close_errno = 0, rename_errno = 0, rename_to_new_errno = 0, chmod_errno = 0;
  int good_writes = 0;          ///< successful calls of write() before the first that fails
  int hint_errno = 0;           ///< of fallocate() and sync_file_range(), whose failures are ignored
  bool partial_writes = false;  ///< three calls in four return EINTR, EAGAIN or a count of at most seven bytes
};
thread_local Faults faults;

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

// The program's definitions replace those of the C library.
extern "C" {

ssize_t write(int fd, const void* data, std::size_t size) {
  static thread_local int calls = 0;
  if (faults.write_errno && faults.good_writes-- <= 0) return fail(faults.write_errno);
  if (faults.partial_writes) {
    switch (calls++ % 4) {
      case 0:
        return fail(EINTR);
      case 1:
        return fail(EAGAIN);
      case 2:
        size = std::min<std::size_t>(size, 7);
    }
  }
  return syscall(SYS_write, fd, data, size);
}

int fsync(int fd) { return faults.fsync_errno ? fail(faults.fsync_errno) : static_cast<int>(syscall(SYS_fsync, fd)); }

int fallocate(int fd, int mode, off_t offset, off_t size) {
  return faults.hint_errno ? fail(faults.hint_errno) : static_cast<int>(syscall(SYS_fallocate, fd, mode, offset, size));
}

int sync_file_range(int fd, off_t offset, off_t size, unsigned flags) {
  return faults.hint_errno ? fail(faults.hint_errno)
                           : static_cast<int>(syscall(SYS_sync_file_range, fd, offset, size, flags));
}

int close(int fd) {
  const int result = static_cast<int>(syscall(SYS_close, fd));
  return faults.close_errno ? fail(faults.close_errno) : result;
}

int fchmod(int fd, mode_t mode) noexcept {
  return faults.chmod_errno ? fail(faults.chmod_errno) : static_cast<int>(syscall(SYS_fchmod, fd, mode));
}

int rename(const char* from, const char* to) noexcept {
  if (faults.rename_errno) return fail(faults.rename_errno);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  if (faults.rename_to_new_errno) return fail(faults.rename_to_new_errno);
  return static_cast<int>(syscall(SYS_renameat2, from_fd, from, to_fd, to, flags));
}

}  // extern "C"

namespace kann::io {

using namespace test;

namespace {

using Names = std::vector<std::string>;

class WriteFaults : public testing::Test {
 protected:
  std::optional<Error> error_with(Faults wanted, bool replace) {
    return error_of([&] {
      NeighborFile file(path_, NeighborFormat::bin, replace);
      file.write(neighbors_, "");
      faults = wanted;
      const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
      file.write(neighbors_, "");
      file.commit();
    });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("a.bin");
  Neighbors neighbors_ = sample_neighbors(5, 4);
};

TEST_F(WriteFaults, AnyFailureNamesItsReasonAndKeepsTheOldFile) {
  put_contents(path_, "old");
  for (const Faults& f : {Faults{.write_errno = ENOSPC}, Faults{.fsync_errno = ENOSPC}, Faults{.close_errno = ENOSPC},
                          Faults{.rename_errno = ENOSPC}}) {
    const auto error = error_with(f, true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), path_ + ": No space left on device (old file kept)");
    EXPECT_EQ(contents(path_), "old");
    EXPECT_EQ(folder_.names(), Names{"a.bin"});
  }
}

TEST_F(WriteFaults, AnyFailureWithoutAnOldFileLeavesNothing) {
  for (const Faults& f : {Faults{.write_errno = EIO}, Faults{.fsync_errno = EIO}, Faults{.close_errno = EIO},
                          Faults{.rename_to_new_errno = EIO}}) {
    const auto error = error_with(f, false);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), path_ + ": Input/output error");
    EXPECT_TRUE(folder_.names().empty());
  }
}

TEST_F(WriteFaults, PermissionsThatCannotBeKeptAreAnErrorBeforeTheWork) {
  put_contents(path_, "old");
  faults.chmod_errno = EPERM;
  const auto error = error_of([&] { NeighborFile(path_, NeighborFormat::bin, true); });
  faults = {};
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), path_ + ": Operation not permitted (old file kept)");
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteFaults, PartialWritesLoseNothing) {
  write_file(folder_.file("plain.bin"), NeighborFormat::bin, neighbors_);
  faults.partial_writes = true;
  write_file(path_, NeighborFormat::bin, neighbors_);
  faults = {};
  EXPECT_TRUE(contents(path_) == contents(folder_.file("plain.bin")));
}

/// Results of several chunks (of 8 MiB, as in atomic_file.cpp).
class WriteFaultsLarge : public WriteFaults {
 protected:
  static constexpr std::int64_t k_chunk = 8 << 20;

  static Neighbors of_bytes(std::int64_t bytes) { return sample_neighbors(bytes / 4, 1); }
};

TEST_F(WriteFaultsLarge, AFailureInAnyChunkLeavesNothing) {
  neighbors_ = of_bytes(3 * k_chunk);
  for (const int good : {0, 1, 2, 3, 5}) {  // the header is one of them
    const auto error = error_of([&] {
      faults = {.write_errno = ENOSPC, .good_writes = good};
      const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
      write_file(path_, NeighborFormat::bin, neighbors_);
    });
    ASSERT_TRUE(error) << good;
    EXPECT_EQ(std::string(error->what()), path_ + ": No space left on device");
    EXPECT_TRUE(folder_.names().empty());
  }
}

TEST_F(WriteFaultsLarge, AFileSystemWithoutTheHintsGetsTheSameBytes) {
  for (const std::int64_t bytes : {k_chunk - 4, k_chunk, k_chunk + 4, 2 * k_chunk + 4}) {
    neighbors_ = of_bytes(bytes);
    std::string want(8, '\0');
    reinterpret_cast<std::uint32_t*>(want.data())[0] = static_cast<std::uint32_t>(neighbors_.queries);
    reinterpret_cast<std::uint32_t*>(want.data())[1] = 1;
    want.append(reinterpret_cast<const char*>(neighbors_.ids.data()), static_cast<std::size_t>(bytes));
    want.append(reinterpret_cast<const char*>(neighbors_.distances.data()), static_cast<std::size_t>(bytes));
    for (const Faults& f : {Faults{}, Faults{.hint_errno = EOPNOTSUPP}, Faults{.partial_writes = true}}) {
      faults = f;
      write_file(path_, NeighborFormat::bin, neighbors_, "", true);
      faults = {};
      EXPECT_TRUE(contents(path_) == want) << bytes;
    }
  }
}

TEST_F(WriteFaults, AFileSystemWithoutFsyncIsNoFailure) {
  EXPECT_FALSE(error_with({.fsync_errno = EINVAL}, false));
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

// As on NFS, whose rename() has no RENAME_NOREPLACE.
TEST_F(WriteFaults, NothingIsReplacedWithoutAnExclusiveRename) {
  EXPECT_FALSE(error_with({.rename_to_new_errno = EINVAL}, false));
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
  std::filesystem::remove(path_);

  NeighborFile file(path_, NeighborFormat::bin, false);
  file.write(neighbors_, "");
  put_contents(path_, "somebody else's");
  faults.rename_to_new_errno = EINVAL;
  const auto error = error_of([&] { file.commit(); });
  faults = {};
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(contents(path_), "somebody else's");
}

}  // namespace
}  // namespace kann::io
