// NPZ archives: which array is the cloud, stored, deflated and ZIP64; and what is wrong with them.
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_array = npy_array("'<f4'", "(2, 3)", bytes_of_all<float>({1, 2, 3, 4, 5, 6}));
const std::string k_other = npy_array("'<f8'", "(1, 2)", bytes_of_all<double>({7, 8}));
const std::string k_labels = npy_array("'<i8'", "(2,)", bytes_of_all<std::int64_t>({7, 8}));

Numbers read(const std::string& bytes, const ReadOptions& options = {}) { return points_in("a.npz", bytes, options); }

TEST(ReadNpz, StoredDeflatedAndZip64) {
  std::vector<GoodFile> files;
  for (const int method : {0, 8})
    for (const bool is_64 : {false, true})
      for (const std::string comment : {"", "a comment", "PK\5\6 and more than 22 bytes"}) {
        ZipPart part{.name = "points.npy", .content = k_array, .method = method};
        part.is_64 = is_64;
        files.push_back({comment, zip({part}, is_64, comment)});
      }
  expect_good({"a.npz"}, files);
}

TEST(ReadNpz, DeflateThatCopies) {
  const std::string array = npy_array("'<f4'", "(43, 3)", std::string(516, '\0'));
  // Two blocks: the header as it is, then a zero and twice 258 more, one more than the shape needs.
  const std::string literal = array.substr(0, array.size() - 516);
  const auto size = static_cast<std::uint16_t>(literal.size());
  const std::string stored = std::string(1, '\0') + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) +
                             literal + deflate_runs(std::string(1, '\0'), 2);
  const std::string content = literal + std::string(517, '\0');
  const std::string file = zip({{.name = "points.npy", .content = content, .method = 8, .stored = stored}});
  EXPECT_EQ(read(file), Numbers(129, 0.0));
  EXPECT_EQ(warnings_in("a.npz", file), Lines{"a.npz[points]: 1 byte after the array is not read"});
}

TEST(ReadNpz, TheArrayCalledPointsThenXyzThenTheOnlyOneThatFits) {
  const ZipPart points{.name = "points.npy", .content = k_array}, xyz{.name = "xyz.npy", .content = k_array},
      other{.name = "a.npy", .content = k_other}, labels{.name = "label.npy", .content = k_labels},
      cloud{.name = "cloud.npy", .content = k_array}, readme{.name = "README", .content = "text"};
  for (const auto& parts : std::vector<std::vector<ZipPart>>{{points, other},
                                                             {other, xyz},
                                                             {labels, cloud, readme},
                                                             {readme, cloud},
                                                             {other, points, {.name = "xyz.npy", .content = k_other}}})
    EXPECT_EQ(read(zip(parts)), k_points) << parts[0].name;
}

TEST(ReadNpz, TwoMembersOfOneNameAreRefused) {
  const ZipPart first{.name = "points.npy", .content = k_array}, second{.name = "points.npy", .content = k_other},
      other{.name = "a.npy", .content = k_other};
  EXPECT_EQ(refusal("a.npz", zip({first, other, second})), "a.npz: member 'points.npy' is twice in the archive");
}

/// In an archive of faces and vertices, the vertices are the points.
TEST(ReadNpz, IntegersAreACloudWhereNothingElseIs) {
  const ZipPart vertices{.name = "vertices.npy", .content = k_array},
      faces{.name = "faces.npy", .content = npy_array("'<i8'", "(1, 3)", bytes_of_all<std::int64_t>({7, 8, 9}))};
  EXPECT_EQ(read(zip({faces, vertices})), k_points);
  EXPECT_EQ(read(zip({faces})), (Numbers{7, 8, 9}));
}

TEST(ReadNpz, ColumnsOfTheArray) {
  const std::string wide = npy_array("'<f4'", "(1, 4)", bytes_of_all<float>({9, 1, 2, 3}));
  const std::string fields = npy_array("[('a', '<f4'), ('b', '<f4')]", "(1,)", bytes_of_all<float>({1, 2}));
  EXPECT_EQ(read(zip({{.name = "a.npy", .content = wide}, {.name = "l.npy", .content = k_labels}}),
                 {.columns = {"2", "3", "4"}}),
            (Numbers{1, 2, 3}));
  EXPECT_EQ(read(zip({{.name = "a.npy", .content = fields}}), {.columns = {"b", "a"}}), (Numbers{2, 1}));
}

TEST(ReadNpz, ByContentWhateverTheExtension) {
  const std::string bytes = zip({{.name = "points.npy", .content = k_array}});
  EXPECT_EQ(points_in("a", bytes), k_points);
  EXPECT_EQ(points_in("a.npy", bytes), k_points);
  EXPECT_EQ(warnings_in("a.npy", bytes),
            Lines{"a.npy: read as NPZ, as its content says, though its extension says NPY"});
}

const ZipPart k_part{.name = "points.npy", .content = k_array};

ZipPart with(ZipPart part, auto&& change) {
  change(part);
  return part;
}

std::string replaced(std::string bytes, const std::string& old, std::size_t offset, const std::string& value) {
  return bytes.replace(bytes.rfind(old) + offset, value.size(), value);
}

const RefusedFile k_refused_npz[] = {
    // Archive
    {"MagicOnly", "PK\3\4", ": no directory at the end of the archive: the file is cut off or no ZIP"},
    {"Foreign", "zzz", ": no directory at the end of the archive: the file is cut off or no ZIP"},
    {"Cut", zip({k_part}).substr(0, zip({k_part}).size() - 1),
     ": no directory at the end of the archive: the file is cut off or no ZIP"},
    {"TailAfterTheEnd", zip({k_part}) + "tail",
     ": no directory at the end of the archive: the file is cut off or no ZIP"},
    {"Disks", replaced(zip({k_part}), "PK\5\6", 4, "\1"), ": an archive on several disks is not read"},
    {"Empty", zip({}), ": no array in the archive (need a member NAME.npy)"},
    {"NoArray", zip({{.name = "cloud.ply", .content = "ply\n"}}), ": no array in the archive (need a member NAME.npy)"},
    {"AResult",
     zip({{.name = "ids.npy", .content = k_labels},
          {.name = "distances.npy", .content = k_array},
          {.name = "meta.npy", .content = k_labels}}),
     ": this is a result of kann (ids and distances), not a cloud; kann check judges it"},
    {"NoCloud", zip({{.name = "a.npy", .content = k_labels}, {.name = "b.npy", .content = k_labels}}),
     ": no array has numbers and the shape (n, 2) or (n, 3): a, b"},
    {"TwoClouds",
     zip({{.name = "a.npy", .content = k_array},
          {.name = "l.npy", .content = k_labels},
          {.name = "b.npy", .content = k_other}}),
     ": 2 arrays can be the points: a, b; call one of them points"},
    {"TooManyEntries", replaced(zip({k_part}), "PK\5\6", 8, std::string("\3\0\3\0", 4)),
     ": the directory of 3 members does not fit the archive (got 56 bytes at 134, file holds 212)"},
    {"DirectoryBehindTheEnd", replaced(zip({k_part}), "PK\5\6", 16, "\xff\xff\xff\x7f"),
     ": the directory of 1 members does not fit the archive (got 56 bytes at 2147483647, file holds 212)"},
    {"NoEntry", replaced(zip({k_part}), "PK\1\2", 0, "QK"), "@byte 134: no entry 0 of 1 in the directory"},
    {"EntryCut", replaced(zip({k_part}), "PK\1\2", 28, "\xff\xff"), "@byte 134: entry 0 of the directory is cut off"},
    {"NoRecordOf64Bits", replaced(zip({k_part}, true), "PK\6\6", 0, "QK"), "@byte 246: no ZIP64 record at byte 190"},
    // Member
    {"Encrypted", zip({with(k_part, [](ZipPart& p) { p.flags = 1; })}), ": member 'points.npy' is encrypted"},
    {"Bzip2", zip({with(k_part, [](ZipPart& p) { p.method = 12; })}),
     ": member 'points.npy' is compressed by method 12 (need 0, stored, or 8, deflate)"},
    {"NoHeader", replaced(zip({{.name = "a", .content = "b"}, k_part}), "PK\3\4", 0, "QK"),
     ": member 'points.npy' has no header at byte 32"},
    {"OtherName", replaced(zip({k_part}), "PK\3\4", 30, "pointz"),
     ": member 'points.npy' has another name in its own header, at byte 0"},
    {"NameBehindTheEnd", replaced(zip({k_part}), "PK\3\4", 26, "\xff\xff\xff\xff"),
     ": member 'points.npy' has another name in its own header, at byte 0"},
    {"HeaderBehindTheEnd", replaced(zip({k_part}), "PK\1\2", 42, "\xf0\xff\xff\x7f"),
     ": member 'points.npy' has no header at byte 2147483632"},
    {"Long", replaced(zip({k_part}), "PK\1\2", 20, std::string("\xff\xff\0\0", 4)),
     ": member 'points.npy' needs 65535 bytes, file holds 172"},
    {"StoredInFewerBytes", zip({with(k_part, [](ZipPart& p) { p.size = 141; })}),
     ": member 'points.npy' is stored in 94 bytes and has 141"},
    {"Crc", zip({with(k_part, [](ZipPart& p) { p.crc = 0; })}),
     ": member 'points.npy' is damaged (its CRC-32 is a021ff63, need 00000000)"},
    {"NoDeflate", zip({with(k_part, [](ZipPart& p) { p.method = 8, p.stored = "\7"; })}),
     ": member 'points.npy' is no deflate of 94 bytes"},
    {"DeflateOfMore",
     zip({with(k_part, [](ZipPart& p) { p.method = 8, p.stored = deflate_literally(k_array + "a"); })}),
     ": member 'points.npy' is no deflate of 94 bytes"},
    {"DeflateOfLess",
     zip({with(k_part, [](ZipPart& p) { p.method = 8, p.stored = deflate_literally(k_array.substr(1)); })}),
     ": member 'points.npy' is no deflate of 94 bytes"},
    {"BytesAfterDeflate",
     zip({with(k_part, [](ZipPart& p) { p.method = 8, p.stored = deflate_literally(k_array) + "a"; })}),
     ": member 'points.npy' is no deflate of 94 bytes"},
    {"Bomb", zip({with(k_part, [](ZipPart& p) { p.method = 8, p.size = 60'000'000; })}),
     ": 217 compressed bytes would take 60000000 bytes of memory (need at most 50331648); decompress the "
     "file first if it is sound"},
    {"HugeSizeOf64Bits",
     zip({with(k_part, [](ZipPart& p) { p.method = 8, p.is_64 = true, p.size = 0x7fffffffffffffff; })}),
     ": 257 compressed bytes would take 9223372036854775807 bytes of memory (need at most 50331648); "
     "decompress the file first if it is sound"},
    {"WhatTheArrayLacks", zip({{.name = "points.npy", .content = npy_array("'<f4'", "(3, 3)", "abc")}}),
     "[points]: shape (3, 3) needs 36 bytes, file holds 3"},
    {"WhatTheArrayIs", zip({{.name = "points.npy", .content = "ply\n"}}),
     "[points]@byte 0: not an NPY file (got 'ply\\x0a', need '\\x93NUMPY')"},
};

TEST(NpzRefused, SaysWhatIsWrong) { expect_refusals("a.npz", k_refused_npz); }

}  // namespace
}  // namespace kann::formats
