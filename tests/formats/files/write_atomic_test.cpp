// Under its final name a result is complete or absent, an old one stays until then, and no other file remains.
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Names = std::vector<std::string>;

/// Limits the size of files during its lifetime: for this process, a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class WriteAtomic : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Neighbors small_ = sample_neighbors(3, 2);
  Neighbors large_ = sample_neighbors(20000, 8);
};

TEST_F(WriteAtomic, NothingIsVisibleBeforeCommit) {
  NeighborFile file(folder_.file("a.bin"), NeighborFormat::bin, false);
  EXPECT_EQ(folder_.names().size(), 1);
  EXPECT_TRUE(folder_.names()[0].starts_with(".a.bin.kann-"));
  EXPECT_TRUE(folder_.names()[0].ends_with(".tmp"));
  file.write(small_, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.bin")));
  file.commit();
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteAtomic, WithoutCommitTheOldFileStaysAndNothingElseDoes) {
  put_contents(folder_.file("a.npy"), "old");
  {
    NeighborFile file(folder_.file("a.npy"), NeighborFormat::npy, true);
    file.write(small_, "");
  }
  EXPECT_EQ(contents(folder_.file("a.npy")), "old");
  EXPECT_EQ(folder_.names(), Names{"a.npy"});
}

TEST_F(WriteAtomic, AMovedFileIsWrittenOnce) {
  NeighborFile first(folder_.file("a.bin"), NeighborFormat::bin, false);
  NeighborFile second = std::move(first);
  NeighborFile third(folder_.file("b.bin"), NeighborFormat::bin, false);
  third = std::move(second);
  EXPECT_EQ(folder_.names().size(), 1);
  third.write(small_, "");
  third.commit();
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteAtomic, AnExistingFileIsReplacedOnlyWithPermission) {
  const std::string path = folder_.file("a.npz");
  put_contents(path, "old");
  const auto error = error_of([&] { NeighborFile(path, NeighborFormat::npz, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(std::string(error->what()), path + ": File exists; use --force to replace it");
  EXPECT_EQ(contents(path), "old");

  write_file(path, NeighborFormat::npz, small_, "{}", true);
  EXPECT_EQ(contents(path).substr(0, 2), "PK");
  EXPECT_EQ(folder_.names(), Names{"a.npz"});
}

TEST_F(WriteAtomic, TheDistancesOfNpyAreNotReplacedWithoutPermissionEither) {
  put_contents(folder_.file("a.distances.npy"), "old");
  const auto error = error_of([&] { NeighborFile(folder_.file("a.NPY"), NeighborFormat::npy, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), folder_.file("a.distances.npy") + ": File exists; use --force to replace it");
  EXPECT_EQ(folder_.names(), Names{"a.distances.npy"});
}

TEST_F(WriteAtomic, AFileThatAppearsMeanwhileIsNotReplaced) {
  const std::string path = folder_.file("a.bin");
  {
    NeighborFile file(path, NeighborFormat::bin, false);
    file.write(small_, "");
    put_contents(path, "somebody else's");
    const auto error = error_of([&] { file.commit(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::usage);
  }
  EXPECT_EQ(contents(path), "somebody else's");
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteAtomic, AFullDiskKeepsTheOldFile) {
  for (const std::string name : {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"}) {
    const std::string path = folder_.file("a." + name);
    put_contents(path, "old");
    const FileSizeLimit limit(64 << 10);
    const auto error = error_of([&] { write_file(path, *neighbor_format(name), large_, "{}", true); });
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), path + ": File too large (old file kept)");
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(folder_.names(), Names{"a." + name});
    std::filesystem::remove(path);
  }
}

TEST_F(WriteAtomic, AFullDiskWithoutAnOldFileLeavesNothing) {
  const FileSizeLimit limit(64 << 10);
  const auto error = error_of([&] { write_file(folder_.file("a.csv"), NeighborFormat::csv, large_); });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), folder_.file("a.csv") + ": File too large");
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(WriteAtomic, HalfAResultCannotBeCommitted) {
  NeighborFile file(folder_.file("a.bin"), NeighborFormat::bin, false);
  {
    const FileSizeLimit limit(64 << 10);
    EXPECT_TRUE(error_of([&] { file.write(large_, ""); }));
  }
  const auto error = error_of([&] { file.commit(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::internal);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.bin")));
}

TEST_F(WriteAtomic, DevicesAreWrittenAsTheyAre) {
  for (const std::string name : {"npz", "npy", "csv", "bin", "ivecs", "ibin"}) {
    const auto error = error_of([&] { write_file("/dev/full", *neighbor_format(name), small_); });
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), "/dev/full: No space left on device");
    write_file("/dev/null", *neighbor_format(name), small_);
  }
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.distances.npy"));
}

TEST_F(WriteAtomic, AFifoGetsTheBytes) {
  write_file(folder_.file("file.csv"), NeighborFormat::csv, large_);
  const std::string fifo = folder_.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = contents(fifo); });
  write_file(fifo, NeighborFormat::csv, large_);
  reader.join();
  EXPECT_TRUE(got == contents(folder_.file("file.csv")));
}

TEST_F(WriteAtomic, AReaderThatLeavesIsAnErrorAndNoSignal) {
  void (*const old_handler)(int) = std::signal(SIGPIPE, SIG_IGN);  // as the program does
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const int saved = dup(1);
  dup2(ends[1], 1);
  const auto error = error_of([&] { write_file("-", NeighborFormat::bin, small_); });
  dup2(saved, 1);
  close(saved);
  close(ends[1]);
  std::signal(SIGPIPE, old_handler);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources);
  EXPECT_EQ(std::string(error->what()), "stdout: Broken pipe");
}

TEST_F(WriteAtomic, ASymbolicLinkStaysOneAndItsFileIsReplaced) {
  std::filesystem::create_directory(folder_.file("there"));
  put_contents(folder_.file("there/a.bin"), "old");
  std::filesystem::create_symlink("there/a.bin", folder_.file("relative.bin"));
  std::filesystem::create_symlink(folder_.file("relative.bin"), folder_.file("chain.bin"));
  std::filesystem::create_symlink("there/new.bin", folder_.file("dangling.bin"));

  EXPECT_TRUE(error_of([&] { NeighborFile(folder_.file("chain.bin"), NeighborFormat::bin, false); }));
  write_file(folder_.file("chain.bin"), NeighborFormat::bin, small_, "", true);
  write_file(folder_.file("dangling.bin"), NeighborFormat::bin, small_);

  for (const char* link : {"relative.bin", "chain.bin", "dangling.bin"})
    EXPECT_TRUE(std::filesystem::is_symlink(folder_.file(link))) << link;
  EXPECT_EQ(contents(folder_.file("there/a.bin")).size(), 8 + 8 * 6);
  EXPECT_EQ(contents(folder_.file("there/new.bin")).size(), 8 + 8 * 6);
}

TEST_F(WriteAtomic, PermissionsAreThoseOfTheOldFileOrOfANewOne) {
  const std::string path = folder_.file("a.bin");
  const mode_t old_mask = umask(027);
  write_file(path, NeighborFormat::bin, small_);
  EXPECT_EQ(mode_of(path), 0640);
  chmod(path.c_str(), 0604);
  write_file(path, NeighborFormat::bin, small_, "", true);
  EXPECT_EQ(mode_of(path), 0604);
  umask(old_mask);
}

TEST_F(WriteAtomic, WhatCannotBeWrittenFailsWhenOpened) {
  std::filesystem::create_symlink("loop", folder_.file("loop"));
  put_contents(folder_.file("file"), "");
  struct Case {
    std::string path, message;
  };
  const Case cases[] = {
      {folder_.file("missing/a.npz"),
       "No such file or directory; make the folder " + folder_.file("missing") + " first"},
      {folder_.file("file/a.npz"), "Not a directory"},
      {folder_.file("loop"), "Too many levels of symbolic links"},
      {folder_.file(""), "Is a directory"},
      {folder_.file(std::string(256, 'a')), "File name too long"},
      {"", "No such file or directory"},
  };
  for (const Case& c : cases) {
    const auto error = error_of([&] { NeighborFile(c.path, NeighborFormat::npz, true); });
    ASSERT_TRUE(error) << c.path;
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), c.path + ": " + c.message);
  }
  write_file(folder_.file(std::string(251, 'a') + ".npz"), NeighborFormat::npz, small_);  // the longest name
}

TEST_F(WriteAtomic, AFolderWithoutWritePermissionFailsWhenOpened) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(folder_.path().c_str(), 0500);
  const auto error = error_of([&] { NeighborFile(folder_.file("a.npz"), NeighborFormat::npz, false); });
  chmod(folder_.path().c_str(), 0700);
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()), folder_.file("a.npz") + ": Permission denied");
}

TEST_F(WriteAtomic, PendingOutputsAreRemovedAndCommittedOnesAreNot) {
  write_file(folder_.file("done.bin"), NeighborFormat::bin, small_);
  NeighborFile pair(folder_.file("a.npy"), NeighborFormat::npy, false);
  NeighborFile single(folder_.file("b.csv"), NeighborFormat::csv, false);
  EXPECT_EQ(folder_.names().size(), 4);
  EXPECT_EXIT((remove_pending_outputs(), std::_Exit(0)), testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder_.names(), Names{"done.bin"});
}

/// Else ids of one run could stand beside distances of another.
TEST_F(WriteAtomic, APairWaitsForAnotherProcessThatPublishesToTheFolder) {
  const int folder = open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  NeighborFile file(folder_.file("a.npy"), NeighborFormat::npy, true);
  file.write(small_, "");
  std::thread publisher([&] { file.commit(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.npy")));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.distances.npy")));
  ASSERT_EQ(flock(folder, LOCK_UN), 0);
  publisher.join();
  EXPECT_EQ(folder_.names(), (Names{"a.distances.npy", "a.npy"}));
  close(folder);
}

TEST_F(WriteAtomic, MoreOpenFilesThanCanBeRemovedBySignalAreRefused) {
  std::vector<NeighborFile> files;
  const auto error = error_of([&] {
    for (int i = 0; i < 1000; ++i) files.emplace_back(folder_.file(std::to_string(i)), NeighborFormat::bin, false);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources);
  EXPECT_EQ(folder_.names().size(), files.size());
  files.clear();
  EXPECT_TRUE(folder_.names().empty());
  write_file(folder_.file("a.bin"), NeighborFormat::bin, small_);
}

}  // namespace
}  // namespace kann::formats
