// LAS files that are right, in every version and point format, give scale · integer + offset in double.
#include "formats/las/laz.hpp"
#include "formats/points/las/las_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// The points of LasParts, with the arithmetic of the format written out: a product and a sum, each rounded.
std::vector<double> expected(const LasParts& parts) {
  std::vector<double> all;
  for (const auto& point : parts.points)
    for (std::size_t a = 0; a < 3; ++a) {
      const volatile double product = point[a] * parts.scale[a];
      all.push_back(product + parts.offset[a]);
    }
  return all;
}

Cloud read(const LasParts& parts, const ReadOptions& options = {}) { return read_bytes("a.las", las(parts), options); }

TEST(ReadLas, EveryVersionAndPointFormat) {
  const int bytes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
  for (int minor = 0; minor <= 4; ++minor)
    for (int format = 0; format <= 10; ++format)
      for (const int more : {0, 1, 7}) {
        LasParts parts;
        parts.minor = minor;
        parts.format = format;
        parts.record = bytes[format] + more;
        const Cloud cloud = read(parts);
        EXPECT_EQ(coordinates_of(cloud.points), expected(parts)) << minor << " " << format << " " << more;
        EXPECT_EQ(cloud.points.dimensions, 3);
        EXPECT_FALSE(is_float32(cloud.points));
        EXPECT_TRUE(cloud.warnings.empty());
      }
}

TEST(ReadLas, TheLargestAndSmallestIntegersScalesAndOffsets) {
  LasParts parts;
  parts.points = {{2147483647, -2147483647 - 1, 0}, {1, -1, 2147483646}};
  for (const double scale : {1e-7, 0.001, 1.0, -0.25, 3.0})
    for (const double offset : {0.0, 636000.5, -1e9, 1e-300}) {
      parts.scale = {scale, 2 * scale, scale};
      parts.offset = {offset, -offset, offset};
      EXPECT_EQ(coordinates_of(read(parts).points), expected(parts)) << scale << " " << offset;
    }
}

TEST(ReadLas, RecordsBetweenAndBehindAndALongerHeader) {
  LasParts parts;
  parts.records = std::string(54, 'r') + "LASF and what a record holds";
  EXPECT_EQ(coordinates_of(read(parts).points), expected(parts));
  parts.header = 300;
  EXPECT_EQ(coordinates_of(read(parts).points), expected(parts));
  parts.records += std::string(100'000, 'r');  // more than the head
  EXPECT_EQ(coordinates_of(read(parts).points), expected(parts));
}

TEST(ReadLas, WaveformsAndExtendedRecordsBehindThePointsAreNoWarning) {
  for (const int minor : {3, 4}) {
    LasParts parts{.minor = minor, .tail = "waveforms", .waveforms = 1000};
    EXPECT_TRUE(read(parts).warnings.empty());
  }
  EXPECT_TRUE(read({.minor = 4, .format = 6, .record = 30, .tail = "record", .extended_records = 1}).warnings.empty());
}

TEST(ReadLas, OtherBytesBehindThePointsAreAWarning) {
  for (const int minor : {0, 2, 3, 4}) {
    const Cloud cloud = read({.minor = minor, .tail = "tail"});
    EXPECT_EQ(cloud.points.size(), 2);
    ASSERT_EQ(cloud.warnings.size(), 1u) << minor;
    EXPECT_TRUE(cloud.warnings[0].ends_with("a.las: 4 bytes after the last point are not read")) << cloud.warnings[0];
  }
}

TEST(ReadLas, EitherCountOfVersion14) {
  EXPECT_EQ(read({.minor = 4, .count_32 = 0, .count_64 = 2}).points.size(), 2);
  EXPECT_EQ(read({.minor = 4, .count_32 = 2, .count_64 = 0}).points.size(), 2);
  EXPECT_EQ(read({.minor = 4, .count_32 = 2, .count_64 = 2}).points.size(), 2);
}

TEST(ReadLas, NoPoints) {
  for (const int minor : {0, 2, 4}) EXPECT_EQ(read({.minor = minor, .points = {}}).points.size(), 0) << minor;
}

TEST(ReadLas, ColumnsChooseAmongXYAndZ) {
  const LasParts parts{.points = {{1, 2, 3}}, .scale = {1, 1, 1}, .offset = {0, 0, 0}};
  EXPECT_EQ(coordinates_of(read(parts, {.columns = {"x", "y"}}).points), (std::vector<double>{1, 2}));
  EXPECT_EQ(coordinates_of(read(parts, {.columns = {"3", "1"}}).points), (std::vector<double>{3, 1}));
  EXPECT_EQ(coordinates_of(read(parts, {.columns = {"z", "y", "x"}}).points), (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(refusal("a.las", las(parts), {.columns = {"X", "y"}}),
            "a.las: --columns: no coordinate 'X'; did you mean 'x'? the file has x, y, z");
}

TEST(ReadLas, LargeFilesAreReadTheSameOnAnyNumberOfThreads) {
  constexpr std::size_t per_block = (std::size_t{1} << 20) / 34;
  for (const std::size_t count : {per_block - 1, per_block, per_block + 1, 3 * per_block + 5}) {
    LasParts parts{.format = 3, .record = 34, .points = {}};
    for (std::size_t i = 0; i < count; ++i)
      parts.points.push_back({static_cast<std::int32_t>(i), -static_cast<std::int32_t>(i), 7});
    const std::vector<double> all = expected(parts);
    for (const int threads : {1, 2, 5})
      EXPECT_TRUE(coordinates_of(read(parts, {.threads = threads}).points) == all) << count;
  }
}

class LasRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(LasRefused, SaysWhatIsWrong) { EXPECT_EQ(refusal("a.las", GetParam().bytes), "a.las" + GetParam().expected); }

std::string with_byte(std::string bytes, std::size_t offset, const std::string& value) {
  return bytes.replace(offset, value.size(), value);
}

INSTANTIATE_TEST_SUITE_P(
    All, LasRefused,
    testing::Values(
        BytesCase{"Foreign", "zzz", "@byte 0: not a LAS file (got 'zzz', need 'LASF')"},
        BytesCase{"MagicOnly", "LASF", ": the LAS header needs 227 bytes, file holds 4"},
        BytesCase{"HeaderCut", las().substr(0, 226), ": the LAS header needs 227 bytes, file holds 226"},
        BytesCase{"HeaderOf14Cut", las({.minor = 4}).substr(0, 374),
                  ": the LAS header needs 375 bytes, file holds 374"},
        BytesCase{"Version20", with_byte(las(), 24, "\2"), "@byte 24: unknown LAS version (got 2.2, need 1.0 to 1.4)"},
        BytesCase{"Version15", with_byte(las(), 25, "\5"), "@byte 24: unknown LAS version (got 1.5, need 1.0 to 1.4)"},
        BytesCase{"ShortHeader", with_byte(las(), 94, std::string("\xe2\0", 2)),
                  "@byte 94: header size is too small for LAS 1.2 (got 226, need 227)"},
        BytesCase{"ShortHeaderFor14", with_byte(las({.minor = 4}), 94, std::string("\xe3\0", 2)),
                  "@byte 94: header size is too small for LAS 1.4 (got 227, need 375)"},
        BytesCase{"PointsInHeader", with_byte(las(), 96, std::string("\xe2\0\0\0", 4)),
                  "@byte 96: the points begin within the header (got 226, need 227)"},
        BytesCase{"PointsBehindTheEnd", with_byte(las(), 96, "\xff\xff\xff\xff"),
                  ": the points begin at byte 4294967295, file holds 267"},
        BytesCase{"PointFormat", las({.format = 11, .record = 100}),
                  "@byte 104: unknown point format (got 11, need 0 to 10)"},
        BytesCase{"RecordTooShort", las({.format = 3, .record = 33}),
                  "@byte 105: point record is too short for point format 3 (got 33 bytes, need 34)"},
        BytesCase{"RecordOfNothing", las({.format = 0, .record = 0}).substr(0, 227),
                  "@byte 105: point record is too short for point format 0 (got 0 bytes, need 20)"},
        BytesCase{"ShortByAByte", las().substr(0, 266), ": point count 2 needs 40 bytes, file holds 39"},
        BytesCase{"NoPoints", las().substr(0, 227), ": point count 2 needs 40 bytes, file holds 0"},
        BytesCase{"HugeCount", las({.count_32 = 4294967295}),
                  ": point count 4294967295 needs 85899345900 bytes, file holds 40"},
        BytesCase{"HugeCountOf14", las({.minor = 4, .count_32 = 0, .count_64 = 0x7fffffffffffffff}),
                  ": point count 9223372036854775807 needs 184467440737095516140 bytes, file holds 40"},
        BytesCase{"Contradiction", las({.minor = 4, .count_32 = 2, .count_64 = 1}),
                  "@byte 247: the counts of points contradict each other (got 1, need 2, as at byte 107)"},
        BytesCase{"ScaleOfZero", las({.scale = {1, 0, 1}}), "@byte 139: scale of y must be finite and not 0 (got 0)"},
        BytesCase{"ScaleIsNaN", las({.scale = {1, 1, std::numeric_limits<double>::quiet_NaN()}}),
                  "@byte 147: scale of z must be finite and not 0 (got nan)"},
        BytesCase{"OffsetIsInfinite", las({.offset = {std::numeric_limits<double>::infinity(), 1, 1}}),
                  "@byte 155: offset of x must be finite (got inf)"}),
    CaseName());

TEST(LasRefused, LazIsNamedByContentAndByExtensionWithoutLaszip) {
  if (has_laszip()) GTEST_SKIP() << "this build reads LAZ";
  const std::string way = ": LAZ is not read; convert it: python3 -m venv v && v/bin/pip install 'laspy[lazrs]' && ";
  const std::string laz = las({.format = 128 + 3, .record = 34});
  for (const char* name : {"a.laz", "a.las", "a.xyz", "a"})
    EXPECT_TRUE(refusal(name, laz).starts_with(name + way)) << refusal(name, laz);
  EXPECT_TRUE(refusal("a.las", laz, {PointFormat::las}).starts_with("a.las" + way));
  EXPECT_TRUE(refusal("a.laz", "zzz").starts_with("a.laz" + way));
  EXPECT_TRUE(refusal("a.LAZ", "zzz").starts_with("a.LAZ" + way));
  for (const std::string& bytes : {laz, std::string("zzz")})
    EXPECT_TRUE(refusal("a", bytes, {PointFormat::laz}).starts_with("a" + way.substr(0, 30)));
}

TEST(LasRefused, ALazThatIsNotCompressedIsReadAsLas) {
  const Cloud cloud = read_bytes("a.laz", las());
  EXPECT_EQ(coordinates_of(cloud.points), expected({}));
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_TRUE(cloud.warnings[0].ends_with("/a.laz: read as LAS, as its content says, though its extension says LAZ"))
      << cloud.warnings[0];
}

}  // namespace
}  // namespace kann::formats
