// Each system call of writing a result fails once, and the folder stays as it was.
#include <cerrno>
#include <gtest/gtest.h>
#include <memory>

#include "formats/faults.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Names = std::vector<std::string>;

class WriteFaults : public testing::Test {
 protected:
  std::optional<Error> error_with(Faults wanted, bool replace) {
    return error_of([&] {
      NeighborFile file(path_, NeighborFormat::bin, replace);
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

/// Results of several chunks (of 2 MiB, as in atomic_file.cpp).
class WriteFaultsLarge : public WriteFaults {
 protected:
  static constexpr std::int64_t k_chunk = 2 << 20;

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

// The checksum is being computed on another thread meanwhile.
TEST_F(WriteFaultsLarge, AFailureInAnyChunkOfAnArchiveLeavesNothing) {
  const std::string path = folder_.file("a.npz");
  neighbors_ = of_bytes(3 * k_chunk);
  int failures = 0;
  for (int good = 0; good < 50; ++good) {
    const auto error = error_of([&] {
      faults = {.write_errno = ENOSPC, .good_writes = good};
      const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
      NeighborFile file(path, NeighborFormat::npz, false);
      file.write(neighbors_, "{}", 2);
      file.commit();
    });
    if (!error) break;
    ++failures;
    EXPECT_EQ(std::string(error->what()), path + ": No space left on device");
    EXPECT_TRUE(folder_.names().empty());
  }
  // ids and distances: the head of the array, chunks, the header of the member; meta: text, header; then the directory
  EXPECT_EQ(failures, 2 * (1 + 3 + 1) + 2 + 1);
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

TEST_F(WriteFaults, AnInterruptedFsyncIsRepeated) {
  EXPECT_FALSE(error_with({.interruptions = 3}, false));
  EXPECT_EQ(faults.interruptions, 0);
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
}

TEST_F(WriteFaults, AFailureAfterTheRenameSaysThatTheFileIsWhole) {
  put_contents(path_, "old");
  // fsync() and close() of the file, and the rename, succeed; fsync() of the folder fails.
  const auto error = error_with({.good_calls = 3, .call_errno = EIO}, true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources);
  EXPECT_EQ(std::string(error->what()),
            path_ + ": Input/output error (the new file is whole, but a power failure may undo its name)");
  EXPECT_EQ(folder_.names(), Names{"a.bin"});
  EXPECT_EQ(contents(path_).size(), 8u + 8 * 20);
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
}  // namespace kann::formats
