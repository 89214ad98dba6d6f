// Each system call that writes a result fails once, in every format. Afterwards, the folder has the old result or the
// new one, whole, and nothing else; the message names the reason, and what became of the old one.
#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

#include "formats/faults.hpp"
#include "formats/neighbors/placed_rows.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* k_extensions[] = {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"};
const std::string k_not_synced = " (the new file is whole, but a power failure may undo its name)";

class WriteEveryFault : public testing::TestWithParam<const char*> {
 protected:
  ~WriteEveryFault() override { faults = {}; }

  void write(std::int64_t queries, bool replace) {
    write_file(path_, *neighbor_format(GetParam()), sample_neighbors(queries, 3), "{}", replace);
  }

  Files files() const {
    Files all;
    for (const std::string& name : folder_.names()) all[name] = contents(folder_.file(name));
    return all;
  }
  void remove_files() {
    for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.file(name));
  }

  /// Writes with the fault number 0, 1, … until none is reached, with an old result there and without. Returns the
  /// number of runs that failed.
  template <class FaultNumber, class IsReached>
  int fail_each(FaultNumber&& fault, IsReached&& is_reached) {
    int failures = 0;
    const bool is_pair = GetParam() == std::string("npy");
    for (const bool replace : {false, true}) {
      remove_files();
      if (replace) write(5, false);
      const Files old = files();
      write(9, replace);
      const Files whole = files();
      EXPECT_NE(old, whole);
      for (int number = 0; !testing::Test::HasFailure(); ++number) {
        SCOPED_TRACE("call " + std::to_string(number) + (replace ? ", replacing" : ""));
        remove_files();
        if (replace) write(5, false);
        faults = fault(number);
        const auto error = error_of([&] { write(9, replace); });
        const bool reached = is_reached();
        faults = {};
        if (!error) {
          EXPECT_EQ(files(), whole);
          if (!reached) break;
          continue;  // the failure of a call that changes nothing, such as close() of the folder
        }
        ++failures;
        EXPECT_TRUE(reached);
        EXPECT_EQ(error->kind(), ErrorKind::resources);
        const std::string message = error->what();
        if (is_pair)
          EXPECT_NE(message.find("npy: Input/output error"), message.npos) << message;
        else
          EXPECT_TRUE(message.starts_with(path_ + ": Input/output error")) << message;
        if (is_pair && !std::filesystem::exists(path_)) continue;  // formats.WritePair
        EXPECT_EQ(message.ends_with(" (old file kept)"), replace && !message.ends_with(k_not_synced)) << message;
        EXPECT_EQ(files(), message.ends_with(k_not_synced) ? whole : old) << message;
      }
    }
    return failures;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file(std::string("a.") + GetParam());
};

TEST_P(WriteEveryFault, OfWriting) {
  const int failures = fail_each([](int number) { return Faults{.write_errno = EIO, .good_writes = number}; },
                                 [] { return faults.good_writes < 0; });
  EXPECT_GE(failures, 2);
}

TEST_P(WriteEveryFault, OfSyncingClosingAndRenaming) {
  const int failures = fail_each([](int number) { return Faults{.good_calls = number, .call_errno = EIO}; },
                                 [] { return faults.good_calls < 0; });
  EXPECT_GE(failures, GetParam() == std::string("npy") ? 2 * 7 : 2 * 4);  // fsync, close, rename; fsync of the folder
}

/// As PlacedRows writes it, where it has places.
TEST_P(WriteEveryFault, OfWritingRowsToTheirPlaces) {
  const Neighbors n = sample_neighbors(100'000, 2);
  for (const bool replace : {false, true}) {
    if (replace) write(5, true);
    const Files old = files();
    for (int number = 0;; ++number) {
      NeighborFile file(path_, *neighbor_format(GetParam()), replace);
      std::optional<PlacedRows> place = PlacedRows::in(file, n.queries, n.k, 1);
      if (!place) return;  // text has none
      faults = Faults{.write_errno = ENOSPC, .good_writes = number};
      const std::string message = failure_of([&] {
        place->write(rows_of(n, 0, n.queries, 50'000));
        place->finish({.meta_json = "{}"});
      });
      faults = {};
      if (message.empty() && number < 2) ADD_FAILURE() << "no more than " << number << " writes";
      if (message.empty()) break;
      EXPECT_TRUE(message.starts_with("4: ")) << message;
      EXPECT_NE(message.find(": No space left on device"), message.npos) << message;
      EXPECT_EQ(message.ends_with(" (old file kept)"), replace) << message;
    }
    EXPECT_EQ(files(), old);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteEveryFault, testing::ValuesIn(k_extensions),
                         [](const auto& format) { return std::string(format.param); });

class WriteFaults : public testing::Test {
 protected:
  std::string failure_with(Faults wanted, bool replace) {
    return failure_of([&] {
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

TEST_F(WriteFaults, PermissionsThatCannotBeKeptAreAnErrorBeforeTheWork) {
  put_contents(path_, "old");
  faults.chmod_errno = EPERM;
  const std::string message = failure_of([&] { NeighborFile(path_, NeighborFormat::bin, true); });
  faults = {};
  EXPECT_EQ(message, "4: " + path_ + ": Operation not permitted (old file kept)");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.bin"});
}

/// The files have several chunks of 2 MiB, as atomic_file.cpp writes them. The checksum of an archive is computed on
/// another thread meanwhile.
TEST_F(WriteFaults, AFailureInAnyChunkLeavesNothing) {
  neighbors_ = sample_neighbors(3 * (2 << 20) / 4, 1);
  // A bin is written as header, ids and distances; an npz as the head of each array, its chunks and the header of its
  // member, then the text and the header of meta, then the directory
  for (const auto& [format, writes] : {std::pair{"bin", 1 + 2 * 3}, {"npz", 2 * (1 + 3 + 1) + 2 + 1}}) {
    int failures = 0;
    for (int good = 0; good < 50; ++good) {
      const std::string path = folder_.file(format);
      const std::string message = failure_of([&] {
        faults = {.write_errno = ENOSPC, .good_writes = good};
        const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
        NeighborFile file(path, *neighbor_format(format), false);
        file.write(neighbors_, "{}", 2);
        file.commit();
      });
      if (message.empty()) break;
      ++failures;
      EXPECT_EQ(message, "4: " + path + ": No space left on device");
      EXPECT_TRUE(folder_.names().empty());
    }
    EXPECT_EQ(failures, writes) << format;
    std::filesystem::remove(folder_.file(format));
  }
}

TEST_F(WriteFaults, AnInterruptedFsyncIsRepeated) {
  EXPECT_EQ(failure_with({.interruptions = 3}, false), "");
  EXPECT_EQ(faults.interruptions, 0);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.bin"});
}

TEST_F(WriteFaults, AFileSystemWithoutFsyncIsNoFailure) {
  EXPECT_EQ(failure_with({.fsync_errno = EINVAL}, false), "");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.bin"});
}

// As on NFS, whose rename() has no RENAME_NOREPLACE.
TEST_F(WriteFaults, NothingIsReplacedWithoutAnExclusiveRename) {
  EXPECT_EQ(failure_with({.rename_to_new_errno = EINVAL}, false), "");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.bin"});
  std::filesystem::remove(path_);

  NeighborFile file(path_, NeighborFormat::bin, false);
  file.write(neighbors_, "");
  put_contents(path_, "somebody else's");
  faults.rename_to_new_errno = EINVAL;
  const std::string message = failure_of([&] { file.commit(); });
  faults = {};
  EXPECT_TRUE(message.starts_with("2: ")) << message;
  EXPECT_EQ(contents(path_), "somebody else's");
}

}  // namespace
}  // namespace kann::formats
