// PCD files that are wrong are refused with the line or byte and what is wrong.
#include "formats/points/pcd/pcd_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

class PcdRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(PcdRefused, SaysWhatIsWrong) { EXPECT_EQ(refusal("a.pcd", GetParam().bytes), "a.pcd" + GetParam().expected); }

std::string header(const std::string& rest) { return "VERSION 0.7\n" + rest; }
std::string counted(const std::string& width, const std::string& height, const std::string& points) {
  return header(k_pcd_xyz + "WIDTH " + width + "\nHEIGHT " + height + "\nPOINTS " + points + "\nDATA ascii\n1 2 3\n");
}
std::string typed(const std::string& fields, const std::string& body = "1 2 3\n") {
  return pcd("ascii", "1", body, fields);
}
std::string packed(const std::string& lzf, std::size_t size, const std::string& points = "2") {
  return pcd("binary_compressed", points, compressed_body(lzf, size));
}

INSTANTIATE_TEST_SUITE_P(
    Header, PcdRefused,
    testing::Values(
        BytesCase{"Foreign", "hello\n", ":1: not a PCD file: unknown header line 'hello'"},
        BytesCase{"MagicOnly", "# .PCD v0.7\n", ": no DATA line: the file ends within the PCD header"},
        BytesCase{"NoData", header(k_pcd_xyz), ": no DATA line: the file ends within the PCD header"},
        BytesCase{"Junk", header("JUNK 1\nDATA ascii\n"), ":2: unknown header line 'JUNK 1'"},
        BytesCase{"Lowercase", header("fields x y z\n"), ":2: unknown header line 'fields x y z'"},
        BytesCase{"Version", "VERSION 9.9\n" + k_pcd_xyz + "WIDTH 1\nDATA ascii\n1 2 3\n",
                  ":1: unknown version (got '9.9', need 0.5, 0.6 or 0.7)"},
        BytesCase{"Versions", "VERSION 0.7 0.7\n" + k_pcd_xyz + "WIDTH 1\nDATA ascii\n1 2 3\n",
                  ":1: VERSION has 2 values (need 1)"},
        BytesCase{"Encoding", pcd("base64", "1", "1 2 3\n"),
                  ":11: unknown encoding (got 'base64', need ascii, binary or binary_compressed)"},
        BytesCase{"NoEncoding", header(k_pcd_xyz + "WIDTH 1\nDATA\n1 2 3\n"), ":7: DATA has no value"},
        BytesCase{"Twice", header(k_pcd_xyz + "SIZE 4 4 4\nDATA ascii\n"), ":6: a second SIZE line"},
        BytesCase{"NulInHeader", header(k_pcd_xyz + std::string("WIDTH 1\0\n", 9) + "DATA ascii\n"),
                  ":6: NUL byte in the header"},
        BytesCase{"Endless", header("#" + std::string(70'000, 'c') + "\n"),
                  ": the header does not end in the first 65536 bytes"},
        BytesCase{"CutByTheLimit", header("#" + std::string(65'536 - 14, 'c') + "\nDATA ascii\n"),
                  ": the header does not end in the first 65536 bytes"},
        BytesCase{"NoFields", header("SIZE 4\nTYPE F\nWIDTH 1\nDATA ascii\n"), ": no FIELDS line in the header"},
        BytesCase{"NoSize", typed("FIELDS x y z\nTYPE F F F\n"), ": no SIZE line in the header"},
        BytesCase{"NoType", typed("FIELDS x y z\nSIZE 4 4 4\n"), ": no TYPE line in the header"},
        BytesCase{"FewSizes", typed("FIELDS x y z\nSIZE 4 4\nTYPE F F F\n"),
                  ":4: SIZE has 2 values (need 3, as FIELDS)"},
        BytesCase{"ManyTypes", typed("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F F\n"),
                  ":5: TYPE has 4 values (need 3, as FIELDS)"},
        BytesCase{"FewCounts", typed("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1\n"),
                  ":6: COUNT has 1 value (need 3, as FIELDS)"},
        BytesCase{"Type", typed("FIELDS x y z\nSIZE 4 4 4\nTYPE F F D\n"),
                  ":5: field 'z' is of unknown type (TYPE 'D', SIZE '4')"},
        BytesCase{"Size", typed("FIELDS x y z\nSIZE 4 4 3\nTYPE F F F\n"),
                  ":5: field 'z' is of unknown type (TYPE 'F', SIZE '3')"},
        BytesCase{"HalfFloat", typed("FIELDS x y z\nSIZE 2 4 4\nTYPE F F F\n"),
                  ":5: field 'x' is of unknown type (TYPE 'F', SIZE '2')"},
        BytesCase{"Count", typed("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 0\n"),
                  ":6: COUNT is not a whole number of at least 1 (got '0')"},
        BytesCase{"HugeCounts", typed("FIELDS x y z a\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 18446744073709551615\n"),
                  ":3: a point has more than 16777216 bytes"},
        BytesCase{"NoPointCount", header(k_pcd_xyz + "HEIGHT 1\nDATA ascii\n1 2 3\n"),
                  ": neither WIDTH nor POINTS in the header"},
        BytesCase{"NoZ", typed("FIELDS x y height\nSIZE 4 4 4\nTYPE F F F\n"),
                  ": the fields do not say which are x, y and z: x, y, height; name them with --columns"},
        BytesCase{"NoX", typed("FIELDS a y z\nSIZE 4 4 4\nTYPE F F F\n"),
                  ": the fields do not say which are x, y and z: a, y, z; name them with --columns"},
        BytesCase{"XTwice", typed("FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\n"),
                  ": the fields do not say which are x, y and z: x, y, z, x; name them with --columns"},
        BytesCase{"XOfTwoValues", typed("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 2 1 1\n"),
                  ": field 'x' has 2 values per point (need 1)"},
        BytesCase{"XOf64BitIntegers", typed("FIELDS x y z\nSIZE 8 4 4\nTYPE I F F\n"),
                  ": field 'x' is not float32, float64 or an integer of at most 32 bits: 'I8'"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Counts, PcdRefused,
    testing::Values(
        BytesCase{"Negative", counted("-5", "1", "1"), ":6: WIDTH is not a whole number of at least 0 (got '-5')"},
        BytesCase{"Fraction", counted("1", "1", "5.5"), ":8: POINTS is not a whole number of at least 0 (got '5.5')"},
        BytesCase{"Hexadecimal", counted("1", "0x1", "1"),
                  ":7: HEIGHT is not a whole number of at least 0 (got '0x1')"},
        BytesCase{"TooLarge", counted("1", "1", "18446744073709551616"),
                  ":8: POINTS is out of range (got '18446744073709551616', need less than 2^64)"},
        BytesCase{"Contradiction", counted("3", "2", "5"), ":8: WIDTH 3 x HEIGHT 2 are 6 points (need 5, as POINTS)"},
        BytesCase{"ProductWraps", counted("4294967296", "4294967296", "0"),
                  ":8: WIDTH 4294967296 x HEIGHT 4294967296 are 18446744073709551616 points (need 0, as POINTS)"},
        BytesCase{"ProductWrapsWithoutPoints", header(k_pcd_xyz + "WIDTH 4294967296\nHEIGHT 4294967296\nDATA binary\n"),
                  ":6: WIDTH 4294967296 x HEIGHT 4294967296 are 18446744073709551616 points (need less than 2^64)"},
        BytesCase{"Ascii", pcd("ascii", "4294967295", "1 2 3\n"),
                  ": point count 4294967295 needs at least 25769803769 bytes, file holds 6"},
        BytesCase{"Binary", pcd("binary", "20", std::string(60, 'a')),
                  ": point count 20 needs 240 bytes, file holds 60"},
        BytesCase{"BinaryLarge", pcd("binary", "18446744073709551615", std::string(60, 'a')),
                  ": point count 18446744073709551615 needs 221360928884514619380 bytes, file holds 60"},
        BytesCase{"BinaryShortByThreeBytes", pcd("binary", "2", std::string(21, 'a')),
                  ": point count 2 needs 24 bytes, file holds 21"},
        BytesCase{"BinaryWithoutBody", pcd("binary", "1", ""), ": point count 1 needs 12 bytes, file holds 0"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Ascii, PcdRefused,
    testing::Values(BytesCase{"ShortByARow", pcd("ascii", "2", "1000 2000 3000\n"),
                              ":12: the file ends within the points (got 1, need 2)"},
                    BytesCase{"RowTooShort", pcd("ascii", "2", "1 2 3\n4000 5000\n"),
                              ":13: the point's line is too short (got 2 values, need 3)"},
                    BytesCase{"RowTooLong", pcd("ascii", "1", "1 2 3 4\n"),
                              ":12: the point's line is too long (got 4 values, need 3)"},
                    BytesCase{"Word", pcd("ascii", "1", "1 two 3\n"), ":12: field y is not a number: 'two'"},
                    BytesCase{"Comma", pcd("ascii", "1", "1,2,3 4 5\n"), ":12: field x is not a number: '1,2,3'"},
                    BytesCase{"OutOfRange", pcd("ascii", "1", "1e999 2 3\n"), ":12: field x is out of range: '1e999'"},
                    BytesCase{"IntegerRange", typed("FIELDS x y z\nSIZE 1 4 4\nTYPE U F F\n", "256 2 3\n"),
                              ":11: field x is out of range of its integer type: '256'"},
                    BytesCase{"IntegerFraction", typed("FIELDS x y z\nSIZE 2 4 4\nTYPE I F F\n", "1.5 2 3\n"),
                              ":11: field x is not a number of its integer type: '1.5'"},
                    BytesCase{"OtherFieldIsAWord",
                              typed("FIELDS x y z i\nSIZE 4 4 4 4\nTYPE F F F F\n", "1 2 3 tree\n"),
                              ":11: field i is not a number: 'tree'"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Compressed, PcdRefused,
    testing::Values(
        BytesCase{"NoSizes", pcd("binary_compressed", "2", "1234567"),
                  ": the sizes of the points need 8 bytes, file holds 7"},
        BytesCase{"OtherSize", packed(lzf_literals(std::string(25, 'a')), 25),
                  "@byte 179: point count 2 needs 24 decompressed bytes, the file says 25"},
        BytesCase{"Short", packed(lzf_literals(std::string(24, 'a')), 24).substr(0, 203),
                  ": the compressed points need 25 bytes, file holds 20"},
        BytesCase{"CannotHoldSoMuch", pcd("binary_compressed", "4000000", compressed_body("abc", 48'000'000)),
                  ": 3 bytes of LZF cannot hold 48000000"},
        BytesCase{"Invalid", packed("\x20\x05", 24), "@byte 183: the 2 compressed bytes are not LZF of 24 bytes"},
        BytesCase{"TooLong", packed(lzf_literals(std::string(25, 'a')), 24),
                  "@byte 183: the 26 compressed bytes are not LZF of 24 bytes"},
        BytesCase{"TooShort", packed(lzf_literals(std::string(22, 'a')), 24),
                  "@byte 183: the 23 compressed bytes are not LZF of 24 bytes"}),
    CaseName());

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

}  // namespace
}  // namespace kann::formats
