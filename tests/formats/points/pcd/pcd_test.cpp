// PCD files that are right, the unusual ones too, give the points that are in them.
#include "formats/points/pcd/pcd_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_columns = bytes_of_all<float>({1, 4, 2, 5, 3, 6});

const std::string k_ascii = pcd("ascii", "2", "1 2 3\n4 5 6\n");
const std::string k_binary = pcd("binary", "2", k_floats);
const std::string k_compressed = pcd("binary_compressed", "2", compressed_body(lzf_literals(k_columns), 24));

/// x and z of a type of their own, other fields between, before and behind them; 31 bytes per point.
const std::string k_mixed =
    "FIELDS rgb x _ normal y t z\nSIZE 4 2 1 4 4 8 4\nTYPE F I U F U U F\nCOUNT 1 1 3 2 1 1 1\n";
const std::string k_mixed_rows = "abcd" + bytes_of<std::int16_t>(-1) + "___nnnnNNNN" + bytes_of<std::uint32_t>(2) +
                                 "tttttttt" + bytes_of(3.0f) + "abcd" + bytes_of<std::int16_t>(4) + "___nnnnNNNN" +
                                 bytes_of<std::uint32_t>(4294967295u) + "tttttttt" + bytes_of(6.0f);
const std::string k_mixed_columns = "abcdabcd" + bytes_of_all<std::int16_t>({-1, 4}) + "______" + "nnnnNNNNnnnnNNNN" +
                                    bytes_of_all<std::uint32_t>({2, 4294967295u}) + "tttttttttttttttt" +
                                    bytes_of_all<float>({3, 6});

std::vector<double> read(const std::string& bytes) { return coordinates_of(read_bytes("a.pcd", bytes).points); }

TEST(ReadPcd, EveryEncoding) {
  for (const std::string& bytes : {k_ascii, k_binary, k_compressed}) {
    const Cloud cloud = read_bytes("a.pcd", bytes);
    EXPECT_EQ(coordinates_of(cloud.points), k_points);
    EXPECT_TRUE(is_float32(cloud.points));
    EXPECT_TRUE(cloud.warnings.empty());
    EXPECT_EQ(cloud.columns, (std::vector<std::string>{"x", "y", "z"}));
  }
}

TEST(ReadPcd, FieldsOfAnyTypeAndCountInAnyOrder) {
  const std::vector<double> expected = {-1, 2, 3, 4, 4294967295.0, 6};
  const std::string ascii = "nan -1 0 0 0 1 2 2 18446744073709551615 3\n-1e38 4 9 9 9 0 0 4294967295 7 6\n";
  for (const std::string& bytes :
       {pcd("ascii", "2", ascii, k_mixed), pcd("binary", "2", k_mixed_rows, k_mixed),
        pcd("binary_compressed", "2", compressed_body(lzf_literals(k_mixed_columns), k_mixed_columns.size()),
            k_mixed)}) {
    const Cloud cloud = read_bytes("a.pcd", bytes);
    EXPECT_EQ(coordinates_of(cloud.points), expected);
    EXPECT_FALSE(is_float32(cloud.points));
  }
}

TEST(ReadPcd, DoublesKeepTheirDigits) {
  const std::string fields = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n";
  const std::vector<double> expected = {636000.0001, 4851000.1, 0.1};
  const std::string bytes = bytes_of(expected[0]) + bytes_of(expected[1]) + bytes_of(expected[2]);
  EXPECT_EQ(read(pcd("binary", "1", bytes, fields)), expected);
  EXPECT_EQ(read(pcd("ascii", "1", "636000.0001 4851000.1 0.1\n", fields)), expected);
  EXPECT_EQ(read(pcd("binary_compressed", "1", compressed_body(lzf_literals(bytes), 24), fields)), expected);
}

TEST(ReadPcd, OrganisedCloudsWithPointsThatAreMissing) {
  const std::string header = "VERSION .7\n" + k_pcd_xyz + "WIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\n";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& bytes :
       {header + "DATA ascii\n1 2 3\nnan nan nan\n-nan nan nan\n4 5 6\n",
        header + "DATA binary\n" + bytes_of_all<float>({1, 2, 3, nan, nan, nan, nan, nan, nan, 4, 5, 6})}) {
    const std::vector<double> got = read(bytes);
    ASSERT_EQ(got.size(), 12u);
    EXPECT_EQ(std::vector<double>(got.begin(), got.begin() + 3), (std::vector<double>{1, 2, 3}));
    for (int i = 3; i < 9; ++i) EXPECT_TRUE(std::isnan(got[static_cast<std::size_t>(i)]));
    EXPECT_EQ(std::vector<double>(got.begin() + 9, got.end()), (std::vector<double>{4, 5, 6}));
  }
}

TEST(ReadPcd, TwoDimensionsAndNamesThatSaySo) {
  const std::string flat = "FIELDS y x\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\n";
  const Cloud cloud = read_bytes("a.pcd", pcd("ascii", "1", "2 1\n", flat));
  EXPECT_EQ(cloud.points.dimensions, 2);
  EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{1, 2}));
  const std::string named = "FIELDS pos_x pos_y pos_z\nSIZE 4 4 4\nTYPE F F F\n";
  EXPECT_EQ(read(pcd("binary", "2", k_floats, named)), k_points);
}

TEST(ReadPcd, NoPoints) {
  for (const char* data : {"ascii", "binary"}) EXPECT_TRUE(read(pcd(data, "0", "")).empty()) << data;
  EXPECT_TRUE(read(pcd("binary_compressed", "0", compressed_body("", 0))).empty());
}

struct Odd {
  const char* name;
  std::string bytes;
};
void PrintTo(const Odd& o, std::ostream* out) { *out << o.name; }

std::string with(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += replacement.size())
    text.replace(at, old.size(), replacement);
  return text;
}

class PcdOdd : public testing::TestWithParam<Odd> {};

TEST_P(PcdOdd, ReadsAsThePlainFile) {
  const Cloud cloud = read_bytes("a.pcd", GetParam().bytes);
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_TRUE(cloud.warnings.empty()) << cloud.warnings[0];
}

INSTANTIATE_TEST_SUITE_P(
    All, PcdOdd,
    testing::Values(
        Odd{"AsciiCrLf", with(k_ascii, "\n", "\r\n")},
        Odd{"BinaryCrLf", with(pcd("binary", "2", ""), "\n", "\r\n") + k_floats},
        Odd{"NoCount", with(k_ascii, "COUNT 1 1 1\n", "")},
        Odd{"NoHeight", with(with(k_ascii, "HEIGHT 1\n", ""), "POINTS 2\n", "")},
        Odd{"NoWidth", with(with(k_ascii, "HEIGHT 1\n", ""), "WIDTH 2\n", "")},
        Odd{"NoVersion", with(k_ascii, "VERSION 0.7\n", "")},
        Odd{"VersionWithoutZero", with(k_binary, "VERSION 0.7", "VERSION .7")},
        Odd{"VersionFive", with(with(k_binary, "VERSION 0.7", "VERSION .5"), "FIELDS", "COLUMNS")},
        Odd{"NoViewpoint", with(k_binary, "VIEWPOINT 0 0 0 1 0 0 0\n", "")},
        Odd{"OtherComment", with(k_binary, "# .PCD v0.7 - Point Cloud Data file format", "# DATA ascii\n#POINTS 99\n")},
        Odd{"LongComment", "# .PCD v0.7\n#" + std::string(30'000, 'c') + "\n" + k_binary},
        Odd{"BlankLines", with(k_ascii, "\n", "\n\n")},
        Odd{"Tabs", with(with(k_ascii, "1 2 3", "1\t 2\t3\t"), "FIELDS x y", "FIELDS\tx  y")},
        Odd{"NoFinalNewline", k_ascii.substr(0, k_ascii.size() - 1)},
        Odd{"Numbers", with(k_ascii, "1 2 3", "+1.0E+00 .2e1 3.")}, Odd{"TrailingBlankLines", k_ascii + "\n \r\n"},
        Odd{"PagePadding", k_compressed + std::string(3000, '\0')},
        Odd{"StoredAsItIs", pcd("binary_compressed", "2", compressed_body(k_columns, 24))}, Odd{"ByContent", k_binary}),
    CaseName());

TEST(ReadPcd, BytesAfterTheLastPointAreAWarning) {
  const std::pair<std::string, const char*> cases[] = {
      {k_ascii + "7 8 9\n", "6"}, {k_binary + "abc", "3"}, {k_compressed + "ab", "2"}};
  for (const auto& [bytes, count] : cases) {
    const Cloud cloud = read_bytes("a.pcd", bytes);
    EXPECT_EQ(coordinates_of(cloud.points), k_points);
    ASSERT_EQ(cloud.warnings.size(), 1u);
    EXPECT_TRUE(
        cloud.warnings[0].ends_with(std::string("a.pcd: ") + count + " bytes after the last point are not read"))
        << cloud.warnings[0];
  }
}

/// Blocks of a megabyte, of the head and of threads, and their ends.
TEST(ReadPcd, LargeBinaryFilesAreReadTheSameOnAnyNumberOfThreads) {
  const std::string fields = "FIELDS i x y z\nSIZE 1 4 4 4\nTYPE U F F F\nCOUNT 1 1 1 1\n";
  constexpr std::size_t per_block = (std::size_t{1} << 20) / 13;
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{65536 / 13}, per_block - 1, per_block, per_block + 1, 3 * per_block + 7}) {
    std::string body;
    std::vector<double> expected;
    for (std::size_t i = 0; i < count; ++i) {
      body += 'i';
      for (std::size_t a = 0; a < 3; ++a) {
        expected.push_back(static_cast<double>(3 * i + a));
        body += bytes_of(static_cast<float>(3 * i + a));
      }
    }
    const std::string bytes = pcd("binary", std::to_string(count), body, fields);
    for (const int threads : {1, 2, 5})
      EXPECT_TRUE(coordinates_of(read_bytes("a.pcd", bytes, {.threads = threads}).points) == expected) << count;
  }
}

}  // namespace
}  // namespace kann::formats
