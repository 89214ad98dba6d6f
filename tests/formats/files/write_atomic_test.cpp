// Under its final name a result is complete or absent, an old one stays until then, and no other file remains. The two
// files of npy match, or the ids are absent, after any failure and whenever the process is killed.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "formats/faults.hpp"
#include "formats/files/written_once.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Names = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class WriteAtomic : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Neighbors small_ = sample_neighbors(3, 2);
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
  EXPECT_EQ(failure_of([&] { NeighborFile(path, NeighborFormat::npz, false); }),
            "2: " + path + ": File exists; use --force to replace it");
  EXPECT_EQ(contents(path), "old");

  write_file(path, NeighborFormat::npz, small_, "{}", true);
  EXPECT_EQ(contents(path).substr(0, 2), "PK");
  EXPECT_EQ(folder_.names(), Names{"a.npz"});
}

TEST_F(WriteAtomic, TheDistancesOfNpyAreNotReplacedWithoutPermissionEither) {
  put_contents(folder_.file("a.distances.npy"), "old");
  EXPECT_EQ(failure_of([&] { NeighborFile(folder_.file("a.NPY"), NeighborFormat::npy, false); }),
            "2: " + folder_.file("a.distances.npy") + ": File exists; use --force to replace it");
  EXPECT_EQ(folder_.names(), Names{"a.distances.npy"});
}

TEST_F(WriteAtomic, AFileThatAppearsMeanwhileIsNotReplaced) {
  const std::string path = folder_.file("a.bin");
  {
    NeighborFile file(path, NeighborFormat::bin, false);
    file.write(small_, "");
    put_contents(path, "somebody else's");
    EXPECT_TRUE(failure_of([&] { file.commit(); }).starts_with("2: "));
  }
  EXPECT_EQ(contents(path), "somebody else's");
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteAtomic, HalfAResultCannotBeCommitted) {
  NeighborFile file(folder_.file("a.bin"), NeighborFormat::bin, false);
  faults = {.write_errno = ENOSPC, .good_writes = 1};
  EXPECT_NE(failure_of([&] { file.write(small_, ""); }), "");
  faults = {};
  EXPECT_TRUE(failure_of([&] { file.commit(); }).starts_with("70: "));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.bin")));
}

TEST_F(WriteAtomic, DevicesAreWrittenAsTheyAre) {
  for (const std::string name : {"npz", "npy", "csv", "bin", "ivecs", "ibin"}) {
    EXPECT_EQ(failure_of([&] { write_file("/dev/full", *neighbor_format(name), small_); }),
              "4: /dev/full: No space left on device");
    write_file("/dev/null", *neighbor_format(name), small_);
  }
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.distances.npy"));
}

TEST_F(WriteAtomic, AReaderThatLeavesIsAnErrorAndNoSignal) {
  void (*const old_handler)(int) = std::signal(SIGPIPE, SIG_IGN);  // as the program does
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const std::string message = [&] {
    const Redirected output(STDOUT_FILENO, ends[1]);
    return failure_of([&] { write_file("-", NeighborFormat::bin, small_); });
  }();
  std::signal(SIGPIPE, old_handler);
  EXPECT_EQ(message, "4: stdout: Broken pipe");
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
  const std::pair<std::string, std::string> cases[] = {
      {folder_.file("missing/a.npz"),
       "No such file or directory; make the folder " + folder_.file("missing") + " first"},
      {folder_.file("file/a.npz"), "Not a directory"},
      {folder_.file("loop"), "Too many levels of symbolic links"},
      {folder_.file(""), "Is a directory"},
      {folder_.file(std::string(256, 'a')), "File name too long"},
      {"", "No such file or directory"},
  };
  for (const auto& [path, message] : cases)
    EXPECT_EQ(failure_of([&] { NeighborFile(path, NeighborFormat::npz, true); }), "4: " + path + ": " + message);
  write_file(folder_.file(std::string(251, 'a') + ".npz"), NeighborFormat::npz, small_);  // the longest name
}

TEST_F(WriteAtomic, AFolderWithoutWritePermissionFailsWhenOpened) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(folder_.path().c_str(), 0500);
  const std::string message = failure_of([&] { NeighborFile(folder_.file("a.npz"), NeighborFormat::npz, false); });
  chmod(folder_.path().c_str(), 0700);
  EXPECT_EQ(message, "4: " + folder_.file("a.npz") + ": Permission denied");
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
  const std::string message = failure_of([&] {
    for (int i = 0; i < 1000; ++i) files.emplace_back(folder_.file(std::to_string(i)), NeighborFormat::bin, false);
  });
  EXPECT_TRUE(message.starts_with("4: ")) << message;
  EXPECT_EQ(folder_.names().size(), files.size());
  files.clear();
  EXPECT_TRUE(folder_.names().empty());
  write_file(folder_.file("a.bin"), NeighborFormat::bin, small_);
}

class WritePair : public testing::Test {
 protected:
  ~WritePair() override { faults = {}; }

  /// A result whose ids and distances all are `value`.
  static Neighbors of(int value) {
    Neighbors n{50, 4, {}, {}};
    n.ids.resize(200, value);
    n.distances.resize(200, static_cast<float>(value));
    return n;
  }

  void write(int value, bool replace) { write_file(ids_, NeighborFormat::npy, of(value), "", replace); }

  /// The value of all ids and distances; -1: the ids are absent; -2: the files do not match.
  int value() const {
    if (!std::filesystem::exists(ids_)) return -1;
    if (!std::filesystem::exists(distances_)) return -2;
    const std::string ids = contents(ids_), distances = contents(distances_);
    if (ids.size() != 128 + 800 || distances.size() != 128 + 800) return -2;
    const auto got = number_at<std::int32_t>(ids, 128);
    for (std::size_t i = 128; i < 928; i += 4)
      if (number_at<std::int32_t>(ids, i) != got || number_at<float>(distances, i) != static_cast<float>(got))
        return -2;
    return got;
  }

  TemporaryFolder folder_;
  std::string ids_ = folder_.file("a.npy"), distances_ = folder_.file("a.distances.npy");
  const Names both_ = {"a.distances.npy", "a.npy"};
};

TEST_F(WritePair, AnyFailureLeavesAPairThatMatchesOrNoIdsAndSaysWhatBecameOfTheOld) {
  int failures = 0, good = 0;
  for (bool done = false; !done; ++good) {
    write(1, true);
    const auto error = error_of([&] {
      NeighborFile file(ids_, NeighborFormat::npy, true);
      file.write(of(2), "");
      faults = {.good_calls = good, .call_errno = EIO};
      file.commit();
    });
    done = faults.good_calls >= 0;  // the fault was not reached
    faults = {};
    if (!error) {
      EXPECT_EQ(value(), 2) << good;
      continue;
    }
    ++failures;
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    const std::string message = error->what();
    const bool is_new = message.ends_with(" (the new file is whole, but a power failure may undo its name)"),
               is_gone = message.starts_with(ids_ + ": ") && message.ends_with(" (the old file is gone)");
    const bool is_of_distances = value() == -1 && message == distances_ + ": Input/output error (old file kept)";
    EXPECT_TRUE(is_new || is_gone || is_of_distances || message.ends_with(": Input/output error (old file kept)"))
        << message;
    EXPECT_EQ(value(), is_new ? 2 : is_gone || is_of_distances ? -1 : 1) << good << ' ' << message;
    for (const std::string& name : folder_.names()) EXPECT_FALSE(name.starts_with(".")) << name;
  }
  EXPECT_GE(failures, 7);  // fsync and close of each file, two renames, two fsync of the folder
}

TEST_F(WritePair, AnyFailureWithoutAnOldPairLeavesNothing) {
  for (int good = 0; good < 6; ++good) {
    const std::string message = failure_of([&] {
      NeighborFile file(ids_, NeighborFormat::npy, false);
      file.write(of(2), "");
      faults = {.good_calls = good, .call_errno = EDQUOT};
      file.commit();
    });
    faults = {};
    EXPECT_TRUE(message.ends_with(": Disk quota exceeded")) << message;
    EXPECT_EQ(folder_.names(), Names{}) << good;
  }
}

TEST_F(WritePair, APairThatAppearsMeanwhileIsNotReplacedInPart) {
  NeighborFile file(ids_, NeighborFormat::npy, false);
  file.write(of(2), "");
  put_contents(ids_, "somebody else's");
  EXPECT_TRUE(failure_of([&] { file.commit(); }).starts_with("2: "));
  EXPECT_EQ(contents(ids_), "somebody else's");
  EXPECT_FALSE(std::filesystem::exists(distances_));
}

TEST_F(WritePair, OneOldFileOfTheTwoIsReplacedToo) {
  for (const std::string& old : {ids_, distances_}) {
    put_contents(old, "old");
    write(3, true);
    EXPECT_EQ(value(), 3);
    EXPECT_EQ(folder_.names(), both_);
    std::filesystem::remove(ids_);
    std::filesystem::remove(distances_);
  }
}

// A child replaces the pair again and again until it is killed.
TEST_F(WritePair, AKilledProcessLeavesAPairThatMatchesOrNoIds) {
  Random random(5);
  int absent = 0;
  for (int round = 0; round < 150; ++round) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) std::filesystem::remove(entry);
    write(1, true);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (int i = 2;; ++i) write(i, true);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(4000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const int now = value();
    EXPECT_NE(now, -2) << round;
    absent += now == -1;
    const TemporaryFolder elsewhere;  // since a process sweeps a folder once in a row
    write_file(elsewhere.file("x.bin"), NeighborFormat::bin, of(1));
    write(1000, true);  // the next run
    EXPECT_EQ(value(), 1000);
    for (const std::string& name : folder_.names()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  }
  RecordProperty("absent", absent);
}

}  // namespace
}  // namespace kann::formats
