// A result whose first values are written before the last are there is the same file, and nothing before commit().
#include <cerrno>
#include <gtest/gtest.h>
#include <memory>

#include "formats/faults.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// The values beyond `ids` and `distances` have not arrived: other numbers are in their places.
Neighbors arrived(const Neighbors& whole, std::int64_t ids, std::int64_t distances) {
  Neighbors part = whole;
  std::fill(part.ids.begin() + ids, part.ids.end(), 12345);
  std::fill(part.distances.begin() + distances, part.distances.end(), 0.5f);
  return part;
}

class WriteAhead : public testing::TestWithParam<const char*> {
 protected:
  ~WriteAhead() override { faults = {}; }

  NeighborFormat format() const { return *neighbor_format(GetParam()); }
  std::string path(const std::string& stem) const { return folder_.file(stem + "." + GetParam()); }

  void expect_same_files() {
    EXPECT_TRUE(contents(path("ahead")) == contents(path("whole")));
    if (format() != NeighborFormat::npy) return;
    EXPECT_TRUE(contents(folder_.file("ahead.distances.npy")) == contents(folder_.file("whole.distances.npy")));
  }

  TemporaryFolder folder_;
};

TEST_P(WriteAhead, GivesTheSameBytesInAnyPieces) {
  for (const auto& [queries, k] : {std::pair{0, 8}, {5, 0}, {1, 1}, {101, 7}}) {
    const Neighbors n = sample_neighbors(queries, k);
    const auto values = static_cast<std::int64_t>(n.ids.size());
    write_file(path("whole"), format(), n, "{}", true);
    for (const std::int64_t piece : {std::int64_t{1}, std::max<std::int64_t>(1, values / 3), values + 1}) {
      NeighborFile file(path("ahead"), format(), true);
      for (std::int64_t ids = 0; ids < values; ids += piece) write_ahead(file, arrived(n, ids, 0), ids, 0, 1);
      for (std::int64_t d = 0; d < values; d += piece) write_ahead(file, arrived(n, values, d), values, d, 1);
      file.write(n, "{}");
      file.commit();
      expect_same_files();
    }
  }
}

TEST_P(WriteAhead, GivesTheSameBytesOfManyMebibytes) {
  const Neighbors n = sample_neighbors(1'300'000, 2);  // 10 MB an array: checksums of pieces are computed on a thread
  const auto values = static_cast<std::int64_t>(n.ids.size());
  write_file(path("whole"), format(), n, "{}", true);
  for (const int threads : {1, 2}) {
    NeighborFile file(path("ahead"), format(), true);
    write_ahead(file, n, 1'500'000, 0, threads);
    write_ahead(file, n, values, 1, threads);
    file.write(n, "{}", threads);
    file.commit();
    expect_same_files();
  }
}

TEST_P(WriteAhead, LeavesNothingWithoutCommit) {
  const Neighbors n = sample_neighbors(100, 3);
  {
    NeighborFile file(path("a"), format(), false);
    write_ahead(file, n, 300, 150);
  }
  EXPECT_TRUE(folder_.names().empty());
  NeighborFile file(path("a"), format(), false);
  write_ahead(file, n, 300, 150);
  EXPECT_EQ(error_of([&] { file.commit(); })->kind(), ErrorKind::internal);
}

TEST_P(WriteAhead, ToAStreamWritesNothing) {
  const Neighbors n = sample_neighbors(100, 3);
  NeighborFile file("/dev/full", format(), true);  // every byte is an error
  EXPECT_FALSE(error_of([&] { write_ahead(file, n, 300, 300); }));
  EXPECT_TRUE(error_of([&] { file.write(n, "{}"); }));
}

TEST_P(WriteAhead, OfAFullDiskIsTheErrorOfWriting) {
  const Neighbors n = sample_neighbors(3'000'000, 1);
  put_contents(path("a"), "old");
  if (format() == NeighborFormat::npy) put_contents(folder_.file("a.distances.npy"), "old");
  const auto error = error_of([&] {
    NeighborFile file(path("a"), format(), true);
    faults = {.write_errno = ENOSPC, .good_writes = 2};
    const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
    write_ahead(file, n, 3'000'000, 2'500'000);
    file.write(n, "{}");
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources);
  const std::string message = error->what();
  EXPECT_TRUE(message.ends_with(": No space left on device (old file kept)")) << message;
  EXPECT_EQ(contents(path("a")), "old");
}

TEST_P(WriteAhead, AfterAFailureOrTheWholeResultNothingMoreIsWritten) {
  const Neighbors n = sample_neighbors(3'000'000, 1);
  NeighborFile file(path("a"), format(), false);
  const bool is_ahead = [&] {  // text and vectors are not
    faults = {.write_errno = ENOSPC, .good_writes = 2};
    const std::shared_ptr<void> restore(nullptr, [](void*) { faults = {}; });
    return error_of([&] { write_ahead(file, n, 3'000'000, 2'500'000); }).has_value();
  }();
  if (is_ahead) {
    for (const auto& error : {error_of([&] { file.write(n, "{}"); }), error_of([&] { write_ahead(file, n, 1, 1); }),
                              error_of([&] { file.commit(); })}) {
      ASSERT_TRUE(error);
      EXPECT_EQ(error->kind(), ErrorKind::internal);
    }
    return;
  }
  file.write(n, "{}");
  EXPECT_EQ(error_of([&] { file.write(n, "{}"); })->kind(), ErrorKind::internal);
  file.commit();
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteAhead,
                         testing::Values("npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"),
                         [](const auto& format) { return std::string(format.param); });

TEST(WriteAheadOf, AnotherResultIsRefused) {
  const TemporaryFolder folder;
  for (const auto format : {NeighborFormat::npz, NeighborFormat::bin}) {
    NeighborFile file(folder.file("a"), format, false);
    write_ahead(file, sample_neighbors(4, 3), 5, 0);
    EXPECT_EQ(error_of([&] { file.write(sample_neighbors(3, 4), ""); })->kind(), ErrorKind::internal);
    EXPECT_EQ(error_of([&] { write_ahead(file, {4, 3, {}, {}}, 5, 0); })->kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace kann::formats
