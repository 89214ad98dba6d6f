// read_neighbors(): results are read as they were written, and files that are not whole are refused.
#include <gtest/gtest.h>
#include <string>

#include "kann/compare.hpp"
#include "kann/error.hpp"
#include "kann/io.hpp"

#include "formats/neighbors/reference_support.hpp"
#include "formats/points/numpy/npz_support.hpp"

namespace kann::test {
namespace {

using ReadNeighbors = ReferenceTest;

TEST_F(ReadNeighbors, ReadsWhatWasWritten) {
  const Neighbors none{0, 8, {}, {}};
  for (const Neighbors& want : {some_result(), none})
    for (const char* name : {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs"}) {
      SCOPED_TRACE(name + std::to_string(want.queries));
      write_result(name, want);
      const Neighbors got = read_neighbors(path(name));
      EXPECT_EQ(got.queries, want.queries);
      EXPECT_EQ(got.ids, want.ids);
      const bool has_distances = name == std::string("r.npz") || name == std::string("r.bin");
      EXPECT_EQ(got.distances, has_distances ? want.distances : Array<float>());
      if (want.queries > 0 || name != std::string("r.ivecs")) {
        EXPECT_EQ(got.k, want.k);
      }
    }
}

TEST_F(ReadNeighbors, ReadsEveryIntegerTypeOfNumPy) {
  const Array<std::int32_t> want{-1, 2147483647};
  std::string wide, unsigned_wide;
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{2147483647}}) wide += raw(id);
  for (const std::uint64_t id : {std::uint64_t{3}, std::uint64_t{2147483647}}) unsigned_wide += raw(id);
  EXPECT_EQ(read_neighbors(write("a.npy", stored_array("<i8", "(2, 1)", wide))).ids, want);
  EXPECT_EQ(read_neighbors(write("a.npy", stored_array("<i8", "(1, 2)", wide))).k, 2);
  EXPECT_EQ(read_neighbors(write("a.npy", stored_array("<u8", "(1, 2)", unsigned_wide))).ids[0], 3);
  EXPECT_EQ(read_neighbors(write("a.NPY", stored_array("<u4", "(1, 1)", u32(9)))).ids[0], 9);
}

TEST_F(ReadNeighbors, RefusesArraysThatAreNoIds) {
  const std::string eight(8, '\0');
  EXPECT_EQ(refusal("a.npy", stored_array("<f4", "(1, 2)", eight)),
            "a.npy: ids are of type '<f4' (need int32 or int64, little-endian); save array.astype(\"int32\")");
  EXPECT_NE(refusal("a.npy", stored_array(">i4", "(1, 2)", eight)), "");
  EXPECT_EQ(refusal("a.npy", stored_array("<i8", "(1, 1)", raw(std::int64_t{1} << 31))),
            "a.npy: row 0 has id 2147483648 (ids go to 2147483647)");
  EXPECT_NE(refusal("a.npy", stored_array("<u8", "(1, 1)", raw(~std::uint64_t{0}))), "");
  EXPECT_EQ(refusal("a.npy", stored_array("<i4", "(2,)", eight)),
            "a.npy: the array has 1 dimension (need 2: queries and k neighbours); lists of all within a radius, which have "
            "1, are neither checked nor compared");
  EXPECT_NE(refusal("a.npy", stored_array("<i4", "(1, 1, 2)", eight)), "");
  EXPECT_EQ(refusal("a.npy", stored_array("<i4", "(1, 2)", eight, "True")),
            "a.npy: the array is in Fortran order; save numpy.ascontiguousarray(array)");
  for (const char* shape : {"(1, 1)", "(1, 3)", "(2, 2)", "(18446744073709551615, 18446744073709551615)",
                            "(4611686018427387904, 4)", "(0, 5)", "(5, 0)"})
    EXPECT_NE(refusal("a.npy", stored_array("<i4", shape, eight)).find("does not match the 8 bytes"), std::string::npos)
        << shape;
  EXPECT_NE(refusal("a.npy", stored_array("<i4", "(9999999999999, 0)", "")), "");
  for (const char* shape :
       {"(1, 2)} x", "(1, 2", "(1 2)", "1, 2", "(-1, 2)", "(1, 2), 'shape': (1, 2)", "(1, 2), 'more': 1"})
    EXPECT_NE(refusal("a.npy", stored_array("<i4", shape, eight)), "") << shape;
  for (const char* text : {"", "x", "\x93NUMPY", "PK\x05\x06"}) EXPECT_NE(refusal("a.npy", text), "") << text;
}

TEST_F(ReadNeighbors, EveryTruncationIsRefused) {
  for (const char* name : {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs"}) {
    write_result(name, some_result());
    const std::string whole = bytes_of(name);
    for (std::size_t size = name == std::string("r.ivecs") ? 1 : 0; size < whole.size(); ++size) {
      const bool is_whole_rows = name == std::string("r.ivecs") && size % 12 == 0;
      EXPECT_EQ(refusal(name, whole.substr(0, size)) == "", is_whole_rows) << name << " " << size;
    }
    EXPECT_NE(refusal(name, whole + std::string(4, '\0')), "") << name;
  }
}

TEST_F(ReadNeighbors, ADamagedArchiveIsRefusedOrIgnoredWhereItDoesNotMatter) {
  write_result("r.npz", some_result());
  const std::string whole = bytes_of("r.npz");
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      if (refusal("r.npz", bytes) == "") {
        EXPECT_EQ(read_neighbors(path("r.npz")).ids, some_result().ids) << i;
      }
    }
}

TEST_F(ReadNeighbors, GivesTheTextThatIsBesideTheResult) {
  for (const std::string text : {"{}", "{\"path\":\"ä €😀.ply\"}", ""}) {
    NeighborFile file(path("r.npz"), NeighborFormat::npz, true);
    file.write(some_result(), text);
    file.commit();
    std::string meta = "old";
    EXPECT_EQ(read_neighbors(path("r.npz"), &meta).ids, some_result().ids);
    EXPECT_EQ(meta, text);
  }
  std::string meta = "old";
  write_result("r.bin", some_result());
  read_neighbors(path("r.bin"), &meta);
  EXPECT_EQ(meta, "");
  // Arrays of that name that are no text are not ours
  const std::string ids = stored_array("<i4", "(1, 2)", i32s({3, 4}));
  for (const std::string& other :
       {stored_array("<f8", "(1,)", raw(1.5)), stored_array("<U2", "(1,)", u32('a') + u32('b'))}) {
    read_neighbors(write("a.npz", zip({{"ids.npy", ids}, {"meta.npy", other}})), &(meta = "old"));
    EXPECT_EQ(meta, "");
  }
}

/// What an archive claims of a member is checked before it is taken, and nothing is decompressed.
TEST_F(ReadNeighbors, RefusesArchivesThatAreNotAsTheyClaim) {
  const std::string ids = stored_array("<i4", "(1, 2)", i32s({3, 4}));
  const ZipPart whole{"ids.npy", ids};
  EXPECT_EQ(refusal("a.npz", zip({whole})), "");
  EXPECT_EQ(refusal("a.npz", zip({{"x.npy", "?"}, whole}, true)), "");
  const auto changed = [&](auto change) {
    ZipPart part = whole;
    change(part);
    return refusal("a.npz", zip({part}));
  };
  EXPECT_EQ(changed([](auto& p) { p.method = 8; }),
            "a.npz: member 'ids.npy' is compressed (method 8); save it by numpy.savez");
  EXPECT_EQ(changed([](auto& p) { p.flags = 1; }), "a.npz: member 'ids.npy' is encrypted");
  EXPECT_EQ(changed([](auto& p) { p.size = 1 << 30; }),
            "a.npz: member 'ids.npy' is stored in " + std::to_string(ids.size()) + " bytes and has 1073741824");
  EXPECT_NE(changed([](auto& p) { p.crc = 1; }).find("is damaged"), std::string::npos);
  EXPECT_EQ(refusal("a.npz", zip({whole, whole})), "a.npz: member 'ids.npy' is twice in the archive");
  EXPECT_EQ(refusal("a.npz", zip({{"x.npy", ids}})), "a.npz: there are no neighbours (an array 'ids') in the archive");
}

TEST_F(ReadNeighbors, RefusesSizesThatTheFileDoesNotHold) {
  const std::string row = i32s({1, 2});
  EXPECT_EQ(refusal("t.bin", u32(1) + u32(2) + row),
            "t.bin: 1 queries with 2 neighbours need 24 bytes, file holds 16; it has ids alone: name it .ibin");
  EXPECT_EQ(refusal("t.ibin", u32(1) + u32(2) + row + row),
            "t.ibin: 1 queries with 2 neighbours need 16 bytes, file holds 24; it has distances, too: name it .bin");
  EXPECT_EQ(refusal("t.ibin", u32(0xffffffff) + u32(0xffffffff) + row),
            "t.ibin: 4294967295 queries with 4294967295 neighbours need 73786976260478468108 bytes, file holds 16");
  EXPECT_EQ(refusal("t.bin", "1234567"), "t.bin: the header needs 8 bytes, file holds 7");
  EXPECT_EQ(refusal("t.ivecs", i32s({2, 5, 6, 1, 5, 6})),
            "t.ivecs@byte 12: row 1 has 1 neighbours (need 2, as the first)");
  EXPECT_EQ(refusal("t.ivecs", i32s({2, 5, 6, 2, 5})), "t.ivecs@byte 12: row 1 needs 12 bytes, file holds 8");
  EXPECT_EQ(refusal("t.ivecs", i32s({-1, 5})), "t.ivecs@byte 0: the first row has -1 neighbours");
  EXPECT_EQ(refusal("t.ivecs", i32s({2147483647, 5})), "t.ivecs@byte 0: row 0 needs 8589934592 bytes, file holds 8");
}

TEST_F(ReadNeighbors, RefusesOtherExtensionsAndMissingFiles) {
  EXPECT_EQ(refusal("t.csv", "", ErrorKind::usage),
            "t.csv: unknown format of neighbours (need .npz, .npy, .bin, .ibin or .ivecs)");
  EXPECT_TRUE(can_read_neighbors("a/b.IVECS"));
  EXPECT_FALSE(can_read_neighbors("npz"));
  EXPECT_FALSE(can_read_neighbors("a.npz/b"));
  EXPECT_THROW(read_neighbors(path("nope.npz")), Error);
  EXPECT_EQ(refusal("t.npz", ""), "t.npz: no directory at the end of the archive: the file is cut off or no ZIP");
}

TEST_F(ReadNeighbors, AReferenceHasARowPerQueryAndIdsOfPoints) {
  const auto refused = [](const Neighbors& reference) -> std::string {
    try {
      check_reference(reference, 2, 5, "t.bin");
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
  };
  EXPECT_EQ(refused({2, 2, {0, 4, -1, -1}, {}}), "");
  EXPECT_EQ(refused({2, 2, {0, 5, 1, 1}, {}}), "t.bin: row 0 has id 5 (data has 5 points)");
  EXPECT_EQ(refused({2, 2, {0, 4, 1, -2}, {}}), "t.bin: row 1 has id -2 (data has 5 points)");
  EXPECT_EQ(refused({1, 2, {0, 4}, {}}), "t.bin: not a row per query (got 1, need 2)");
  EXPECT_EQ(refused({2, 2, {0, 4}, {}}), "t.bin: 2 rows of 2 neighbours do not match 2 ids");
}

}  // namespace
}  // namespace kann::test
