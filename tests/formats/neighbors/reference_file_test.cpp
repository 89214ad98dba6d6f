// ReferenceFile: rows that are read in blocks are those of read_neighbors(), and ids past int32 are read, too.
#include "formats/neighbors/reference_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "clouds.hpp"
#include "formats/neighbors/reference_support.hpp"
#include "formats/points/numpy/npz_support.hpp"

namespace kann::test {
namespace {

using ReferenceFile = ReferenceTest;
using Ids = std::vector<std::int64_t>;

Neighbors random_rows(std::int64_t queries, std::int64_t k, std::uint64_t seed) {
  Random r(seed);
  Neighbors out{queries, k, {}, {}};
  for (std::int64_t i = 0; i < queries * k; ++i) {
    out.ids.push_back(static_cast<std::int32_t>(r.below(std::uint64_t{1} << 31)) - (r.below(9) == 0));
    out.distances.push_back(static_cast<float>(r.uniform()));
  }
  return out;
}

TEST_F(ReferenceFile, ReadsTheRowsOfReadNeighborsInBlocks) {
  for (const char* name : {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs"})
    for (const auto& [queries, k] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 3}, {101, 8}, {5, 0}, {0, 5}}) {
      SCOPED_TRACE(name + (" " + std::to_string(queries)) + " x " + std::to_string(k));
      write_result(name, random_rows(queries, k, 1));
      const Neighbors all = read_neighbors(path(name));
      EXPECT_EQ(all.queries, queries);
      const Ids want(all.ids.begin(), all.ids.end());
      for (const std::int64_t block : {1, 7, 100, 101}) EXPECT_EQ(read_in_blocks(path(name), block), want) << block;
      formats::ReferenceFile file(path(name));
      EXPECT_EQ(file.queries(), all.queries);
      EXPECT_EQ(file.k(), all.k);
      EXPECT_FALSE(file.has_wide_ids());
      EXPECT_EQ(file.has_distances(), name == std::string("r.npz") || name == std::string("r.bin"));
      EXPECT_EQ(file.meta(), name == std::string("r.npz") ? "{}" : "");
    }
}

/// Rows past what is held of the file at a time, and single rows that are longer, from back to front.
TEST_F(ReferenceFile, ReadsRowsOfLargeFilesInAnyOrder) {
  for (const char* name : {"r.npz", "r.bin", "r.ivecs"})
    for (const auto& [queries, k] : {std::pair<std::int64_t, std::int64_t>{90'000, 7}, {3, 300'000}}) {
      SCOPED_TRACE(name + (" " + std::to_string(queries)));
      const Neighbors want = random_rows(queries, k, 2);
      write_result(name, want);
      const Neighbors all = read_neighbors(path(name));
      EXPECT_EQ(all.ids, want.ids);
      if (!all.distances.empty()) {
        EXPECT_EQ(all.distances, want.distances);
      }
      formats::ReferenceFile file(path(name));
      for (const std::int64_t first : {queries - 1, queries / 2, std::int64_t{0}}) {
        Ids row(static_cast<std::size_t>(k));
        file.read_ids(first, row);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), want.ids.begin() + first * k)) << first;
        Array<std::int32_t> rest(static_cast<std::size_t>((queries - first) * k));
        file.read_ids(first, rest);
        EXPECT_TRUE(std::equal(rest.begin(), rest.end(), want.ids.begin() + first * k)) << first;
        if (!file.has_distances()) continue;
        Array<float> distances(static_cast<std::size_t>((queries - first) * k));
        file.read_distances(first, distances);
        EXPECT_TRUE(std::equal(distances.begin(), distances.end(), want.distances.begin() + first * k)) << first;
      }
    }
}

TEST_F(ReferenceFile, ReadsIdsPastInt32) {
  const std::int64_t wide = (std::int64_t{1} << 40) + 1;
  const std::string ids = stored_array("<i8", "(3, 2)",
                                       raw<std::int64_t>(-1) + raw(wide) + raw<std::int64_t>(0) + raw<std::int64_t>(7) +
                                           raw<std::int64_t>(-5) + raw(wide));
  const Ids want{-1, wide, 0, 7, -5, wide};
  write("a.npy", ids);
  write("a.npz", zip({{"ids.npy", ids}}));
  for (const char* name : {"a.npy", "a.npz"}) {
    for (const std::int64_t block : {1, 2, 3}) EXPECT_EQ(read_in_blocks(path(name), block), want);
    EXPECT_TRUE(formats::ReferenceFile(path(name)).has_wide_ids());
    EXPECT_THROW(read_neighbors(path(name)), Error);
  }
  write("a.npy", stored_array("<u4", "(1, 2)", u32(0xffffffff) + u32(1)));
  EXPECT_EQ(read_in_blocks(path("a.npy"), 1), (Ids{0xffffffff, 1}));
  write("a.npy", stored_array("<u8", "(2, 1)", raw(wide) + raw(~std::uint64_t{0})));
  try {
    read_in_blocks(path("a.npy"), 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.what(), path("a.npy") + ": row 1 has id 18446744073709551615 (ids go to 9223372036854775807)");
  }
}

TEST_F(ReferenceFile, RefusesDamagedArraysWhenItIsOpened) {
  ZipPart ids{"ids.npy", stored_array("<i4", "(1, 1)", u32(0))},
      distances{"distances.npy", stored_array("<f4", "(1, 1)", raw(1.f))};
  distances.crc = 1;
  EXPECT_NE(refusal("a.npz", zip({ids, distances})).find("'distances.npy' is damaged"), std::string::npos);
  ZipPart meta{"meta.npy", stored_array("<U1", "()", u32('a'))};
  meta.crc = 1;
  write("a.npz", zip({ids, meta}));
  formats::ReferenceFile file(path("a.npz"));
  EXPECT_THROW(file.meta(), Error);
  std::string text;
  EXPECT_THROW(read_neighbors(path("a.npz"), &text), Error);
}

TEST_F(ReferenceFile, ReadsFromAPipe) {
  for (const char* name : {"r.npz", "r.ivecs"}) {
    const Neighbors want = random_rows(60'000, 5, 3);
    write_result(name, want);
    const std::string bytes = bytes_of(name), pipe = path(std::string("pipe") + (name + 1));
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    EXPECT_EQ(read_in_blocks(pipe, 1000), Ids(want.ids.begin(), want.ids.end()));
    writer.join();
  }
}

TEST_F(ReferenceFile, RefusesAFileThatShrinks) {
  write_result("r.ibin", random_rows(400'000, 2, 4));
  formats::ReferenceFile file(path("r.ibin"));
  std::filesystem::resize_file(path("r.ibin"), 1000);
  Ids row(2);
  try {
    file.read_ids(399'999, row);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(error.what()).find("the file shrank while it was read"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kann::test
