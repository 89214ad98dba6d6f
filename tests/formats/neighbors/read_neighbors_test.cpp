// Results and ground truths are read as they were written, as a whole and in blocks, also with ids past int32; files
// that are not whole are refused.
#include <string>
#include <vector>

#include "kann/compare.hpp"

#include "formats/neighbors/reference_file.hpp"
#include "formats/points/read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Ids = std::vector<std::int64_t>;

const char* const k_names[] = {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs"};

std::string u32(std::uint32_t x) { return bytes_of(x); }
std::string i32s(std::initializer_list<std::int32_t> numbers) { return bytes_of_all(numbers); }

std::string stored_array(const std::string& type, const std::string& shape, const std::string& values,
                         const std::string& fortran = "False") {
  return npy("'" + type + "'", fortran, shape, values);
}

/// All ids of a file, read in blocks of `block` rows.
Ids read_in_blocks(const std::string& path, std::int64_t block) {
  ReferenceFile file(path);
  Ids ids;
  for (std::int64_t first = 0; first < file.queries() && file.k() > 0; first += block) {
    const auto begin = ids.size();
    ids.resize(begin + static_cast<std::size_t>(std::min(block, file.queries() - first) * file.k()));
    file.read_ids(first, std::span(ids).subspan(begin));
  }
  return ids;
}

class ReadNeighbors : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& bytes) const {
    put_contents(path(name), bytes);
    return path(name);
  }
  void write_result(const std::string& name, const Neighbors& neighbors) const {
    write_file(path(name), *neighbor_format(name.substr(2)), neighbors, "{}", true);
  }

  /// The message of the refusal, without the folder; "" if the file is read. Reading it in blocks must end in the same
  /// way, unless an id is only past int32.
  std::string refusal(const std::string& name, const std::string& bytes, ErrorKind kind = ErrorKind::bad_input) const {
    const std::string file = write(name, bytes);
    const std::string text = failure_of([&] { read_neighbors(file); });
    if (text.find("(ids go to 2147483647)") == std::string::npos) {
      EXPECT_EQ(failure_of([&] { read_in_blocks(file, 1); }), text);
    }
    if (text.empty()) return "";
    const std::string begin = std::to_string(static_cast<int>(kind)) + ": " + path("");
    EXPECT_TRUE(text.starts_with(begin)) << text;
    return text.substr(begin.size());
  }

  const TemporaryFolder folder_;
};

Neighbors some_result() {
  Neighbors n{3, 2, {4, 7, 0, -1, 2147483647, 5}, {0.5f, 1.5f, 0, 0, 2, 3}};
  n.distances[3] = std::numeric_limits<float>::infinity();
  return n;
}

/// Rows past what is held of the file at a time, and single rows that are longer; from back to front, too.
TEST_F(ReadNeighbors, ReadsWhatWasWrittenWholeInBlocksAndFromAPipe) {
  for (const std::string name : k_names)
    for (const auto& [queries, k] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 3}, {101, 8}, {5, 0}, {0, 8}, {90'000, 7}, {3, 300'000}}) {
      SCOPED_TRACE(name + " " + std::to_string(queries) + " x " + std::to_string(k));
      const Neighbors want = sample_neighbors(queries, k);
      const bool has_distances = name == "r.npz" || name == "r.bin";
      write_result(name, want);
      const Neighbors got = read_neighbors(path(name));
      EXPECT_EQ(got.queries, queries);
      EXPECT_EQ(got.k, queries > 0 || name != "r.ivecs" ? k : 0);
      EXPECT_EQ(got.ids, want.ids);
      EXPECT_EQ(got.distances, has_distances ? want.distances : Array<float>());

      const Ids ids(want.ids.begin(), want.ids.end());
      for (const std::int64_t block : {1, 7, 100, 101, 1000}) {
        if (queries > 1000 && block < 1000) continue;
        EXPECT_EQ(read_in_blocks(path(name), block), ids) << block;
      }
      const Pipe pipe(name, contents(path(name)));
      EXPECT_EQ(read_in_blocks(pipe.path(), 1000), ids);

      ReferenceFile file(path(name));
      EXPECT_EQ(file.queries(), queries);
      EXPECT_EQ(file.k(), got.k);
      EXPECT_FALSE(file.has_wide_ids());
      EXPECT_EQ(file.has_distances(), has_distances);
      EXPECT_EQ(file.meta(), name == "r.npz" ? "{}" : "");
      for (std::int64_t first = queries - 1; first >= 0 && k > 0; first -= 1 + queries / 3) {
        Ids row(static_cast<std::size_t>(k));
        file.read_ids(first, row);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), want.ids.begin() + first * k)) << first;
        Array<std::int32_t> rest(static_cast<std::size_t>((queries - first) * k));
        file.read_ids(first, rest);
        EXPECT_TRUE(std::equal(rest.begin(), rest.end(), want.ids.begin() + first * k)) << first;
        if (!has_distances) continue;
        Array<float> distances(rest.size());
        file.read_distances(first, distances);
        EXPECT_TRUE(std::equal(distances.begin(), distances.end(), want.distances.begin() + first * k)) << first;
      }
    }
}

TEST_F(ReadNeighbors, ReadsEveryIntegerTypeOfNumPy) {
  const Array<std::int32_t> want{-1, 2147483647};
  std::string wide, unsigned_wide;
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{2147483647}}) wide += bytes_of(id);
  for (const std::uint64_t id : {std::uint64_t{3}, std::uint64_t{2147483647}}) unsigned_wide += bytes_of(id);
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
  EXPECT_EQ(refusal("a.npy", stored_array("<i8", "(1, 1)", bytes_of(std::int64_t{1} << 31))),
            "a.npy: row 0 has id 2147483648 (ids go to 2147483647)");
  EXPECT_NE(refusal("a.npy", stored_array("<u8", "(1, 1)", bytes_of(~std::uint64_t{0}))), "");
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
  for (const std::string name : k_names) {
    write_result(name, some_result());
    const std::string whole = contents(path(name));
    for (std::size_t size = name == "r.ivecs" ? 1 : 0; size < whole.size(); ++size) {
      const bool is_whole_rows = name == "r.ivecs" && size % 12 == 0;
      EXPECT_EQ(refusal(name, whole.substr(0, size)) == "", is_whole_rows) << name << " " << size;
    }
    EXPECT_NE(refusal(name, whole + std::string(4, '\0')), "") << name;
  }
}

TEST_F(ReadNeighbors, ADamagedArchiveIsRefusedOrIgnoredWhereItDoesNotMatter) {
  write_result("r.npz", some_result());
  const std::string whole = contents(path("r.npz"));
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
    write_file(path("r.npz"), NeighborFormat::npz, some_result(), text, true);
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
       {stored_array("<f8", "(1,)", bytes_of(1.5)), stored_array("<U2", "(1,)", u32('a') + u32('b'))}) {
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
  const auto refused = [](const Neighbors& reference) {
    return failure_of([&] { check_reference(reference, 2, 5, "t.bin"); });
  };
  EXPECT_EQ(refused({2, 2, {0, 4, -1, -1}, {}}), "");
  EXPECT_EQ(refused({2, 2, {0, 5, 1, 1}, {}}), "3: t.bin: row 0 has id 5 (data has 5 points)");
  EXPECT_EQ(refused({2, 2, {0, 4, 1, -2}, {}}), "3: t.bin: row 1 has id -2 (data has 5 points)");
  EXPECT_EQ(refused({1, 2, {0, 4}, {}}), "3: t.bin: not a row per query (got 1, need 2)");
  EXPECT_EQ(refused({2, 2, {0, 4}, {}}), "3: t.bin: 2 rows of 2 neighbours do not match 2 ids");
}

TEST_F(ReadNeighbors, ReadsIdsPastInt32) {
  const std::int64_t wide = (std::int64_t{1} << 40) + 1;
  const std::string ids = stored_array("<i8", "(3, 2)",
                                       bytes_of<std::int64_t>(-1) + bytes_of(wide) + bytes_of<std::int64_t>(0) +
                                           bytes_of<std::int64_t>(7) + bytes_of<std::int64_t>(-5) + bytes_of(wide));
  const Ids want{-1, wide, 0, 7, -5, wide};
  write("a.npy", ids);
  write("a.npz", zip({{"ids.npy", ids}}));
  for (const char* name : {"a.npy", "a.npz"}) {
    for (const std::int64_t block : {1, 2, 3}) EXPECT_EQ(read_in_blocks(path(name), block), want);
    EXPECT_TRUE(ReferenceFile(path(name)).has_wide_ids());
    EXPECT_THROW(read_neighbors(path(name)), Error);
  }
  write("a.npy", stored_array("<u4", "(1, 2)", u32(0xffffffff) + u32(1)));
  EXPECT_EQ(read_in_blocks(path("a.npy"), 1), (Ids{0xffffffff, 1}));
  write("a.npy", stored_array("<u8", "(2, 1)", bytes_of(wide) + bytes_of(~std::uint64_t{0})));
  EXPECT_EQ(failure_of([&] { read_in_blocks(path("a.npy"), 2); }),
            "3: " + path("a.npy") + ": row 1 has id 18446744073709551615 (ids go to 9223372036854775807)");
}

TEST_F(ReadNeighbors, RefusesDamagedArraysWhenItIsOpened) {
  ZipPart ids{"ids.npy", stored_array("<i4", "(1, 1)", u32(0))},
      distances{"distances.npy", stored_array("<f4", "(1, 1)", bytes_of(1.f))};
  distances.crc = 1;
  EXPECT_NE(refusal("a.npz", zip({ids, distances})).find("'distances.npy' is damaged"), std::string::npos);
  ZipPart meta{"meta.npy", stored_array("<U1", "()", u32('a'))};
  meta.crc = 1;
  write("a.npz", zip({ids, meta}));
  ReferenceFile file(path("a.npz"));
  EXPECT_THROW(file.meta(), Error);
  std::string text;
  EXPECT_THROW(read_neighbors(path("a.npz"), &text), Error);
}

TEST_F(ReadNeighbors, RefusesAFileThatShrinks) {
  write_result("r.ibin", sample_neighbors(400'000, 2));
  ReferenceFile file(path("r.ibin"));
  std::filesystem::resize_file(path("r.ibin"), 1000);
  Ids row(2);
  const std::string message = failure_of([&] { file.read_ids(399'999, row); });
  EXPECT_TRUE(message.starts_with("3: ")) << message;
  EXPECT_NE(message.find("the file shrank while it was read"), std::string::npos) << message;
}

}  // namespace
}  // namespace kann::formats
