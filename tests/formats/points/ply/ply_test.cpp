// Unusual but valid PLY files give the same points as the plain file; others are refused, with the line or byte.
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string with_lines(const std::string& lines) {
  return "ply\nformat ascii 1.0\n" + lines + "element vertex 2\n" + k_xyz + lines + k_end + k_rows;
}

/// Binary rows of (1, 2, 3) and (4, 5, 6) in type T, which the header calls `type`.
template <class T>
std::string typed(const std::string& type, bool big_endian = false) {
  return binary_ply("2", bytes_of_all<T>({1, 2, 3, 4, 5, 6}, big_endian), replaced_all(k_xyz, "float", type),
                    big_endian);
}

std::string typed_ascii(const std::string& type) { return ascii_ply("2", k_rows, replaced_all(k_xyz, "float", type)); }

/// Two vertices, each a list and the coordinates; the second list is empty.
std::string list_in_vertex(bool big_endian) {
  const std::string first = bytes_of(1.0f, big_endian) + bytes_of(2, big_endian) +
                            bytes_of_all<short>({7, 8}, big_endian) + bytes_of(2.0f, big_endian) +
                            bytes_of(3.0, big_endian);
  const std::string second =
      bytes_of(4.0f, big_endian) + bytes_of(0, big_endian) + bytes_of(5.0f, big_endian) + bytes_of(6.0, big_endian);
  return binary_ply("2", first + second,
                    "property float x\nproperty list int short ring\nproperty float y\nproperty double z\n",
                    big_endian);
}

std::string faces_before(const std::string& count_type, const std::string& count) {
  return "ply\nformat binary_little_endian 1.0\nelement face 2\nproperty list " + count_type +
         " int vertex_indices\nproperty uchar flag\nelement vertex 2\n" + k_xyz + k_end + count +
         bytes_of_all<int>({0, 1, 1}) + "f" + count + bytes_of_all<int>({1, 0, 1}) + "g" + k_floats;
}

std::string named(const std::string& x, const std::string& y, const std::string& z) {
  return "property float " + x + "\nproperty float " + y + "\nproperty float " + z + "\n";
}

/// Three points of two coordinates.
std::string flat(const std::string& line) {
  return ply("ascii", "3", line + "property float x\nproperty float y\n", "1 2\n3 4\n5 6\n");
}

const Numbers k_extremes = {3e38f, -3e38f, 1e-40f, 3.40282347e38f, -0.0, 0};

const GoodFile k_good_ply[] = {
    // Header
    {"Plain", ascii_ply("2", k_rows)},
    {"PlainBinary", binary_ply("2", k_floats)},
    {"CrlfAscii", replaced_all(ascii_ply("2", k_rows), "\n", "\r\n")},
    {"CrlfBinary", replaced_all(binary_ply("2", ""), "\n", "\r\n") + k_floats},
    {"CommentWithEndHeader", with_lines("comment end_header\n")},
    {"CommentWithElement", with_lines("comment element vertex 99\ncomment property float x\n")},
    {"CommentEmpty", with_lines("comment\n")},
    {"CommentNotAscii", with_lines("comment gr\xc3\xb6\xc3\x9f\x65 \xe9\n")},
    {"Comment100kB", with_lines("comment " + std::string(100'000, 'c') + "\n")},
    {"ObjInfo", with_lines("obj_info num_cols 512\nobj_info end_header\n")},
    {"CommentBeforeFormat", "ply\ncomment first\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + k_end + k_rows},
    {"BlankLinesInHeader", with_lines("\n \n")},
    {"TabsInHeader", "ply\nformat\tascii\t1.0\nelement vertex\t2\n" + k_xyz + k_end + k_rows},
    {"BlanksAtLineEnds", "ply\nformat ascii 1.0 \nelement vertex 2  \n" + k_xyz + "end_header \n" + k_rows},
    // Types
    {"BigEndian", typed<float>("float", true)},
    {"Float32", typed<float>("float32")},
    {"Char", typed<std::int8_t>("char")},
    {"Int8", typed<std::int8_t>("int8")},
    {"Uchar", typed<std::uint8_t>("uchar")},
    {"Uint8", typed<std::uint8_t>("uint8")},
    {"Short", typed<std::int16_t>("short")},
    {"Int16BigEndian", typed<std::int16_t>("int16", true)},
    {"Ushort", typed<std::uint16_t>("ushort")},
    {"Uint16", typed<std::uint16_t>("uint16")},
    {"AsciiUchar", typed_ascii("uchar")},
    {"AsciiShort", typed_ascii("int16")},
    {"Mixed", binary_ply("2",
                         bytes_of(1.0f) + bytes_of<std::uint16_t>(2) + bytes_of<std::int8_t>(3) + bytes_of(4.0f) +
                             bytes_of<std::uint16_t>(5) + bytes_of<std::int8_t>(6),
                         "property float x\nproperty ushort y\nproperty char z\n")},
    // Layout
    {"ZYXOrder", binary_ply("2", bytes_of_all<float>({3, 2, 1, 6, 5, 4}),
                            "property float z\nproperty float y\nproperty float x\n")},
    {"ZYXOrderAscii", ascii_ply("2", "3 2 1\n6 5 4\n", "property float z\nproperty float y\nproperty float x\n")},
    {"ExtraProperties", binary_ply("2",
                                   "r" + bytes_of_all<float>({1, 2}) + bytes_of(9.0) + bytes_of(3.0f) + "s" +
                                       bytes_of_all<float>({4, 5}) + bytes_of(9.0) + bytes_of(6.0f),
                                   "property uchar r\nproperty float x\nproperty float y\nproperty double t\n"
                                   "property float z\n")},
    {"ExtraPropertiesAscii",
     ascii_ply("2", "1 2 3 255 -1e300\n4 5 6 0 nan\n", k_xyz + "property uchar r\nproperty double t\n")},
    {"ListInVertexAscii", ascii_ply("2", "1 2 7 8 2 3\n4 0 5 6\n",
                                    "property float x\nproperty list uchar int ring\nproperty float y\n"
                                    "property float z\n")},
    {"FaceFirst", faces_before("uchar", "\x03")},
    {"FaceFirstInt32Count", faces_before("int32", bytes_of(3))},
    {"FaceFirstAscii", "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nelement vertex 2\n" + k_xyz +
                           k_end + "3 0 1 0\n" + k_rows},
    {"FaceAfterAscii", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz +
                           "element face 2\nproperty list uchar int i\n" + k_end + k_rows + "3 0 1 0\n0\n"},
    {"UnknownElements",
     "ply\nformat binary_little_endian 1.0\nelement camera 1\nproperty double f\nproperty int w\n"
     "element vertex 2\n" +
         k_xyz + "element tristrips 1\nproperty list int int i\n" + k_end + bytes_of(35.0) + bytes_of(640) + k_floats +
         bytes_of(1) + bytes_of(-1)},
    {"ElementWithoutProperties",
     "ply\nformat binary_little_endian 1.0\nelement none 18446744073709551615\nelement vertex 2\n" + k_xyz + k_end +
         k_floats},
    {"EmptyElements", "ply\nformat ascii 1.0\nelement edge 0\nproperty int a\nelement vertex 2\n" + k_xyz +
                          "element face 0\nproperty list uchar int i\n" + k_end + k_rows},
    {"EmptyFacesInBinary", binary_ply("2", k_floats, k_xyz + "element face 0\nproperty list uchar int i\n")},
    {"NewlineAfterBinary", binary_ply("2", k_floats + "\n")},
    // Rows
    {"NoFinalNewline", ascii_ply("2", "1 2 3\n4 5 6")},
    {"BlankLines", ascii_ply("2", "\n1 2 3\n \n\t\n4 5 6\n\n\n")},
    {"Tabs", ascii_ply("2", "1\t2\t3\n4 \t5\t 6\n")},
    {"BlanksAround", ascii_ply("2", "  1 2 3  \n\t4 5 6 \n")},
    {"PlusSigns", ascii_ply("2", "+1.0E+00 +2 +3.\n+4e0 5.0 +.6e+1\n")},
    {"LeadingZeros", ascii_ply("2", "001 02.0 0003e0\n40e-1 0.5e1 6000e-3\n")},
    // Names of other programs
    {"Capitals", ascii_ply("2", k_rows, named("X", "Y", "Z")), "X Y Z"},
    {"ParaView", ascii_ply("2", k_rows, named("Points:0", "Points:1", "Points:2")), "Points:0 Points:1 Points:2"},
    {"Surveyors", ascii_ply("2", k_rows, named("Easting", "Northing", "Elevation")), "Easting Northing Elevation"},
    {"XyzFirst", ascii_ply("2", "1 2 3 7 7 7\n4 5 6 7 7 7\n", k_xyz + named("X", "Y", "Z"))},
    // Dimensions
    {"InAComment", flat("comment dimensions 2\n"), "", k_points, 2},
    {"InObjInfo", flat("obj_info dimensions 2\n"), "", k_points, 2},
    {"InBinary", binary_ply("3", k_floats, "comment dimensions 2\nproperty float x\nproperty float y\n"), "", k_points,
     2},
    // Numbers
    {"NoVertices", ascii_ply("0", ""), "", {}},
    {"NoVerticesInABlankLine", ascii_ply("0", "\n"), "", {}},
    {"NoVerticesInBinary", binary_ply("0", ""), "", {}},
    {"NoVerticesWithLists",
     binary_ply("0", "", "property list int short ring\n" + k_xyz),
     "",
     {}},  // gathered from none
    {"OneVertex", ascii_ply("1", "7 8 9"), "", {7, 8, 9}},
    {"OneVertexInBinary", binary_ply("1", bytes_of_all<float>({7, 8, 9})), "", {7, 8, 9}},
    // Just above the middle between 1 and the next float: rounding to double first would give the middle
    {"NearestFloat32",
     ascii_ply("2",
               "1.000000059604644775390625 1.00000005960464477539062500000001 -1.000000059604644775390625\n"
               "1e-45 -1.17549421e-38 1e-999\n"),
     "",
     {1, 1 + 0x1p-23f, -1, 0x1p-149f, -0x1.fffffcp-127f, 0}},
    {"Extremes", ascii_ply("2", "3e38 -3e38 1e-40\n3.40282347e38 -0.0 0\n"), "", k_extremes},
    {"ExtremesInBinary", binary_ply("2", bytes_of_all<float>({3e38f, -3e38f, 1e-40f, 3.40282347e38f, -0.0f, 0})), "",
     k_extremes},
    {"NotFinite", ascii_ply("2", "nan -NaN inf\n-Infinity +inf 0\n"), "", {NAN, NAN, HUGE_VAL, -HUGE_VAL, HUGE_VAL, 0}},
};

const std::string k_int_uint = "property int x\nproperty uint y\nproperty float z\n";
const Numbers k_bits = {-2147483647, 4294967295, 0.5};

const GoodFile k_good_ply_of_doubles[] = {
    {"Double", typed<double>("double")},
    {"Float64", typed<double>("float64")},
    {"DoubleBigEndian", typed<double>("double", true)},
    {"Int", typed<std::int32_t>("int")},
    {"Int32BigEndian", typed<std::int32_t>("int32", true)},
    {"Uint", typed<std::uint32_t>("uint")},
    {"Uint32", typed<std::uint32_t>("uint32")},
    {"AsciiDouble", typed_ascii("double")},
    {"AsciiFloat64", typed_ascii("float64")},
    {"AsciiInt", typed_ascii("int")},
    {"MixedWithDouble", binary_ply("2",
                                   bytes_of(1.0f) + bytes_of(2.0) + bytes_of<std::int8_t>(3) + bytes_of(4.0f) +
                                       bytes_of(5.0) + bytes_of<std::int8_t>(6),
                                   "property float x\nproperty double y\nproperty char z\n")},
    {"ListInVertex", list_in_vertex(false)},
    {"ListInVertexBigEndian", list_in_vertex(true)},
    {"AllBits", ascii_ply("1", "-2147483647 4294967295 0.5\n", k_int_uint), "", k_bits},
    {"AllBitsInBinary", binary_ply("1", bytes_of(-2147483647) + bytes_of(4294967295u) + bytes_of(0.5f), k_int_uint), "",
     k_bits},
};

TEST(PlyOdd, FilesAreReadAsThePlainOne) {
  expect_good({"pts.ply"}, k_good_ply);
  expect_good({"pts.ply", "", true}, k_good_ply_of_doubles);
}

TEST(PlyOdd, TwoDimensionsWithAZForProgramsThatNeedOne) {
  const std::string file = ply("ascii", "2", k_xyz + "comment dimensions 2\n", "1 2 0\n3 4 0\n");
  for (const bool all : {false, true}) {
    const Cloud cloud = read_bytes("map.ply", file, {.all_attributes = all});
    EXPECT_EQ(cloud.points.dimensions, 2);
    EXPECT_EQ(coordinates_of(cloud.points), (Numbers{1, 2, 3, 4}));
    EXPECT_TRUE(cloud.attributes.empty());
  }
  EXPECT_EQ(read_bytes("map.ply", file, {.columns = {"x", "y", "z"}}).points.dimensions, 3);
}

TEST(PlyOdd, ManyRowsInBlocksLoseNone) {
  // More rows than gather_columns_into() copies in one pass, with a stride larger than the coordinates.
  const int n = 5000;
  std::string rows;
  Numbers expected;
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
    EXPECT_EQ(points_in("pts.ply", file), k_points);
    EXPECT_EQ(warnings_in("pts.ply", file), Lines{"pts.ply: 6 bytes after the last element are not read"});
  }
}

/// A PLY file that is refused in its header: `lines` replace the element and its properties.
std::string header(const std::string& lines) { return "ply\nformat ascii 1.0\n" + lines + k_end + k_rows; }

std::string after_format(const std::string& format) {
  return "ply\n" + format + "element vertex 2\n" + k_xyz + k_end + k_rows;
}

/// Binary: a face element with one list, then two valid vertices.
std::string faces_first(const std::string& list_types, const std::string& face) {
  return "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list " + list_types +
         " vertex_indices\nelement vertex 2\n" + k_xyz + k_end + face + k_floats;
}
std::string ascii_faces_last(const std::string& face) {
  return "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz +
         "element face 1\nproperty list uchar int vertex_indices\n" + k_end + k_rows + face;
}

/// A case whose message names the byte at `offset` in the body.
RefusedFile in_body(const char* name, const std::string& bytes, std::size_t offset, const std::string& expected) {
  return {name, bytes, "@byte " + std::to_string(bytes.find(k_end) + k_end.size() + offset) + expected};
}

const RefusedFile k_refused_ply[] = {
    // Magic
    {"Empty", "", ": empty file"},
    {"OnlyMagic", "ply", ":1: no end_header..."},
    {"OnlyMagicLine", "ply\n", ":1: no end_header..."},
    {"WrongMagic", "plx\n" + after_format("format ascii 1.0\n"), ":1: not a PLY file (got 'plx'..."},
    {"CapitalMagic", "PLY\nformat ascii 1.0\n", ":1: not a PLY file (got 'PLY'..."},
    {"NewLineFirst", "\n" + after_format("format ascii 1.0\n"), ":1: not a PLY file..."},
    {"CarriageReturnsAlone", "ply\rformat ascii 1.0\relement vertex 0\r", ":1: not a PLY file..."},
    {"OtherText", "hello, world\n", ":1: not a PLY file (got 'hello, world'..."},
    {"NumbersOnly", k_rows, ":1: not a PLY file (got '1 2 3'..."},
    {"Zeros", std::string(100, '\0'), ":1: NUL byte..."},
    {"NoEndHeader", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz, ":6: no end_header..."},
    {"NoEndHeaderButRows", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + k_rows,
     ":7: unknown header line '1 2 3'"},
    {"EndHeaderWithMore", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + "end_header 1\n" + k_rows,
     ":7: end_header has more words..."},
    // Format
    {"Missing", after_format(""), ":6: no format line..."},
    {"Empty", after_format("format\n"), ":2: the encoding is missing..."},
    {"NoVersion", after_format("format ascii\n"), ":2: the version is missing..."},
    {"UnknownEncoding", after_format("format binary_middle_endian 1.0\n"),
     ":2: unknown encoding (got 'binary_middle_endian', need ascii..."},
    {"CapitalEncoding", after_format("format ASCII 1.0\n"), ":2: unknown encoding (got 'ASCII'..."},
    {"Version99", after_format("format ascii 9.9\n"), ":2: unknown version (got '9.9', need 1.0)"},
    {"TooManyWords", after_format("format ascii 1.0 2\n"), ":2: format has more words..."},
    {"Second", after_format("format ascii 1.0\nformat ascii 1.0\n"), ":3: a second format line"},
    {"SecondAndOther", after_format("format ascii 1.0\nformat binary_big_endian 1.0\n"), ":3: a second format line"},
    // Count
    {"Negative", ascii_ply("-5", k_rows), ":3: count of element 'vertex' is not a whole number..."},
    {"Fraction", ascii_ply("5.5", k_rows), ":3: count of element 'vertex' is not a whole number..."},
    {"Hexadecimal", ascii_ply("0x5", k_rows), ":3: count of element 'vertex' is not a whole number..."},
    {"Word", ascii_ply("five", k_rows), ":3: count of element 'vertex' is not a whole number..."},
    {"WordAfterDigit", ascii_ply("5abc", k_rows), ":3: count of element 'vertex' is not a whole number..."},
    {"Missing", ascii_ply("", k_rows), ":3: the element's count is missing..."},
    {"Digits33", ascii_ply(std::string(33, '9'), k_rows), ":3: count of element 'vertex' is out of range..."},
    {"Power64", ascii_ply("18446744073709551616", k_rows), ":3: count of element 'vertex' is out of range..."},
    {"AsciiPower31", ascii_ply("2147483648", k_rows), ": vertex count 2147483648 needs at least 12884..."},
    {"AsciiPower64Less1", ascii_ply("18446744073709551615", k_rows),
     ": vertex count 18446744073709551615 needs at least 110680464442257309689 bytes, file holds 12"},
    {"BinaryPower31", binary_ply("2147483648", k_floats),
     ": vertex count 2147483648 needs 25769803776 bytes, file holds 24"},
    {"BinaryPower32Less1", binary_ply("4294967295", k_floats),
     ": vertex count 4294967295 needs 51539607540 bytes, file holds 24"},
    {"BinaryPower63", binary_ply("9223372036854775808", k_floats),
     ": vertex count 9223372036854775808 needs 110680464442257309696 bytes, file holds 24"},
    {"BinaryPower64Less1", binary_ply("18446744073709551615", k_floats),
     ": vertex count 18446744073709551615 needs 221360928884514619380 bytes, file holds 24"},
    // 12 · 6148914691236517206 = 2⁶⁶ + 8: eight bytes if the product overflows.
    {"ProductWraps", binary_ply("6148914691236517206", k_floats),
     ": vertex count 6148914691236517206 needs 73786976294838206472 bytes, file holds 24"},
    // Body
    {"BinaryShortByRows", binary_ply("20", bytes_of_all<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6})),
     ": vertex count 20 needs 240 bytes, file holds 60"},
    {"BinaryShortBy3Bytes", binary_ply("2", k_floats.substr(3)), ": vertex count 2 needs 24 bytes, file holds 21"},
    {"BinaryAbsent", binary_ply("2", ""), ": vertex count 2 needs 24 bytes, file holds 0"},
    in_body("BinaryFacesShort",
            "ply\nformat binary_little_endian 1.0\nelement vertex 2\n" + k_xyz +
                "element face 2\nproperty list uchar int i\n" + k_end + k_floats + "\x01" + bytes_of<int>(0),
            29, ": face 1: the file ends within property 'i' (got 0 bytes, need 1)"),
    {"AsciiShortByRows", ascii_ply("3", "1.5 2.5 3.5\n4.5 5.5 6.5\n\n\n"),
     ":11: the file ends within the rows of element vertex (got 2, need 3)"},
    {"AsciiAbsent", ascii_ply("2", ""), ": vertex count 2 needs at least 11 bytes, file holds 0"},
    {"AsciiMidLine", ascii_ply("2", "1 2 3\n4.25 5"), ":9: row of element vertex is too short (got 2 values, need 3)"},
    {"AsciiRowTooShort", ascii_ply("2", "1 2\n4 5 6 7\n"),
     ":8: row of element vertex is too short (got 2 values, need 3)"},
    {"AsciiRowTooLong", ascii_ply("2", "1 2 3\n4 5 6 7\n"),
     ":9: row of element vertex is too long (got 4 values, need 3)"},
    {"AsciiTwoRowsInALine", ascii_ply("2", "1 2 3 4 5 6\n"),
     ":8: row of element vertex is too long (got 6 values, need 3)"},
    {"AsciiWord", ascii_ply("2", "1 two 3\n4 5 6\n"), ":8: property y is not a number: 'two'"},
    {"AsciiHexadecimal", ascii_ply("2", "1 2 0x3\n4 5 6\n"), ":8: property z is not a number: '0x3'"},
    {"AsciiTwoSigns", ascii_ply("2", "1 2 3\n+-4 5 6\n"), ":9: property x is not a number: '+-4'"},
    {"AsciiComma", ascii_ply("2", "1 2 3\n4 5,5 6\n"), ":9: property y is not a number: '5,5'"},
    {"AsciiCommas", ascii_ply("2", "1,2,3\n4,5,6\n"), ":8: property x is not a number: '1,2,3'"},
    {"Ascii1e999", ascii_ply("2", "1 2 3\n1e999 5 6\n"), ":9: property x is out of range: '1e999'"},
    {"Ascii1e39InFloat", ascii_ply("2", "1 2 3\n4 5 -1e39\n"), ":9: property z is out of range: '-1e39'"},
    {"AsciiDouble1e309", ascii_ply("1", "1 2 1e309\n", "property float x\nproperty float y\nproperty double z\n"),
     ":8: property z is out of range: '1e309'"},
    {"AsciiFractionInInt", ascii_ply("1", "1 2 3.5\n", "property float x\nproperty float y\nproperty int z\n"),
     ":8: property z is not a number of its integer type: '3.5'"},
    {"Ascii256InUchar", ascii_ply("1", "256 2 3\n", "property uchar x\nproperty float y\nproperty float z\n"),
     ":8: property x is out of range of its integer type: '256'"},
    {"AsciiNegativeInUint", ascii_ply("1", "1 -2 3\n", "property float x\nproperty uint y\nproperty float z\n"),
     ":8: property y is out of range of its integer type: '-2'"},
    {"AsciiWordInExtra", ascii_ply("1", "1 2 3 red\n", k_xyz + "property float c\n"),
     ":9: property c is not a number: 'red'"},
    {"AsciiNulInRow", ascii_ply("2", std::string("1 2 3\n4 5 \0\n", 12)), ":9: property z is not a number: '\\x00'"},
    // Properties
    {"NoX", header("element vertex 2\nproperty float y\nproperty float z\n"), ": element vertex has no property x..."},
    {"NoY", header("element vertex 2\nproperty float x\nproperty float z\n"), ": element vertex has no property y..."},
    {"NoZ", header("element vertex 2\nproperty float x\nproperty float y\n"),
     ": element vertex has no property z; a 2-D file says so in its header: comment dimensions 2..."},
    {"NoZIn3D", header("comment dimensions 3\nelement vertex 2\nproperty float x\nproperty float y\n"),
     ": element vertex has no property z..."},
    {"NoYIn2D", header("comment dimensions 2\nelement vertex 2\nproperty float x\nproperty float z\n"),
     ": element vertex has no property y..."},
    {"Twice", header("element vertex 2\n" + k_xyz + "property float x\n"),
     ":7: a second property 'x' of element 'vertex'"},
    {"XIsAList", header("element vertex 2\nproperty list uchar float x\nproperty float y\nproperty float z\n"),
     ": property x of element vertex is a list"},
    {"UnknownType", header("element vertex 2\nproperty real x\n"), ":4: unknown type 'real'"},
    {"CapitalType", header("element vertex 2\nproperty Float x\n"), ":4: unknown type 'Float'"},
    {"UnknownListType", header("element vertex 2\nproperty list uchar long x\n"), ":4: unknown type 'long'"},
    {"ListCountFloat", header("element vertex 2\n" + k_xyz + "element face 1\nproperty list float int i\n"),
     ":8: a list's count must be of an integer type"},
    {"ListCountDouble", header("element face 1\nproperty list double int i\nelement vertex 2\n" + k_xyz),
     ":4: a list's count must be of an integer type"},
    {"BeforeAnyElement", header("property float x\nelement vertex 2\n"), ":3: a property before any element"},
    {"NoName", header("element vertex 2\nproperty float\n"), ":4: the property's name is missing..."},
    {"NoType", header("element vertex 2\nproperty\n"), ":4: the property's type is missing..."},
    {"ListWithoutItems", header("element vertex 2\nproperty list uchar\n"), ":4: the list's item type..."},
    {"ListWithoutTypes", header("element vertex 2\nproperty list\n"), ":4: the list's count type..."},
    {"ListWithoutName", header("element vertex 2\nproperty list uchar int\n"), ":4: the property's name..."},
    {"TooManyWords", header("element vertex 2\nproperty float x y\n"), ":4: property has more words..."},
    // Elements
    {"None", header(""), ": no element vertex in the header"},
    {"NoVertex", header("element face 0\nproperty list uchar int i\n"), ": no element vertex..."},
    {"VertexWithoutProperties", header("element vertex 2\n"), ": element vertex has no property x"},
    {"TwoVertex", header("element vertex 2\n" + k_xyz + "element vertex 2\n" + k_xyz), ":7: a second element 'vertex'"},
    {"NoName", header("element\n"), ":3: the element's name is missing..."},
    {"TooManyWords", header("element vertex 2 3\n"), ":3: element has more words..."},
    {"JunkLine", header("element vertex 2\nfoo bar\n" + k_xyz), ":4: unknown header line 'foo bar'"},
    {"JunkBytes", header("\xff\xfe\x01\n"), ":3: unknown header line '\\xff\\xfe\\x01'"},
    {"NulInName", header(std::string("element ver\0tex 2\n", 18) + k_xyz), ":3: NUL byte..."},
    {"NulInComment", header(std::string("comment a\0b\n", 12)), ":3: NUL byte..."},
    // Lists
    in_body("CountMinus1", faces_first("char int", "\xff"), 0,
            ": face 0: list 'vertex_indices' has a negative count (got -1)"),
    in_body("IntCountMinus1", faces_first("int int", bytes_of<int>(-1)), 0,
            ": face 0: list 'vertex_indices' has a negative count (got -1)"),
    in_body("CountPower32Less1", faces_first("uint int", bytes_of<unsigned>(0xffffffff)), 4,
            ": face 0: the file ends within property 'vertex_indices' (got 24 bytes, need 17179869180)"),
    {"CountEatsTheVertices", faces_first("uchar double", "\x03"), ": vertex count 2 needs 24 bytes, file holds 0"},
    {"AsciiCountMinus1", ascii_faces_last("-1\n"),
     ":12: count of list vertex_indices is not a whole number from 0 to 255: '-1'"},
    {"AsciiCount300InUchar", ascii_faces_last("300 1 2 3\n"), ":12: count of list vertex_indices is not..."},
    {"AsciiCountFraction", ascii_faces_last("3.5 1 2 3\n"), ":12: count of list vertex_indices is not..."},
    {"AsciiTooFewItems", ascii_faces_last("3 0 1\n"),
     ":12: row of element face is too short (got 3 values, need at least 4)"},
    {"AsciiTooManyItems", ascii_faces_last("3 0 1 1 0\n"),
     ":12: row of element face is too long (got 5 values, need 4)"},
    {"AsciiWordInList", ascii_faces_last("3 0 one 1\n"), ":12: property vertex_indices is not a number..."},
    {"FaceCountPower64Less1",
     "ply\nformat binary_little_endian 1.0\nelement face 18446744073709551615\n"
     "property list uchar int i\nelement vertex 2\n" +
         k_xyz + k_end + k_floats,
     ": face count 18446744073709551615 needs at least 18446744073709551615 bytes, file holds 24"},
    // OtherFormatsInside
    {"Gzip", "\x1f\x8b\x08" + std::string(20, '\0'), ": gzip is not read; decompress it first..."},
    {"Pcd", "# .PCD v0.7\nVERSION 0.7\n", ": no DATA line: the file ends within the PCD header"},
    {"PcdWithoutComment", "VERSION 0.7\nFIELDS x y z\n", ": no DATA line..."},
    {"Las", "LASF" + std::string(300, '\0'), "@byte 24: unknown LAS version (got 0.0, need..."},
    {"Utf16WithMark", std::string("\xff\xfep\0l\0y\0\n\0", 10), ": UTF-16 is not read; convert it..."},
    {"Utf16Little", std::string("p\0l\0y\0\n\0", 8), ": UTF-16 is not read; convert it..."},
    {"Utf16Big", std::string("\0p\0l\0y\0\n", 8), ": UTF-16 is not read; convert it..."},
};

TEST(PlyRefused, NamesThePlace) { expect_refusals("pts.ply", k_refused_ply); }

TEST(PlyRefusedBounds, TwoHundredThousandProperties) {
  std::string lines = "element vertex 2\n";
  for (int i = 0; i < 200'000; ++i) lines += "property float p" + std::to_string(i) + "\n";
  EXPECT_EQ(refusal("pts.ply", header(lines)), "pts.ply:4100: more than 4096 properties");
}

TEST(PlyRefusedBounds, ThousandElements) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "element e" + std::to_string(i) + " 0\n";
  EXPECT_EQ(refusal("pts.ply", header(lines)), "pts.ply:259: more than 256 elements");
}

TEST(PlyRefusedBounds, HeaderOfTenMegabytes) {
  const std::string message = "pts.ply: the header does not end in the first 1048576 bytes";
  EXPECT_EQ(refusal("pts.ply", header("comment " + std::string(10'000'000, 'a') + "\n")), message);
  std::string comments;
  while (comments.size() < 10'000'000) comments += "comment\n";
  EXPECT_EQ(refusal("pts.ply", header(comments)), message);
}

}  // namespace
}  // namespace kann::formats
