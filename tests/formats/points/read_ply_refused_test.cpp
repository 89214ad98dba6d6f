// Malformed PLY files are refused with a message that names the line or byte.
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
BytesCase in_body(const char* name, const std::string& bytes, std::size_t offset, const std::string& expected) {
  return {name, bytes, "@byte " + std::to_string(bytes.find(k_end) + k_end.size() + offset) + expected};
}

class PlyRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(PlyRefused, NamesThePlace) {
  const std::string message = refusal("pts.ply", GetParam().bytes);
  EXPECT_TRUE(message.starts_with("pts.ply" + GetParam().expected)) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 250u) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Magic, PlyRefused,
    testing::Values(
        BytesCase{"Empty", "", ": empty file"}, BytesCase{"OnlyMagic", "ply", ":1: no end_header"},
        BytesCase{"OnlyMagicLine", "ply\n", ":1: no end_header"},
        BytesCase{"WrongMagic", "plx\n" + after_format("format ascii 1.0\n"), ":1: not a PLY file (got 'plx'"},
        BytesCase{"CapitalMagic", "PLY\nformat ascii 1.0\n", ":1: not a PLY file (got 'PLY'"},
        BytesCase{"NewLineFirst", "\n" + after_format("format ascii 1.0\n"), ":1: not a PLY file"},
        BytesCase{"CarriageReturnsAlone", "ply\rformat ascii 1.0\relement vertex 0\r", ":1: not a PLY file"},
        BytesCase{"OtherText", "hello, world\n", ":1: not a PLY file (got 'hello, world'"},
        BytesCase{"NumbersOnly", k_rows, ":1: not a PLY file (got '1 2 3'"},
        BytesCase{"Zeros", std::string(100, '\0'), ":1: NUL byte"},
        BytesCase{"NoEndHeader", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz, ":6: no end_header"},
        BytesCase{"NoEndHeaderButRows", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + k_rows,
                  ":7: unknown header line '1 2 3'"},
        BytesCase{"EndHeaderWithMore", "ply\nformat ascii 1.0\nelement vertex 2\n" + k_xyz + "end_header 1\n" + k_rows,
                  ":7: end_header has more words"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Format, PlyRefused,
    testing::Values(
        BytesCase{"Missing", after_format(""), ":6: no format line"},
        BytesCase{"Empty", after_format("format\n"), ":2: the encoding is missing"},
        BytesCase{"NoVersion", after_format("format ascii\n"), ":2: the version is missing"},
        BytesCase{"UnknownEncoding", after_format("format binary_middle_endian 1.0\n"),
                  ":2: unknown encoding (got 'binary_middle_endian', need ascii"},
        BytesCase{"CapitalEncoding", after_format("format ASCII 1.0\n"), ":2: unknown encoding (got 'ASCII'"},
        BytesCase{"Version99", after_format("format ascii 9.9\n"), ":2: unknown version (got '9.9', need 1.0)"},
        BytesCase{"TooManyWords", after_format("format ascii 1.0 2\n"), ":2: format has more words"},
        BytesCase{"Second", after_format("format ascii 1.0\nformat ascii 1.0\n"), ":3: a second format line"},
        BytesCase{"SecondAndOther", after_format("format ascii 1.0\nformat binary_big_endian 1.0\n"),
                  ":3: a second format line"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Count, PlyRefused,
    testing::Values(
        BytesCase{"Negative", ascii_ply("-5", k_rows), ":3: count of element 'vertex' is not a whole number"},
        BytesCase{"Fraction", ascii_ply("5.5", k_rows), ":3: count of element 'vertex' is not a whole number"},
        BytesCase{"Hexadecimal", ascii_ply("0x5", k_rows), ":3: count of element 'vertex' is not a whole number"},
        BytesCase{"Word", ascii_ply("five", k_rows), ":3: count of element 'vertex' is not a whole number"},
        BytesCase{"WordAfterDigit", ascii_ply("5abc", k_rows), ":3: count of element 'vertex' is not a whole number"},
        BytesCase{"Missing", ascii_ply("", k_rows), ":3: the element's count is missing"},
        BytesCase{"Digits33", ascii_ply(std::string(33, '9'), k_rows), ":3: count of element 'vertex' is out of range"},
        BytesCase{"Power64", ascii_ply("18446744073709551616", k_rows),
                  ":3: count of element 'vertex' is out of range"},
        BytesCase{"AsciiPower31", ascii_ply("2147483648", k_rows), ": vertex count 2147483648 needs at least 12884"},
        BytesCase{"AsciiPower64Less1", ascii_ply("18446744073709551615", k_rows),
                  ": vertex count 18446744073709551615 needs at least 110680464442257309689 bytes, file holds 12"},
        BytesCase{"BinaryPower31", binary_ply("2147483648", k_floats),
                  ": vertex count 2147483648 needs 25769803776 bytes, file holds 24"},
        BytesCase{"BinaryPower32Less1", binary_ply("4294967295", k_floats),
                  ": vertex count 4294967295 needs 51539607540 bytes, file holds 24"},
        BytesCase{"BinaryPower63", binary_ply("9223372036854775808", k_floats),
                  ": vertex count 9223372036854775808 needs 110680464442257309696 bytes, file holds 24"},
        BytesCase{"BinaryPower64Less1", binary_ply("18446744073709551615", k_floats),
                  ": vertex count 18446744073709551615 needs 221360928884514619380 bytes, file holds 24"},
        // 12 · 6148914691236517206 = 2⁶⁶ + 8: eight bytes if the product overflows.
        BytesCase{"ProductWraps", binary_ply("6148914691236517206", k_floats),
                  ": vertex count 6148914691236517206 needs 73786976294838206472 bytes, file holds 24"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Body, PlyRefused,
    testing::Values(
        BytesCase{"BinaryShortByRows",
                  binary_ply("20", bytes_of_all<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6})),
                  ": vertex count 20 needs 240 bytes, file holds 60"},
        BytesCase{"BinaryShortBy3Bytes", binary_ply("2", k_floats.substr(3)),
                  ": vertex count 2 needs 24 bytes, file holds 21"},
        BytesCase{"BinaryAbsent", binary_ply("2", ""), ": vertex count 2 needs 24 bytes, file holds 0"},
        in_body("BinaryFacesShort",
                "ply\nformat binary_little_endian 1.0\nelement vertex 2\n" + k_xyz +
                    "element face 2\nproperty list uchar int i\n" + k_end + k_floats + "\x01" + bytes_of<int>(0),
                29, ": face 1: the file ends within property 'i' (got 0 bytes, need 1)"),
        BytesCase{"AsciiShortByRows", ascii_ply("3", "1.5 2.5 3.5\n4.5 5.5 6.5\n\n\n"),
                  ":11: the file ends within the rows of element vertex (got 2, need 3)"},
        BytesCase{"AsciiAbsent", ascii_ply("2", ""), ": vertex count 2 needs at least 11 bytes, file holds 0"},
        BytesCase{"AsciiMidLine", ascii_ply("2", "1 2 3\n4.25 5"),
                  ":9: row of element vertex is too short (got 2 values, need 3)"},
        BytesCase{"AsciiRowTooShort", ascii_ply("2", "1 2\n4 5 6 7\n"),
                  ":8: row of element vertex is too short (got 2 values, need 3)"},
        BytesCase{"AsciiRowTooLong", ascii_ply("2", "1 2 3\n4 5 6 7\n"),
                  ":9: row of element vertex is too long (got 4 values, need 3)"},
        BytesCase{"AsciiTwoRowsInALine", ascii_ply("2", "1 2 3 4 5 6\n"),
                  ":8: row of element vertex is too long (got 6 values, need 3)"},
        BytesCase{"AsciiWord", ascii_ply("2", "1 two 3\n4 5 6\n"), ":8: property y is not a number: 'two'"},
        BytesCase{"AsciiHexadecimal", ascii_ply("2", "1 2 0x3\n4 5 6\n"), ":8: property z is not a number: '0x3'"},
        BytesCase{"AsciiTwoSigns", ascii_ply("2", "1 2 3\n+-4 5 6\n"), ":9: property x is not a number: '+-4'"},
        BytesCase{"AsciiComma", ascii_ply("2", "1 2 3\n4 5,5 6\n"), ":9: property y is not a number: '5,5'"},
        BytesCase{"AsciiCommas", ascii_ply("2", "1,2,3\n4,5,6\n"), ":8: property x is not a number: '1,2,3'"},
        BytesCase{"Ascii1e999", ascii_ply("2", "1 2 3\n1e999 5 6\n"), ":9: property x is out of range: '1e999'"},
        BytesCase{"Ascii1e39InFloat", ascii_ply("2", "1 2 3\n4 5 -1e39\n"), ":9: property z is out of range: '-1e39'"},
        BytesCase{"AsciiDouble1e309",
                  ascii_ply("1", "1 2 1e309\n", "property float x\nproperty float y\nproperty double z\n"),
                  ":8: property z is out of range: '1e309'"},
        BytesCase{"AsciiFractionInInt",
                  ascii_ply("1", "1 2 3.5\n", "property float x\nproperty float y\nproperty int z\n"),
                  ":8: property z is not a number of its integer type: '3.5'"},
        BytesCase{"Ascii256InUchar",
                  ascii_ply("1", "256 2 3\n", "property uchar x\nproperty float y\nproperty float z\n"),
                  ":8: property x is out of range of its integer type: '256'"},
        BytesCase{"AsciiNegativeInUint",
                  ascii_ply("1", "1 -2 3\n", "property float x\nproperty uint y\nproperty float z\n"),
                  ":8: property y is out of range of its integer type: '-2'"},
        BytesCase{"AsciiWordInExtra", ascii_ply("1", "1 2 3 red\n", k_xyz + "property float c\n"),
                  ":9: property c is not a number: 'red'"},
        BytesCase{"AsciiNulInRow", ascii_ply("2", std::string("1 2 3\n4 5 \0\n", 12)),
                  ":9: property z is not a number: '\\x00'"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Properties, PlyRefused,
    testing::Values(
        BytesCase{"NoX", header("element vertex 2\nproperty float y\nproperty float z\n"),
                  ": element vertex has no property x"},
        BytesCase{"NoY", header("element vertex 2\nproperty float x\nproperty float z\n"),
                  ": element vertex has no property y"},
        BytesCase{"NoZ", header("element vertex 2\nproperty float x\nproperty float y\n"),
                  ": element vertex has no property z; a 2-D file says so in its header: comment dimensions 2"},
        BytesCase{"NoZIn3D", header("comment dimensions 3\nelement vertex 2\nproperty float x\nproperty float y\n"),
                  ": element vertex has no property z"},
        BytesCase{"NoYIn2D", header("comment dimensions 2\nelement vertex 2\nproperty float x\nproperty float z\n"),
                  ": element vertex has no property y"},
        BytesCase{"Twice", header("element vertex 2\n" + k_xyz + "property float x\n"),
                  ":7: a second property 'x' of element 'vertex'"},
        BytesCase{"XIsAList",
                  header("element vertex 2\nproperty list uchar float x\nproperty float y\nproperty float z\n"),
                  ": property x of element vertex is a list"},
        BytesCase{"UnknownType", header("element vertex 2\nproperty real x\n"), ":4: unknown type 'real'"},
        BytesCase{"CapitalType", header("element vertex 2\nproperty Float x\n"), ":4: unknown type 'Float'"},
        BytesCase{"UnknownListType", header("element vertex 2\nproperty list uchar long x\n"),
                  ":4: unknown type 'long'"},
        BytesCase{"ListCountFloat",
                  header("element vertex 2\n" + k_xyz + "element face 1\nproperty list float int i\n"),
                  ":8: a list's count must be of an integer type"},
        BytesCase{"ListCountDouble", header("element face 1\nproperty list double int i\nelement vertex 2\n" + k_xyz),
                  ":4: a list's count must be of an integer type"},
        BytesCase{"BeforeAnyElement", header("property float x\nelement vertex 2\n"),
                  ":3: a property before any element"},
        BytesCase{"NoName", header("element vertex 2\nproperty float\n"), ":4: the property's name is missing"},
        BytesCase{"NoType", header("element vertex 2\nproperty\n"), ":4: the property's type is missing"},
        BytesCase{"ListWithoutItems", header("element vertex 2\nproperty list uchar\n"), ":4: the list's item type"},
        BytesCase{"ListWithoutTypes", header("element vertex 2\nproperty list\n"), ":4: the list's count type"},
        BytesCase{"ListWithoutName", header("element vertex 2\nproperty list uchar int\n"), ":4: the property's name"},
        BytesCase{"TooManyWords", header("element vertex 2\nproperty float x y\n"), ":4: property has more words"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Elements, PlyRefused,
    testing::Values(
        BytesCase{"None", header(""), ": no element vertex in the header"},
        BytesCase{"NoVertex", header("element face 0\nproperty list uchar int i\n"), ": no element vertex"},
        BytesCase{"VertexWithoutProperties", header("element vertex 2\n"), ": element vertex has no property x"},
        BytesCase{"TwoVertex", header("element vertex 2\n" + k_xyz + "element vertex 2\n" + k_xyz),
                  ":7: a second element 'vertex'"},
        BytesCase{"NoName", header("element\n"), ":3: the element's name is missing"},
        BytesCase{"TooManyWords", header("element vertex 2 3\n"), ":3: element has more words"},
        BytesCase{"JunkLine", header("element vertex 2\nfoo bar\n" + k_xyz), ":4: unknown header line 'foo bar'"},
        BytesCase{"JunkBytes", header("\xff\xfe\x01\n"), ":3: unknown header line '\\xff\\xfe\\x01'"},
        BytesCase{"NulInName", header(std::string("element ver\0tex 2\n", 18) + k_xyz), ":3: NUL byte"},
        BytesCase{"NulInComment", header(std::string("comment a\0b\n", 12)), ":3: NUL byte"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Lists, PlyRefused,
    testing::Values(
        in_body("CountMinus1", faces_first("char int", "\xff"), 0,
                ": face 0: list 'vertex_indices' has a negative count (got -1)"),
        in_body("IntCountMinus1", faces_first("int int", bytes_of<int>(-1)), 0,
                ": face 0: list 'vertex_indices' has a negative count (got -1)"),
        in_body("CountPower32Less1", faces_first("uint int", bytes_of<unsigned>(0xffffffff)), 4,
                ": face 0: the file ends within property 'vertex_indices' (got 24 bytes, need 17179869180)"),
        BytesCase{"CountEatsTheVertices", faces_first("uchar double", "\x03"),
                  ": vertex count 2 needs 24 bytes, file holds 0"},
        BytesCase{"AsciiCountMinus1", ascii_faces_last("-1\n"),
                  ":12: count of list vertex_indices is not a whole number from 0 to 255: '-1'"},
        BytesCase{"AsciiCount300InUchar", ascii_faces_last("300 1 2 3\n"), ":12: count of list vertex_indices is not"},
        BytesCase{"AsciiCountFraction", ascii_faces_last("3.5 1 2 3\n"), ":12: count of list vertex_indices is not"},
        BytesCase{"AsciiTooFewItems", ascii_faces_last("3 0 1\n"),
                  ":12: row of element face is too short (got 3 values, need at least 4)"},
        BytesCase{"AsciiTooManyItems", ascii_faces_last("3 0 1 1 0\n"),
                  ":12: row of element face is too long (got 5 values, need 4)"},
        BytesCase{"AsciiWordInList", ascii_faces_last("3 0 one 1\n"), ":12: property vertex_indices is not a number"},
        BytesCase{"FaceCountPower64Less1",
                  "ply\nformat binary_little_endian 1.0\nelement face 18446744073709551615\n"
                  "property list uchar int i\nelement vertex 2\n" +
                      k_xyz + k_end + k_floats,
                  ": face count 18446744073709551615 needs at least 18446744073709551615 bytes, file holds 24"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    OtherFormatsInside, PlyRefused,
    testing::Values(
        BytesCase{"Gzip", "\x1f\x8b\x08" + std::string(20, '\0'), ": gzip is not read; decompress it first"},
        BytesCase{"Pcd", "# .PCD v0.7\nVERSION 0.7\n", ": no DATA line: the file ends within the PCD header"},
        BytesCase{"PcdWithoutComment", "VERSION 0.7\nFIELDS x y z\n", ": no DATA line"},
        BytesCase{"Las", "LASF" + std::string(300, '\0'), "@byte 24: unknown LAS version (got 0.0, need"},
        BytesCase{"Utf16WithMark", std::string("\xff\xfep\0l\0y\0\n\0", 10), ": UTF-16 is not read; convert it"},
        BytesCase{"Utf16Little", std::string("p\0l\0y\0\n\0", 8), ": UTF-16 is not read; convert it"},
        BytesCase{"Utf16Big", std::string("\0p\0l\0y\0\n", 8), ": UTF-16 is not read; convert it"}),
    CaseName());

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
