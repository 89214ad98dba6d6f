// A result whose rows are written to their places before what lies around them has the bytes of one that is written
// from its first byte on.
#include "formats/neighbors/placed_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <limits>
#include <span>

#include "formats/faults.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;

constexpr const char* k_meta = "{\"k\": 1}";
const ResultExtras k_extras{.meta_json = k_meta};

/// Writes all rows, `block` at a time.
void write_placed(NeighborFile& file, const Neighbors& n, std::int64_t block, int threads) {
  std::optional<PlacedRows> place = PlacedRows::in(file, n.queries, n.k, threads);
  ASSERT_TRUE(place);
  place->write(rows_of(n, 0, n.queries, block));
  place->finish(k_extras);
}

constexpr const char* k_placed[] = {"npz", "npy", "bin", "ivecs", "ibin", "fvecs", "fbin"};

class Placed : public testing::TestWithParam<const char*> {
 protected:
  ~Placed() override { faults = {}; }

  NeighborFormat format() const { return *neighbor_format(GetParam()); }
  NeighborFile open(bool replace = true) const { return {folder_.file("got.npy"), format(), replace}; }

  TemporaryFolder folder_;
};

TEST_P(Placed, RowsHaveTheBytesOfAWholeResult) {
  for (const Neighbors& n : {sample_neighbors(1, 1), sample_neighbors(2, 8), sample_neighbors(5000, 3),
                             sample_neighbors(200'000, 8), sample_neighbors(3, 300'000)}) {
    write_file(folder_.file("want.npy"), format(), n, k_meta, true);
    for (const std::int64_t block : {999, 1'000'000}) {
      NeighborFile file = open();
      write_placed(file, n, block, block == 999 ? 1 : 2);
      file.commit();
      EXPECT_TRUE(contents(folder_.file("got.npy")) == contents(folder_.file("want.npy"))) << n.queries;
      if (format() != NeighborFormat::npy) continue;
      EXPECT_TRUE(contents(folder_.file("got.distances.npy")) == contents(folder_.file("want.distances.npy")));
    }
  }
  EXPECT_EQ(folder_.names().size(), format() == NeighborFormat::npy ? 4u : 2u);
}

TEST_P(Placed, RowsThatAreNotFinishedLeaveNothing) {
  const Neighbors n = sample_neighbors(3000, 2);
  {
    NeighborFile file = open();
    PlacedRows::in(file, n.queries, n.k).value().write(rows_of(n, 0, n.queries, 100));
  }
  {
    NeighborFile file = open();
    write_placed(file, n, 100, 1);
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_P(Placed, RowsMustBeAll) {
  const Neighbors n = sample_neighbors(300, 2);
  for (const std::int64_t queries : {299, 301}) {
    NeighborFile file = open();
    PlacedRows place = PlacedRows::in(file, queries, n.k).value();
    EXPECT_EQ(error_of([&] { place.write(rows_of(n, 0, 300, 100)); }).value().kind(), ErrorKind::internal);
  }
}

/// Each write fails once.
TEST_P(Placed, RowsSayWhatFails) {
  const Neighbors n = sample_neighbors(100'000, 2);
  for (const bool replace : {false, true}) {
    if (replace) write_file(folder_.file("got.npy"), format(), n);
    const std::vector<std::string> names = folder_.names();
    const auto failures_of = [&](auto fault) {
      for (int number = 0;; ++number) {
        NeighborFile file = open(replace);
        faults = fault(number);
        const auto error = error_of([&] {
          PlacedRows place = PlacedRows::in(file, n.queries, n.k, 1).value();
          place.write(rows_of(n, 0, n.queries, 50'000));
          place.finish(k_extras);
        });
        faults = {};
        if (!error) return number;
        EXPECT_EQ(error->kind(), ErrorKind::resources);
        const std::string message = error->what();
        EXPECT_NE(message.find("npy: No space left on device"), message.npos) << message;
        EXPECT_EQ(message.ends_with(" (old file kept)"), replace) << message;
      }
    };
    EXPECT_GE(failures_of([](int number) { return Faults{.write_errno = ENOSPC, .good_writes = number}; }), 2);
    EXPECT_EQ(folder_.names(), names);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Placed, testing::ValuesIn(k_placed),
                         [](const auto& format) { return std::string(format.param); });

TEST(PlacedRows, AreReadAgain) {
  const TemporaryFolder folder;
  Neighbors n = sample_neighbors(5000, 3);
  n.ids.back() = k_missing_id;
  n.distances.back() = std::numeric_limits<float>::infinity();
  for (const NeighborFormat format : {NeighborFormat::npz, NeighborFormat::npy, NeighborFormat::bin}) {
    ASSERT_TRUE(keeps_rows(format));
    NeighborFile file(folder.file("a.npy"), format, true);
    PlacedRows place = PlacedRows::in(file, n.queries, n.k, 2).value();
    place.write(rows_of(n, 0, n.queries, 700));
    place.finish(k_extras);
    Array<float> distances;
    Array<std::int32_t> last_ids;  // of the block with an infinite distance: the others need none
    place.written_rows(10'000).for_each([&](const Rows& block) {
      distances.insert(distances.end(), block.distances.begin(), block.distances.end());
      const auto ids = std::get<std::span<const std::int32_t>>(block.ids);
      last_ids.assign(ids.begin(), ids.end());
    });
    EXPECT_EQ(distances, n.distances);
    ASSERT_FALSE(last_ids.empty());
    EXPECT_TRUE(std::equal(last_ids.rbegin(), last_ids.rend(), n.ids.rbegin()));
  }
}

TEST(PlacedRows, TextStreamsAndNothingHaveNoPlaces) {
  const TemporaryFolder folder;
  const auto has_places = [](const std::string& path, const char* format, std::int64_t queries) {
    NeighborFile file(path, *neighbor_format(format), false);
    return PlacedRows::in(file, queries, 2).has_value();
  };
  for (const char* format : {"csv", "tsv"}) EXPECT_FALSE(has_places(folder.file("a"), format, 10));
  for (const char* format : k_placed) {
    EXPECT_FALSE(has_places("/dev/null", format, 10));
    EXPECT_FALSE(has_places(folder.file("a"), format, 0));
  }
}

TEST(PlacedRows, PythonReadsTheArchiveAndItsChecksums) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy to read the archive with";
  const TemporaryFolder folder;
  const Neighbors n = sample_neighbors(100'000, 5);
  NeighborFile file(folder.file("a.npz"), NeighborFormat::npz, false);
  write_placed(file, n, 4096, 2);
  file.commit();
  write_file(folder.file("a.bin"), NeighborFormat::bin, n);
  constexpr const char* compare = R"(
import sys, zipfile, numpy as np
archive, plain = sys.argv[1:]
assert zipfile.ZipFile(archive).testzip() is None
read = np.load(archive)
ids = np.fromfile(plain, np.int32, 500000, offset=8)
distances = np.fromfile(plain, np.float32, 500000, offset=8 + 4 * ids.size)
assert (read["ids"].ravel() == ids).all() and (read["distances"].ravel() == distances).all()
)";
  EXPECT_EQ(run_python(compare, folder.file("a.npz") + " " + folder.file("a.bin")), 0);
}

/// The file has holes in the place of most values, so that it takes no space.
TEST(PlacedRows, PastFourGiBThePlacesAreThoseThatReadersFind) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy to read the archive with";
  const TemporaryFolder folder;
  NeighborFile file(folder.file("a.npz"), NeighborFormat::npz, false);
  constexpr std::int32_t last_ids[] = {5, 6, 7, 8};
  constexpr float last_distances[] = {.5, 1, 1.5, 2};
  NeighborFile::State::of(file).write_whole([&] {
    ArraysWriter out(NeighborFormat::npz, {*NeighborFile::State::of(file).file}, {.queries = 700'000'000, .k = 2}, 0);
    for (const ResultArray& array : out.arrays()) {
      const auto last = array.values_of({0, 2, 2, {}, std::span(last_ids), last_distances});
      array.sink->overwrite(array.begin + array.size - last.size(), last);
    }
    out.finish(k_extras);
  });
  file.commit();
  constexpr const char* look = R"(
import sys, zipfile, numpy as np
archive = zipfile.ZipFile(sys.argv[1])
for name, kind, want in ("ids", "<i4", [5, 6, 7, 8]), ("distances", "<f4", [.5, 1, 1.5, 2]):
    with archive.open(name + ".npy") as file:
        assert np.lib.format.read_magic(file) == (1, 0)
        assert np.lib.format.read_array_header_1_0(file) == ((700000000, 2), False, np.dtype(kind))
        raw = open(sys.argv[1], "rb")
        info = archive.getinfo(name + ".npy")
        raw.seek(info.header_offset + 26)
        lengths = np.frombuffer(raw.read(4), "<u2")
        raw.seek(info.header_offset + 30 + int(lengths.sum()) + info.file_size - 16)
        assert np.frombuffer(raw.read(16), kind).tolist() == want, name
)";
  EXPECT_EQ(run_python(look, folder.file("a.npz")), 0);
}

}  // namespace
}  // namespace kann::formats
