// The two files of npy: after any failure, and whenever the process is killed, they match or the ids are absent.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
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
    const auto error = error_of([&] {
      NeighborFile file(ids_, NeighborFormat::npy, false);
      file.write(of(2), "");
      faults = {.good_calls = good, .call_errno = EDQUOT};
      file.commit();
    });
    faults = {};
    ASSERT_TRUE(error) << good;
    EXPECT_TRUE(std::string(error->what()).ends_with(": Disk quota exceeded")) << error->what();
    EXPECT_EQ(folder_.names(), Names{}) << good;
  }
}

TEST_F(WritePair, APairThatAppearsMeanwhileIsNotReplacedInPart) {
  NeighborFile file(ids_, NeighborFormat::npy, false);
  file.write(of(2), "");
  put_contents(ids_, "somebody else's");
  const auto error = error_of([&] { file.commit(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
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
