// Unusual but valid PLY files give the same points as the plain file.
#include <cmath>

#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string with_crlf(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  return text;
}

std::string with_lines(const std::string& lines) {
  return "ply\nformat ascii 1.0\n" + lines + "element vertex 2\n" + k_xyz + lines + k_end + k_rows;
}

/// Binary rows of (1, 2, 3) and (4, 5, 6) in type T, which the header calls `type`.
template <class T>
std::string typed(const std::string& type, bool big_endian = false) {
  const std::string properties = "property " + type + " x\nproperty " + type + " y\nproperty " + type + " z\n";
  return ply(big_endian ? "binary_big_endian" : "binary_little_endian", "2", properties,
             bytes_of_all<T>({1, 2, 3, 4, 5, 6}, big_endian));
}

std::string typed_ascii(const std::string& type) {
  return ascii_ply("2", k_rows, "property " + type + " x\nproperty " + type + " y\nproperty " + type + " z\n");
}

/// Two vertices, each a list and the coordinates; the second list is empty.
std::string list_in_vertex(bool big_endian) {
  return ply(big_endian ? "binary_big_endian" : "binary_little_endian", "2",
             "property float x\nproperty list int short ring\nproperty float y\nproperty double z\n",
             bytes_of(1.0f, big_endian) + bytes_of(2, big_endian) + bytes_of_all<short>({7, 8}, big_endian) +
                 bytes_of(2.0f, big_endian) + bytes_of(3.0, big_endian) + bytes_of(4.0f, big_endian) +
                 bytes_of(0, big_endian) + bytes_of(5.0f, big_endian) + bytes_of(6.0, big_endian));
}

std::string faces_before(const std::string& count_type, const std::string& count) {
  return "ply\nformat binary_little_endian 1.0\nelement face 2\nproperty list " + count_type +
         " int vertex_indices\nproperty uchar flag\nelement vertex 2\n" + k_xyz + k_end + count +
         bytes_of_all<int>({0, 1, 1}) + "f" + count + bytes_of_all<int>({1, 0, 1}) + "g" + k_floats;
}

struct OddCase {
  const char* name;
  std::string bytes;
  bool is_float32 = true;
};
void PrintTo(const OddCase& c, std::ostream* out) { *out << c.name; }

class PlyOdd : public testing::TestWithParam<OddCase> {};

TEST_P(PlyOdd, GivesThePointsOfThePlainFile) {
  const Cloud cloud = read_bytes("pts.ply", GetParam().bytes);
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_EQ(cloud.points.dimensions, 3);
  EXPECT_EQ(is_float32(cloud.points), GetParam().is_float32);
  EXPECT_TRUE(cloud.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Header, PlyOdd,
    testing::Values(OddCase{"Plain", ascii_ply("2", k_rows)}, OddCase{"PlainBinary", binary_ply("2", k_floats)},
                    OddCase{"CrlfAscii", with_crlf(ascii_ply("2", k_rows))},
                    OddCase{"CrlfBinary", with_crlf(binary_ply("2", "")) + k_floats},
                    OddCase{"CommentWithEndHeader", with_lines("comment end_header\n")},
                    OddCase{"CommentWithElement", with_lines("comment element vertex 99\ncomment property float x\n")},
                    OddCase{"CommentEmpty", with_lines("comment\n")},
                    OddCase{"CommentNotAscii", with_lines("comment gr\xc3\xb6\xc3\x9f\x65 \xe9\n")},
                    OddCase{"Comment100kB", with_lines("comment " + std::string(100'000, 'c') + "\n")},
                    OddCase{"ObjInfo", with_lines("obj_info num_cols 512\nobj_info end_header\n")},
                    OddCase{"CommentBeforeFormat",
                            "ply\ncomment first\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + k_end + k_rows},
                    OddCase{"BlankLinesInHeader", with_lines("\n \n")},
                    OddCase{"TabsInHeader", "ply\nformat\tascii\t1.0\nelement vertex\t2\n" + k_xyz + k_end + k_rows},
                    OddCase{"BlanksAtLineEnds",
                            "ply\nformat ascii 1.0 \nelement vertex 2  \n" + k_xyz + "end_header \n" + k_rows}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Types, PlyOdd,
    testing::Values(
        OddCase{"BigEndian", typed<float>("float", true)}, OddCase{"Float32", typed<float>("float32")},
        OddCase{"Double", typed<double>("double"), false}, OddCase{"Float64", typed<double>("float64"), false},
        OddCase{"DoubleBigEndian", typed<double>("double", true), false}, OddCase{"Char", typed<std::int8_t>("char")},
        OddCase{"Int8", typed<std::int8_t>("int8")}, OddCase{"Uchar", typed<std::uint8_t>("uchar")},
        OddCase{"Uint8", typed<std::uint8_t>("uint8")}, OddCase{"Short", typed<std::int16_t>("short")},
        OddCase{"Int16BigEndian", typed<std::int16_t>("int16", true)},
        OddCase{"Ushort", typed<std::uint16_t>("ushort")}, OddCase{"Uint16", typed<std::uint16_t>("uint16")},
        OddCase{"Int", typed<std::int32_t>("int"), false},
        OddCase{"Int32BigEndian", typed<std::int32_t>("int32", true), false},
        OddCase{"Uint", typed<std::uint32_t>("uint"), false}, OddCase{"Uint32", typed<std::uint32_t>("uint32"), false},
        OddCase{"AsciiDouble", typed_ascii("double"), false}, OddCase{"AsciiFloat64", typed_ascii("float64"), false},
        OddCase{"AsciiUchar", typed_ascii("uchar")}, OddCase{"AsciiInt", typed_ascii("int"), false},
        OddCase{"AsciiShort", typed_ascii("int16")},
        OddCase{"Mixed", binary_ply("2",
                                    bytes_of(1.0f) + bytes_of<std::uint16_t>(2) + bytes_of<std::int8_t>(3) +
                                        bytes_of(4.0f) + bytes_of<std::uint16_t>(5) + bytes_of<std::int8_t>(6),
                                    "property float x\nproperty ushort y\nproperty char z\n")},
        OddCase{"MixedWithDouble",
                binary_ply("2",
                           bytes_of(1.0f) + bytes_of(2.0) + bytes_of<std::int8_t>(3) + bytes_of(4.0f) + bytes_of(5.0) +
                               bytes_of<std::int8_t>(6),
                           "property float x\nproperty double y\nproperty char z\n"),
                false}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Layout, PlyOdd,
    testing::Values(
        OddCase{"ZYXOrder", binary_ply("2", bytes_of_all<float>({3, 2, 1, 6, 5, 4}),
                                       "property float z\nproperty float y\nproperty float x\n")},
        OddCase{"ZYXOrderAscii",
                ascii_ply("2", "3 2 1\n6 5 4\n", "property float z\nproperty float y\nproperty float x\n")},
        OddCase{"ExtraProperties",
                binary_ply("2",
                           "r" + bytes_of_all<float>({1, 2}) + bytes_of(9.0) + bytes_of(3.0f) + "s" +
                               bytes_of_all<float>({4, 5}) + bytes_of(9.0) + bytes_of(6.0f),
                           "property uchar r\nproperty float x\nproperty float y\nproperty double t\n"
                           "property float z\n")},
        OddCase{"ExtraPropertiesAscii",
                ascii_ply("2", "1 2 3 255 -1e300\n4 5 6 0 nan\n", k_xyz + "property uchar r\nproperty double t\n")},
        OddCase{"ListInVertex", list_in_vertex(false), false},
        OddCase{"ListInVertexBigEndian", list_in_vertex(true), false},
        OddCase{"ListInVertexAscii",
                ascii_ply("2", "1 2 7 8 2 3\n4 0 5 6\n",
                          "property float x\nproperty list uchar int ring\nproperty float y\n"
                          "property float z\n"),
                true},
        OddCase{"FaceFirst", faces_before("uchar", "\x03")},
        OddCase{"FaceFirstInt32Count", faces_before("int32", bytes_of(3))},
        OddCase{"FaceFirstAscii",
                "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nelement vertex 2\n" + k_xyz + k_end +
                    "3 0 1 0\n" + k_rows},
        OddCase{"FaceAfterAscii", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz +
                                      "element face 2\nproperty list uchar int i\n" + k_end + k_rows + "3 0 1 0\n0\n"},
        OddCase{"UnknownElements",
                "ply\nformat binary_little_endian 1.0\nelement camera 1\nproperty double f\nproperty int w\n"
                "element vertex 2\n" +
                    k_xyz + "element tristrips 1\nproperty list int int i\n" + k_end + bytes_of(35.0) + bytes_of(640) +
                    k_floats + bytes_of(1) + bytes_of(-1)},
        OddCase{"ElementWithoutProperties",
                "ply\nformat binary_little_endian 1.0\nelement none 18446744073709551615\nelement vertex 2\n" + k_xyz +
                    k_end + k_floats},
        OddCase{"EmptyElements", "ply\nformat ascii 1.0\nelement edge 0\nproperty int a\nelement vertex 2\n" + k_xyz +
                                     "element face 0\nproperty list uchar int i\n" + k_end + k_rows}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(VectorRows, PlyOdd,
                         testing::Values(OddCase{"NoFinalNewline", ascii_ply("2", "1 2 3\n4 5 6")},
                                         OddCase{"BlankLines", ascii_ply("2", "\n1 2 3\n \n\t\n4 5 6\n\n\n")},
                                         OddCase{"Tabs", ascii_ply("2", "1\t2\t3\n4 \t5\t 6\n")},
                                         OddCase{"BlanksAround", ascii_ply("2", "  1 2 3  \n\t4 5 6 \n")},
                                         OddCase{"PlusSigns", ascii_ply("2", "+1.0E+00 +2 +3.\n+4e0 5.0 +.6e+1\n")},
                                         OddCase{"LeadingZeros",
                                                 ascii_ply("2", "001 02.0 0003e0\n40e-1 0.5e1 6000e-3\n")}),
                         CaseName());

std::string named(const std::string& x, const std::string& y, const std::string& z) {
  return "property float " + x + "\nproperty float " + y + "\nproperty float " + z + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    NamesOfOtherPrograms, PlyOdd,
    testing::Values(OddCase{"Capitals", ascii_ply("2", k_rows, named("X", "Y", "Z"))},
                    OddCase{"ParaView", ascii_ply("2", k_rows, named("Points:0", "Points:1", "Points:2"))},
                    OddCase{"XyzFirst", ascii_ply("2", "1 2 3 7 7 7\n4 5 6 7 7 7\n", k_xyz + named("X", "Y", "Z"))}),
    CaseName());

TEST(PlyOdd, TwoDimensionsWhereTheHeaderSaysSo) {
  for (const std::string keyword : {"comment", "obj_info"}) {
    const Cloud cloud = read_bytes("map.ply", "ply\nformat ascii 1.0\n" + keyword +
                                                  " dimensions 2\nelement vertex 3\nproperty float x\n"
                                                  "property float y\nend_header\n1 2\n3 4\n5 6\n");
    EXPECT_EQ(cloud.points.dimensions, 2);
    EXPECT_EQ(coordinates_of(cloud.points), k_points);
  }
}

TEST(PlyOdd, TwoDimensionsWithAZForProgramsThatNeedOne) {
  const std::string file = ply("ascii", "2", k_xyz + "comment dimensions 2\n", "1 2 0\n3 4 0\n");
  for (const bool all : {false, true}) {
    const Cloud cloud = read_bytes("map.ply", file, {.all_attributes = all});
    EXPECT_EQ(cloud.points.dimensions, 2);
    EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_TRUE(cloud.attributes.empty());
  }
  EXPECT_EQ(read_bytes("map.ply", file, {.columns = {"x", "y", "z"}}).points.dimensions, 3);
}

TEST(PlyOdd, OtherNamesOfCoordinatesAreKept) {
  for (const bool all : {false, true})
    EXPECT_EQ(
        read_bytes("a.ply", ascii_ply("2", k_rows, named("Easting", "Northing", "Elevation")), {.all_attributes = all})
            .columns,
        (std::vector<std::string>{"Easting", "Northing", "Elevation"}));
}

TEST(PlyOdd, NoVertices) {
  const std::string with_list = "property list int short ring\n" + k_xyz;  // such rows are gathered from none
  for (const std::string& file :
       {ascii_ply("0", ""), binary_ply("0", ""), ascii_ply("0", "\n"), binary_ply("0", "", with_list)})
    EXPECT_EQ(read_bytes("none.ply", file).points.size(), 0);
}

TEST(PlyOdd, OneVertex) {
  EXPECT_EQ(read_bytes("one.ply", ascii_ply("1", "7 8 9")).points.size(), 1);
  EXPECT_EQ(read_bytes("one.ply", binary_ply("1", bytes_of_all<float>({7, 8, 9}))).points.size(), 1);
}

TEST(PlyOdd, FloatsAreTheNearestFloat32) {
  // Just above the middle between 1 and the next float: rounding to double first would give the middle.
  const Cloud cloud = read_bytes("f.ply", ascii_ply("2",
                                                    "1.000000059604644775390625 1.00000005960464477539062500000001 "
                                                    "-1.000000059604644775390625\n1e-45 -1.17549421e-38 1e-999\n"));
  const float expected[] = {1, 1 + 0x1p-23f, -1, 0x1p-149f, -0x1.fffffcp-127f, 0};
  EXPECT_EQ(coordinates_of(cloud.points), std::vector<double>(std::begin(expected), std::end(expected)));
}

TEST(PlyOdd, LargeAndDenormalFloatsSurviveInBothEncodings) {
  const std::vector<double> expected = {3e38f, -3e38f, 1e-40f, 3.40282347e38f, -0.0, 0};
  EXPECT_EQ(coordinates_of(read_bytes("f.ply", ascii_ply("2", "3e38 -3e38 1e-40\n3.40282347e38 -0.0 0\n")).points),
            expected);
  EXPECT_EQ(
      coordinates_of(
          read_bytes("f.ply", binary_ply("2", bytes_of_all<float>({3e38f, -3e38f, 1e-40f, 3.40282347e38f, -0.0f, 0})))
              .points),
      expected);
}

TEST(PlyOdd, NanAndInfinityAreReadAsTheyAre) {
  const auto c = coordinates_of(read_bytes("f.ply", ascii_ply("2", "nan -NaN inf\n-Infinity +inf 0\n")).points);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(std::vector<double>(c.begin() + 2, c.end()), (std::vector<double>{HUGE_VAL, -HUGE_VAL, HUGE_VAL, 0}));
}

TEST(PlyOdd, Int32AndUint32KeepAllTheirBits) {
  const std::string properties = "property int x\nproperty uint y\nproperty float z\n";
  const std::vector<double> expected = {-2147483647, 4294967295, 0.5};
  EXPECT_EQ(coordinates_of(read_bytes("i.ply", ascii_ply("1", "-2147483647 4294967295 0.5\n", properties)).points),
            expected);
  EXPECT_EQ(
      coordinates_of(read_bytes("i.ply", binary_ply("1", bytes_of(-2147483647) + bytes_of(4294967295u) + bytes_of(0.5f),
                                                    properties))
                         .points),
      expected);
}

TEST(PlyOdd, ManyRowsInBlocksLoseNone) {
  // More rows than gather_columns_into() copies in one pass, with a stride larger than the coordinates.
  const int n = 5000;
  std::string rows;
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) {
    rows += bytes_of(static_cast<float>(i)) + "c" + bytes_of(static_cast<float>(-i)) +
            bytes_of(0.5f * static_cast<float>(i));
    expected.insert(expected.end(), {1.0 * i, -1.0 * i, 0.5 * i});
  }
  const Cloud cloud = read_bytes("n.ply", binary_ply(std::to_string(n), rows,
                                                     "property float x\nproperty uchar c\nproperty float y\n"
                                                     "property float z\n"));
  EXPECT_EQ(coordinates_of(cloud.points), expected);
}

TEST(PlyOdd, BytesAfterTheLastElementAreAWarning) {
  for (const std::string& file : {ascii_ply("2", k_rows + "7 8 9\n"), binary_ply("2", k_floats + "extra!")}) {
    const Cloud cloud = read_bytes("pts.ply", file);
    EXPECT_EQ(coordinates_of(cloud.points), k_points);
    ASSERT_EQ(cloud.warnings.size(), 1u);
    EXPECT_TRUE(cloud.warnings[0].ends_with("/pts.ply: 6 bytes after the last element are not read"))
        << cloud.warnings[0];
  }
}

}  // namespace
}  // namespace kann::formats
