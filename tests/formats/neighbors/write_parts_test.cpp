// A result whose rows several processes write has the bytes of one that a single process writes.
#include <cerrno>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "formats/faults.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "formats/neighbors/neighbor_part.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;
using Bytes = std::vector<std::byte>;

constexpr const char* k_meta = "{\"k\": 1}";
const ResultExtras k_extras{.meta_json = k_meta};

/// Writes the parts between the `borders`, each on a thread, and joins them.
void write_parts(NeighborFile& file, const Neighbors& n, const std::vector<std::int64_t>& borders, std::int64_t block,
                 bool is_wide = false) {
  const Bytes shared = share(file, n.queries, n.k, is_wide);
  ASSERT_FALSE(shared.empty());
  std::vector<Bytes> parts(borders.size() - 1);
  {
    std::vector<std::jthread> processes;
    for (std::size_t i = 0; i < parts.size(); ++i)
      processes.emplace_back([&, i] {
        parts[i] = NeighborPart::open(shared).value().write(rows_of(n, borders[i], borders[i + 1], block, is_wide),
                                                            borders[i], 1 + static_cast<int>(i % 2));
      });
  }
  ASSERT_TRUE(join(file, parts, 0, k_extras));
}

constexpr const char* k_placed[] = {"npz", "npy", "bin", "ivecs", "ibin", "fvecs", "fbin"};

class WriteParts : public testing::TestWithParam<const char*> {
 protected:
  ~WriteParts() override { faults = {}; }

  NeighborFormat format() const { return *neighbor_format(GetParam()); }
  NeighborFile open(bool replace = true) const { return {folder_.file("got.npy"), format(), replace}; }

  void expect_same(const std::string& what) const {
    EXPECT_TRUE(contents(folder_.file("got.npy")) == contents(folder_.file("want.npy"))) << what;
    if (format() != NeighborFormat::npy) return;
    EXPECT_TRUE(contents(folder_.file("got.distances.npy")) == contents(folder_.file("want.distances.npy"))) << what;
  }
  void write_whole(const Neighbors& n) const { write_file(folder_.file("want.npy"), format(), n, k_meta, true); }

  TemporaryFolder folder_;
};

TEST_P(WriteParts, HaveTheBytesOfOneProcess) {
  for (const auto& [n, borders] : {std::pair{sample_neighbors(1, 1), std::vector<std::int64_t>{0, 1}},
                                   {sample_neighbors(1, 1), {0, 0, 1, 1}},
                                   {sample_neighbors(2, 8), {0, 0, 1, 2, 2}},
                                   {sample_neighbors(5000, 3), {0, 1, 2500, 4999, 5000}},
                                   {sample_neighbors(200'000, 8), {0, 70'000, 70'001, 140'000, 200'000}},
                                   {sample_neighbors(3, 300'000), {0, 1, 3}}}) {
    write_whole(n);
    for (const std::int64_t block : {999, 1'000'000}) {
      NeighborFile file = open();
      write_parts(file, n, borders, block);
      file.commit();
      expect_same(std::to_string(n.queries) + " x " + std::to_string(n.k));
    }
  }
  EXPECT_EQ(folder_.names().size(), format() == NeighborFormat::npy ? 4u : 2u);
}

TEST_P(WriteParts, NobodyNeedWriteThem) {
  const Neighbors n = sample_neighbors(3000, 2);
  write_whole(n);
  NeighborFile file = open();
  ASSERT_FALSE(share(file, n.queries, n.k, false).empty());
  file.write(rows_of(n, 0, n.queries, 100), 0, k_extras);
  file.commit();
  expect_same("written by the owner");
}

/// As file systems do that keep a copy per host, and bring it to their server when it is closed.
TEST_P(WriteParts, ThatAreLostAreWrittenByTheOwner) {
  const Neighbors n = sample_neighbors(100'000, 4);
  write_whole(n);
  NeighborFile file = open();
  const Bytes shared = share(file, n.queries, n.k, false);
  const std::string temporary = unpacked_result(shared).files.back().path, empty = contents(temporary);
  std::vector<Bytes> parts;
  for (const std::int64_t first : {0, 50'000}) {
    put_contents(temporary, empty);  // without the bytes of the other part
    parts.push_back(NeighborPart::open(shared).value().write(rows_of(n, first, first + 50'000, 1000), first));
  }
  EXPECT_FALSE(join(file, parts, 0, k_extras));
  file.write(rows_of(n, 0, n.queries, 1000), 0, k_extras);
  file.commit();
  expect_same("written again");
}

TEST_P(WriteParts, OnesThatAreNotJoinedLeaveNothing) {
  const Neighbors n = sample_neighbors(3000, 2);
  {
    NeighborFile file = open();
    write_parts(file, n, {0, 1000, 3000}, 100);
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_P(WriteParts, MustBeAllRows) {
  const Neighbors n = sample_neighbors(300, 2);
  for (const auto& borders : {std::vector<std::int64_t>{0, 100, 299}, {0}, {1, 300}}) {
    NeighborFile file = open();
    const auto error = error_of([&] { write_parts(file, n, borders, 100); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::internal);
  }
  NeighborFile file = open();
  EXPECT_THROW(static_cast<void>(join(file, {})), Error) << "not shared";
  const Bytes shared = share(file, 300, 2, false);
  const auto write = [&](const RowBlocks& rows, std::int64_t first) {
    return error_of([&] { NeighborPart::open(shared).value().write(rows, first); }).value().kind();
  };
  EXPECT_EQ(write(rows_of(n, 0, 10, 5), 291), ErrorKind::usage);
  EXPECT_EQ(write(rows_of(n, 0, 10, 5), -1), ErrorKind::usage);
  EXPECT_EQ(write(rows_of(n, 0, 10, 5, true), 0), ErrorKind::usage);
  RowBlocks other = rows_of(n, 0, 10, 5);
  other.k = 3;
  EXPECT_EQ(write(other, 0), ErrorKind::usage);
  other = rows_of(n, 0, 10, 5);
  other.queries = 11;
  EXPECT_EQ(write(other, 0), ErrorKind::internal) << "fewer rows than it says";
  other.queries = 9;
  EXPECT_EQ(write(other, 0), ErrorKind::internal) << "more rows than it says";
}

TEST_P(WriteParts, WhatIsCutOffIsRefused) {
  const Neighbors n = sample_neighbors(20, 2);
  NeighborFile file = open();
  const Bytes shared = share(file, 20, 2, false);
  for (std::size_t size = 0; size < shared.size(); ++size) {
    const auto error = error_of([&] { NeighborPart::open(std::span(shared).first(size)); });
    ASSERT_TRUE(error) << size;
    EXPECT_EQ(error->kind(), ErrorKind::internal);
  }
  const Bytes part = NeighborPart::open(shared).value().write(rows_of(n, 0, 20, 5), 0);
  for (std::size_t size = 0; size < part.size(); ++size)
    EXPECT_THROW(unpacked_part(std::span(part).first(size)), Error) << size;
}

TEST_P(WriteParts, AreNotOpenedWhereTheFileIsAnother) {
  const Neighbors n = sample_neighbors(3000, 2);
  write_whole(n);
  NeighborFile file = open();
  const Bytes shared = share(file, n.queries, n.k, false);
  for (const SharedFile& each : unpacked_result(shared).files) {
    const std::string content = contents(each.path);
    std::filesystem::rename(each.path, folder_.file("aside"));
    EXPECT_FALSE(NeighborPart::open(shared));
    std::string other = content;
    other.back() ^= 1;
    put_contents(each.path, other);
    EXPECT_FALSE(NeighborPart::open(shared));
    std::filesystem::rename(folder_.file("aside"), each.path);
    EXPECT_TRUE(NeighborPart::open(shared));
  }
}

/// Each call of a part that brings bytes to the disk fails once.
TEST_P(WriteParts, SayWhatFails) {
  const Neighbors n = sample_neighbors(100'000, 2);
  for (const bool replace : {false, true}) {
    if (replace) write_file(folder_.file("got.npy"), format(), n);
    const std::vector<std::string> names = folder_.names();
    const auto failures_of = [&](auto fault) {
      for (int number = 0;; ++number) {
        NeighborFile file = open(replace);
        NeighborPart part = NeighborPart::open(share(file, n.queries, n.k, false)).value();
        faults = fault(number);
        const auto error = error_of([&] { part.write(rows_of(n, 0, n.queries, 50'000), 0, 1); });
        faults = {};
        if (!error) return number;
        EXPECT_EQ(error->kind(), ErrorKind::resources);
        const std::string message = error->what();
        EXPECT_NE(message.find("npy: No space left on device"), message.npos) << message;
        EXPECT_EQ(message.ends_with(" (old file kept)"), replace) << message;
      }
    };
    EXPECT_GE(failures_of([](int number) { return Faults{.write_errno = ENOSPC, .good_writes = number}; }), 2);
    EXPECT_EQ(failures_of([](int number) { return Faults{.good_calls = number, .call_errno = ENOSPC}; }),
              format() == NeighborFormat::npy ? 4 : 2)
        << "fsync and close of each file";
    EXPECT_EQ(folder_.names(), names);
  }
}

TEST_P(WriteParts, AreWrittenOnce) {
  const Neighbors n = sample_neighbors(10, 2);
  NeighborFile file = open();
  NeighborPart part = NeighborPart::open(share(file, n.queries, n.k, false)).value();
  part.write(rows_of(n, 0, 10, 5), 0);
  EXPECT_EQ(error_of([&] { part.write(rows_of(n, 0, 10, 5), 0); }).value().kind(), ErrorKind::internal);
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteParts, testing::ValuesIn(k_placed),
                         [](const auto& format) { return std::string(format.param); });

TEST(WritePartsOf, TextStreamsAndNothingHaveNoPlaces) {
  const TemporaryFolder folder;
  const auto has_places = [](const std::string& path, const char* format, std::int64_t queries) {
    NeighborFile file(path, *neighbor_format(format), false);
    return !share(file, queries, 2, false).empty();
  };
  for (const char* format : {"csv", "tsv"}) EXPECT_FALSE(has_places(folder.file("a"), format, 10));
  for (const char* format : k_placed) {
    EXPECT_FALSE(has_places("/dev/null", format, 10));
    EXPECT_FALSE(has_places(folder.file("a"), format, 0));
  }
}

TEST(WritePartsOf, WideIdsHave64Bits) {
  const TemporaryFolder folder;
  const Neighbors n = sample_neighbors(30'000, 4);
  for (const char* format : {"npz", "npy", "fbin", "fvecs"}) {
    NeighborFile want(folder.file("want"), *neighbor_format(format), true);
    want.write(rows_of(n, 0, n.queries, 1000, true), 0, k_extras);
    want.commit();
    NeighborFile got(folder.file("got"), *neighbor_format(format), true);
    write_parts(got, n, {0, 10'000, 30'000}, 1000, true);
    got.commit();
    EXPECT_TRUE(contents(folder.file("got")) == contents(folder.file("want"))) << format;
  }
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    NeighborFile file(folder.file("got"), *neighbor_format(format), true);
    EXPECT_EQ(error_of([&] { share(file, 10, 2, true); }).value().kind(), ErrorKind::usage);
  }
}

TEST(WritePartsOf, PythonReadsTheArchiveAndItsChecksums) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy to read the archive with";
  const TemporaryFolder folder;
  const Neighbors n = sample_neighbors(100'000, 5);
  NeighborFile file(folder.file("a.npz"), NeighborFormat::npz, false);
  write_parts(file, n, {0, 33'333, 33'333, 99'999, 100'000}, 4096);
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
TEST(WritePartsOf, PastFourGiBThePlacesAreThoseThatReadersFind) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy to read the archive with";
  const TemporaryFolder folder;
  NeighborFile file(folder.file("a.npz"), NeighborFormat::npz, false);
  const std::int64_t queries = 700'000'000, k = 2;
  const Bytes shared = share(file, queries, k, false);
  const RowBlocks last{2, k, false, [](const RowBlocks::Sink& sink) {
                         constexpr std::int32_t ids[] = {5, 6, 7, 8};
                         constexpr float distances[] = {.5, 1, 1.5, 2};
                         sink({ids, distances});
                       }};
  WrittenPart holes{0, queries - 2, {{}, {}}};
  const Bytes written = NeighborPart::open(shared).value().write(last, queries - 2);
  ASSERT_TRUE(join(file, std::vector<Bytes>{packed(holes), written}, 0, k_extras));
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
