// PCD files that are right, the unusual ones too, give the points that are in them; what is wrong with others is said.
// LZF by hand, and against a compressor that is written here.
#include <algorithm>
#include <optional>

#include "formats/pcd/lzf.hpp"
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;
using namespace std::string_literals;

namespace {

const std::string k_columns = bytes_of_all<float>({1, 4, 2, 5, 3, 6});

const std::string k_ascii = pcd("ascii", "2", "1 2 3\n4 5 6\n");
const std::string k_binary = pcd("binary", "2", k_floats);
const std::string k_compressed = compressed_pcd("2", k_columns);

/// x and z of a type of their own, other fields between, before and behind them; 31 bytes per point.
const std::string k_mixed =
    "FIELDS rgb x _ normal y t z\nSIZE 4 2 1 4 4 8 4\nTYPE F I U F U U F\nCOUNT 1 1 3 2 1 1 1\n";
const std::string k_mixed_rows = "abcd" + bytes_of<std::int16_t>(-1) + "___nnnnNNNN" + bytes_of<std::uint32_t>(2) +
                                 "tttttttt" + bytes_of(3.0f) + "abcd" + bytes_of<std::int16_t>(4) + "___nnnnNNNN" +
                                 bytes_of<std::uint32_t>(4294967295u) + "tttttttt" + bytes_of(6.0f);
const std::string k_mixed_columns = "abcdabcd" + bytes_of_all<std::int16_t>({-1, 4}) + "______" + "nnnnNNNNnnnnNNNN" +
                                    bytes_of_all<std::uint32_t>({2, 4294967295u}) + "tttttttttttttttt" +
                                    bytes_of_all<float>({3, 6});

const std::string k_organised = "VERSION .7\n" + k_pcd_xyz + "WIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\n";
const Numbers k_missing = {1, 2, 3, NAN, NAN, NAN, NAN, NAN, NAN, 4, 5, 6};

const GoodFile k_good_pcd[] = {
    {"Ascii", k_ascii},
    {"Binary", k_binary},
    {"Compressed", k_compressed},
    {"NoPoints", pcd("ascii", "0", ""), "", {}},
    {"NoPointsInBinary", pcd("binary", "0", ""), "", {}},
    {"NoPointsCompressed", compressed_pcd("0", ""), "", {}},
    {"Organised", k_organised + "DATA ascii\n1 2 3\nnan nan nan\n-nan nan nan\n4 5 6\n", "", k_missing},
    {"OrganisedBinary",
     k_organised + "DATA binary\n" + bytes_of_all<float>({1, 2, 3, NAN, NAN, NAN, NAN, NAN, NAN, 4, 5, 6}), "",
     k_missing},
    {"TwoDimensions", pcd("ascii", "1", "2 1\n", "FIELDS y x\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\n"), "x y", {1, 2}},
    {"OtherNames", pcd("binary", "2", k_floats, "FIELDS pos_x pos_y pos_z\nSIZE 4 4 4\nTYPE F F F\n"),
     "pos_x pos_y pos_z"},
    {"AsciiCrLf", replaced_all(k_ascii, "\n", "\r\n")},
    {"BinaryCrLf", replaced_all(pcd("binary", "2", ""), "\n", "\r\n") + k_floats},
    {"NoCount", replaced_all(k_ascii, "COUNT 1 1 1\n", "")},
    {"NoHeight", replaced_all(replaced_all(k_ascii, "HEIGHT 1\n", ""), "POINTS 2\n", "")},
    {"NoWidth", replaced_all(replaced_all(k_ascii, "HEIGHT 1\n", ""), "WIDTH 2\n", "")},
    {"NoVersion", replaced_all(k_ascii, "VERSION 0.7\n", "")},
    {"VersionWithoutZero", replaced_all(k_binary, "VERSION 0.7", "VERSION .7")},
    {"VersionFive", replaced_all(replaced_all(k_binary, "VERSION 0.7", "VERSION .5"), "FIELDS", "COLUMNS")},
    {"NoViewpoint", replaced_all(k_binary, "VIEWPOINT 0 0 0 1 0 0 0\n", "")},
    {"OtherComment",
     replaced_all(k_binary, "# .PCD v0.7 - Point Cloud Data file format", "# DATA ascii\n#POINTS 99\n")},
    {"LongComment", "# .PCD v0.7\n#" + std::string(30'000, 'c') + "\n" + k_binary},
    {"BlankLines", replaced_all(k_ascii, "\n", "\n\n")},
    {"Tabs", replaced_all(replaced_all(k_ascii, "1 2 3", "1\t 2\t3\t"), "FIELDS x y", "FIELDS\tx  y")},
    {"NoFinalNewline", k_ascii.substr(0, k_ascii.size() - 1)},
    {"Numbers", replaced_all(k_ascii, "1 2 3", "+1.0E+00 .2e1 3.")},
    {"TrailingBlankLines", k_ascii + "\n \r\n"},
    {"PagePadding", k_compressed + std::string(3000, '\0')},
    {"StoredAsItIs", pcd("binary_compressed", "2", compressed_body(k_columns, 24))},
};

const std::string k_xyz_of_doubles = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n";
const Numbers k_digits = {636000.0001, 4851000.1, 0.1};
const std::string k_digit_bytes = bytes_of_all<double>({636000.0001, 4851000.1, 0.1});
const Numbers k_mixed_points = {-1, 2, 3, 4, 4294967295.0, 6};

const GoodFile k_good_pcd_of_doubles[] = {
    {"Digits", pcd("ascii", "1", "636000.0001 4851000.1 0.1\n", k_xyz_of_doubles), "", k_digits},
    {"DigitsInBinary", pcd("binary", "1", k_digit_bytes, k_xyz_of_doubles), "", k_digits},
    {"DigitsCompressed", compressed_pcd("1", k_digit_bytes, k_xyz_of_doubles), "", k_digits},
    // Fields of any type and count in any order
    {"Mixed",
     pcd("ascii", "2", "nan -1 0 0 0 1 2 2 18446744073709551615 3\n-1e38 4 9 9 9 0 0 4294967295 7 6\n", k_mixed), "",
     k_mixed_points},
    {"MixedInBinary", pcd("binary", "2", k_mixed_rows, k_mixed), "", k_mixed_points},
    {"MixedCompressed", compressed_pcd("2", k_mixed_columns, k_mixed), "", k_mixed_points},
};

TEST(ReadPcd, GoodFiles) {
  expect_good({"a.pcd", "x y z"}, k_good_pcd);
  expect_good({"a.pcd", "x y z", true}, k_good_pcd_of_doubles);
}

TEST(ReadPcd, BytesAfterTheLastPointAreAWarning) {
  const std::pair<std::string, const char*> cases[] = {
      {k_ascii + "7 8 9\n", "6"}, {k_binary + "abc", "3"}, {k_compressed + "ab", "2"}};
  for (const auto& [bytes, count] : cases) {
    EXPECT_EQ(points_in("a.pcd", bytes), k_points);
    EXPECT_EQ(warnings_in("a.pcd", bytes),
              Lines{std::string("a.pcd: ") + count + " bytes after the last point are not read"});
  }
}

std::string pcd_header(const std::string& rest) { return "VERSION 0.7\n" + rest; }
std::string counted(const std::string& width, const std::string& height, const std::string& points) {
  return pcd_header(k_pcd_xyz + "WIDTH " + width + "\nHEIGHT " + height + "\nPOINTS " + points +
                    "\nDATA ascii\n1 2 3\n");
}
std::string typed_pcd(const std::string& fields, const std::string& body = "1 2 3\n") {
  return pcd("ascii", "1", body, fields);
}
std::string packed(const std::string& lzf, std::size_t size, const std::string& points = "2") {
  return pcd("binary_compressed", points, compressed_body(lzf, size));
}

const RefusedFile k_refused_pcd[] = {
    // Header
    {"Foreign", "hello\n", ":1: not a PCD file: unknown header line 'hello'"},
    {"MagicOnly", "# .PCD v0.7\n", ": no DATA line: the file ends within the PCD header"},
    {"NoData", pcd_header(k_pcd_xyz), ": no DATA line: the file ends within the PCD header"},
    {"Junk", pcd_header("JUNK 1\nDATA ascii\n"), ":2: unknown header line 'JUNK 1'"},
    {"Lowercase", pcd_header("fields x y z\n"), ":2: unknown header line 'fields x y z'"},
    {"Version", "VERSION 9.9\n" + k_pcd_xyz + "WIDTH 1\nDATA ascii\n1 2 3\n",
     ":1: unknown version (got '9.9', need 0.5, 0.6 or 0.7)"},
    {"Versions", "VERSION 0.7 0.7\n" + k_pcd_xyz + "WIDTH 1\nDATA ascii\n1 2 3\n", ":1: VERSION has 2 values (need 1)"},
    {"Encoding", pcd("base64", "1", "1 2 3\n"),
     ":11: unknown encoding (got 'base64', need ascii, binary or binary_compressed)"},
    {"NoEncoding", pcd_header(k_pcd_xyz + "WIDTH 1\nDATA\n1 2 3\n"), ":7: DATA has no value"},
    {"Twice", pcd_header(k_pcd_xyz + "SIZE 4 4 4\nDATA ascii\n"), ":6: a second SIZE line"},
    {"NulInHeader", pcd_header(k_pcd_xyz + std::string("WIDTH 1\0\n", 9) + "DATA ascii\n"),
     ":6: NUL byte in the header"},
    {"Endless", pcd_header("#" + std::string(70'000, 'c') + "\n"),
     ": the header does not end in the first 65536 bytes"},
    {"CutByTheLimit", pcd_header("#" + std::string(65'536 - 14, 'c') + "\nDATA ascii\n"),
     ": the header does not end in the first 65536 bytes"},
    {"NoFields", pcd_header("SIZE 4\nTYPE F\nWIDTH 1\nDATA ascii\n"), ": no FIELDS line in the header"},
    {"NoSize", typed_pcd("FIELDS x y z\nTYPE F F F\n"), ": no SIZE line in the header"},
    {"NoType", typed_pcd("FIELDS x y z\nSIZE 4 4 4\n"), ": no TYPE line in the header"},
    {"FewSizes", typed_pcd("FIELDS x y z\nSIZE 4 4\nTYPE F F F\n"), ":4: SIZE has 2 values (need 3, as FIELDS)"},
    {"ManyTypes", typed_pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F F\n"), ":5: TYPE has 4 values (need 3, as FIELDS)"},
    {"FewCounts", typed_pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1\n"),
     ":6: COUNT has 1 value (need 3, as FIELDS)"},
    {"Type", typed_pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F D\n"),
     ":5: field 'z' is of unknown type (TYPE 'D', SIZE '4')"},
    {"Size", typed_pcd("FIELDS x y z\nSIZE 4 4 3\nTYPE F F F\n"),
     ":5: field 'z' is of unknown type (TYPE 'F', SIZE '3')"},
    {"HalfFloat", typed_pcd("FIELDS x y z\nSIZE 2 4 4\nTYPE F F F\n"),
     ":5: field 'x' is of unknown type (TYPE 'F', SIZE '2')"},
    {"Count", typed_pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 0\n"),
     ":6: COUNT is not a whole number of at least 1 (got '0')"},
    {"HugeCounts", typed_pcd("FIELDS x y z a\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 18446744073709551615\n"),
     ":3: a point has more than 16777216 bytes"},
    {"NoPointCount", pcd_header(k_pcd_xyz + "HEIGHT 1\nDATA ascii\n1 2 3\n"),
     ": neither WIDTH nor POINTS in the header"},
    {"NoZ", typed_pcd("FIELDS x y height\nSIZE 4 4 4\nTYPE F F F\n"),
     ": the fields do not say which are x, y and z: x, y, height; name them with --columns"},
    {"NoX", typed_pcd("FIELDS a y z\nSIZE 4 4 4\nTYPE F F F\n"),
     ": the fields do not say which are x, y and z: a, y, z; name them with --columns"},
    {"XTwice", typed_pcd("FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\n"),
     ": the fields do not say which are x, y and z: x, y, z, x; name them with --columns"},
    {"XOfTwoValues", typed_pcd("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 2 1 1\n"),
     ": field 'x' has 2 values per point (need 1)"},
    {"XOf64BitIntegers", typed_pcd("FIELDS x y z\nSIZE 8 4 4\nTYPE I F F\n"),
     ": field 'x' is not float32, float64 or an integer of at most 32 bits: 'I8'"},
    // Counts
    {"Negative", counted("-5", "1", "1"), ":6: WIDTH is not a whole number of at least 0 (got '-5')"},
    {"Fraction", counted("1", "1", "5.5"), ":8: POINTS is not a whole number of at least 0 (got '5.5')"},
    {"Hexadecimal", counted("1", "0x1", "1"), ":7: HEIGHT is not a whole number of at least 0 (got '0x1')"},
    {"TooLarge", counted("1", "1", "18446744073709551616"),
     ":8: POINTS is out of range (got '18446744073709551616', need less than 2^64)"},
    {"Contradiction", counted("3", "2", "5"), ":8: WIDTH 3 x HEIGHT 2 are 6 points (need 5, as POINTS)"},
    {"ProductWraps", counted("4294967296", "4294967296", "0"),
     ":8: WIDTH 4294967296 x HEIGHT 4294967296 are 18446744073709551616 points (need 0, as POINTS)"},
    {"ProductWrapsWithoutPoints", pcd_header(k_pcd_xyz + "WIDTH 4294967296\nHEIGHT 4294967296\nDATA binary\n"),
     ":6: WIDTH 4294967296 x HEIGHT 4294967296 are 18446744073709551616 points (need less than 2^64)"},
    {"Ascii", pcd("ascii", "4294967295", "1 2 3\n"),
     ": point count 4294967295 needs at least 25769803769 bytes, file holds 6"},
    {"Binary", pcd("binary", "20", std::string(60, 'a')), ": point count 20 needs 240 bytes, file holds 60"},
    {"BinaryLarge", pcd("binary", "18446744073709551615", std::string(60, 'a')),
     ": point count 18446744073709551615 needs 221360928884514619380 bytes, file holds 60"},
    {"BinaryShortByThreeBytes", pcd("binary", "2", std::string(21, 'a')),
     ": point count 2 needs 24 bytes, file holds 21"},
    {"BinaryWithoutBody", pcd("binary", "1", ""), ": point count 1 needs 12 bytes, file holds 0"},
    // Ascii
    {"ShortByARow", pcd("ascii", "2", "1000 2000 3000\n"), ":12: the file ends within the points (got 1, need 2)"},
    {"RowTooShort", pcd("ascii", "2", "1 2 3\n4000 5000\n"),
     ":13: the point's line is too short (got 2 values, need 3)"},
    {"RowTooLong", pcd("ascii", "1", "1 2 3 4\n"), ":12: the point's line is too long (got 4 values, need 3)"},
    {"Word", pcd("ascii", "1", "1 two 3\n"), ":12: field y is not a number: 'two'"},
    {"Comma", pcd("ascii", "1", "1,2,3 4 5\n"), ":12: field x is not a number: '1,2,3'"},
    {"OutOfRange", pcd("ascii", "1", "1e999 2 3\n"), ":12: field x is out of range: '1e999'"},
    {"IntegerRange", typed_pcd("FIELDS x y z\nSIZE 1 4 4\nTYPE U F F\n", "256 2 3\n"),
     ":11: field x is out of range of its integer type: '256'"},
    {"IntegerFraction", typed_pcd("FIELDS x y z\nSIZE 2 4 4\nTYPE I F F\n", "1.5 2 3\n"),
     ":11: field x is not a number of its integer type: '1.5'"},
    {"OtherFieldIsAWord", typed_pcd("FIELDS x y z i\nSIZE 4 4 4 4\nTYPE F F F F\n", "1 2 3 tree\n"),
     ":11: field i is not a number: 'tree'"},
    // Compressed
    {"NoSizes", pcd("binary_compressed", "2", "1234567"), ": the sizes of the points need 8 bytes, file holds 7"},
    {"OtherSize", packed(lzf_literals(std::string(25, 'a')), 25),
     "@byte 179: point count 2 needs 24 decompressed bytes, the file says 25"},
    {"Short", packed(lzf_literals(std::string(24, 'a')), 24).substr(0, 203),
     ": the compressed points need 25 bytes, file holds 20"},
    {"CannotHoldSoMuch", pcd("binary_compressed", "4000000", compressed_body("abc", 48'000'000)),
     ": 3 bytes of LZF cannot hold 48000000"},
    {"Invalid", packed("\x20\x05", 24), "@byte 183: the 2 compressed bytes are not LZF of 24 bytes"},
    {"TooLong", packed(lzf_literals(std::string(25, 'a')), 24),
     "@byte 183: the 26 compressed bytes are not LZF of 24 bytes"},
    {"TooShort", packed(lzf_literals(std::string(22, 'a')), 24),
     "@byte 183: the 23 compressed bytes are not LZF of 24 bytes"},
};

TEST(PcdRefused, SaysWhatIsWrong) { expect_refusals("a.pcd", k_refused_pcd); }

TEST(PcdRefused, AFileThatWouldFillTheMemory) {
  std::string lzf(1, '\0');
  lzf += 'a';
  while (lzf.size() < 600'000) lzf += "\xe0\xff";
  const std::size_t count = 2'000'000;
  const std::string message =
      refusal("a.pcd", pcd("binary_compressed", std::to_string(count), compressed_body(lzf, 12 * count)));
  EXPECT_EQ(message,
            "a.pcd: 600000 compressed bytes would take 72000000 bytes of memory (need at most 50331648); "
            "decompress the file first if it is sound");
}

std::optional<std::string> decompressed(const std::string& from, std::size_t size) {
  std::string to(size, '?');
  if (!decompress_lzf(from, to)) return std::nullopt;
  return to;
}

TEST(Lzf, LiteralsAndCopies) {
  EXPECT_EQ(decompressed("", 0), "");
  EXPECT_EQ(decompressed("\0a"s, 1), "a");
  EXPECT_EQ(decompressed("\1ab\x20\1"s, 5), "ababa");
  EXPECT_EQ(decompressed("\0a\xe0\xff\0"s, 265), std::string(265, 'a'));  // the longest copy, 264
  EXPECT_EQ(decompressed("\0a\xc0\0"s, 9), std::string(9, 'a'));          // the longest without a byte more, 8
}

TEST(Lzf, WhatIsWrongIsRefused) {
  EXPECT_FALSE(decompressed("\1a"s, 2));           // a literal is cut off
  EXPECT_FALSE(decompressed("\0a"s, 0));           // the output is longer
  EXPECT_FALSE(decompressed("\0a"s, 2));           // or shorter
  EXPECT_FALSE(decompressed("\0a\x20"s, 4));       // a copy without its distance
  EXPECT_FALSE(decompressed("\0a\xe0\x01"s, 11));  // a long copy without its distance
  EXPECT_FALSE(decompressed("\0a\x20\1"s, 4));     // a copy from before the beginning
  EXPECT_FALSE(decompressed("\x20\0"s, 3));        // or from nothing
  EXPECT_FALSE(decompressed("\0a\x20\0"s, 3));     // a copy past the end
}

/// Takes the longest copy of the last 8,192 bytes, if that is 3 bytes long at least.
std::string compressed(const std::string& text) {
  std::string out, literals;
  const auto flush = [&] {
    out += lzf_literals(literals);
    literals.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t best = 0, distance = 0;
    for (std::size_t back = 1; back <= std::min<std::size_t>(at, 8192); ++back) {
      std::size_t length = 0;
      while (length < 264 && at + length < text.size() && text[at + length] == text[at + length - back]) ++length;
      if (length > best) best = length, distance = back - 1;
    }
    if (best < 3) {
      literals += text[at++];
      continue;
    }
    flush();
    const std::size_t code = std::min<std::size_t>(best - 2, 7);
    out += static_cast<char>(code << 5 | distance >> 8);
    if (code == 7) out += static_cast<char>(best - 2 - 7);
    out += static_cast<char>(distance & 255);
    at += best;
  }
  flush();
  return out;
}

TEST(Lzf, GivesBackWhatWasCompressed) {
  Random random(5);
  for (const std::size_t size : {0u, 1u, 2u, 31u, 32u, 33u, 263u, 264u, 265u, 4096u, 12'000u})
    for (const std::uint64_t letters : {1u, 2u, 5u, 256u}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random.below(letters));
      EXPECT_EQ(decompressed(compressed(text), size), text) << size << " of " << letters;
    }
}

TEST(Lzf, EveryByteAndEveryCutOfAStreamIsReadOrRefused) {
  const std::string stream = compressed("abcabcabcabcabcabcabcaaaaaaaaaaaabcbcbcbc");
  for (std::size_t at = 0; at < stream.size(); ++at) {
    decompressed(stream.substr(0, at), 41);
    for (int byte = 0; byte < 256; ++byte) {
      std::string other = stream;
      other[at] = static_cast<char>(byte);
      decompressed(other, 41);
    }
  }
}

}  // namespace
}  // namespace kann::formats
