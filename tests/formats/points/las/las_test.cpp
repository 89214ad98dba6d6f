// LAS files that are right, in every version and point format, give scale · integer + offset in double, and their
// fields as attributes; others are refused.
#include "formats/las/laz.hpp"
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// The points of LasParts, with the arithmetic of the format written out: a product and a sum, each rounded.
Numbers expected(const LasParts& parts) {
  Numbers all;
  for (const auto& point : parts.points)
    for (std::size_t a = 0; a < 3; ++a) {
      const volatile double product = point[a] * parts.scale[a];
      all.push_back(product + parts.offset[a]);
    }
  return all;
}

constexpr int k_record_bytes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

TEST(ReadLas, GoodFiles) {
  std::vector<GoodFile> files;
  const auto add = [&](const std::string& name, const LasParts& parts) {
    files.push_back({name, las(parts), "", expected(parts)});
  };
  for (int minor = 0; minor <= 4; ++minor)
    for (int format = 0; format <= 10; ++format)
      for (const int more : {0, 1, 7})
        add("Version", {.minor = minor, .format = format, .record = k_record_bytes[format] + more});
  // The largest and smallest integers, scales and offsets
  for (const double scale : {1e-7, 0.001, 1.0, -0.25, 3.0})
    for (const double offset : {0.0, 636000.5, -1e9, 1e-300})
      add("Extremes", {.points = {{2147483647, -2147483647 - 1, 0}, {1, -1, 2147483646}},
                       .scale = {scale, 2 * scale, scale},
                       .offset = {offset, -offset, offset}});
  const std::string records = std::string(54, 'r') + "LASF and what a record holds";
  add("RecordsBetween", {.records = records});
  add("LongerHeader", {.header = 300, .records = records});
  add("MoreThanTheHead", {.header = 300, .records = records + std::string(100'000, 'r')});
  for (const int minor : {3, 4}) add("Waveforms", {.minor = minor, .tail = "waveforms", .waveforms = 1000});
  add("ExtendedRecord", {.minor = 4, .format = 6, .record = 30, .tail = "record", .extended_records = 1});
  add("CountOf64Bits", {.minor = 4, .count_32 = 0, .count_64 = 2});
  add("CountOf32Bits", {.minor = 4, .count_32 = 2, .count_64 = 0});
  add("BothCounts", {.minor = 4, .count_32 = 2, .count_64 = 2});
  for (const int minor : {0, 2, 4}) add("NoPoints", {.minor = minor, .points = {}});
  expect_good({"a.las", "", true}, files);
}

TEST(ReadLas, OtherBytesBehindThePointsAreAWarning) {
  for (const int minor : {0, 2, 3, 4}) {
    const std::string file = las({.minor = minor, .tail = "tail"});
    EXPECT_EQ(points_in("a.las", file), expected({}));
    EXPECT_EQ(warnings_in("a.las", file), Lines{"a.las: 4 bytes after the last point are not read"}) << minor;
  }
}

TEST(ReadLas, ColumnsChooseAmongXYAndZ) {
  const LasParts parts{.points = {{1, 2, 3}}, .scale = {1, 1, 1}, .offset = {0, 0, 0}};
  EXPECT_EQ(points_in("a.las", las(parts), {.columns = {"x", "y"}}), (Numbers{1, 2}));
  EXPECT_EQ(points_in("a.las", las(parts), {.columns = {"3", "1"}}), (Numbers{3, 1}));
  EXPECT_EQ(points_in("a.las", las(parts), {.columns = {"z", "y", "x"}}), (Numbers{3, 2, 1}));
  EXPECT_EQ(refusal("a.las", las(parts), {.columns = {"X", "y"}}),
            "a.las: --columns: no coordinate 'X'; did you mean 'x'? the file has x, y, z");
}

std::string with_byte(std::string bytes, std::size_t offset, const std::string& value) {
  return bytes.replace(offset, value.size(), value);
}

const RefusedFile k_refused_las[] = {
    {"Foreign", "zzz", "@byte 0: not a LAS file (got 'zzz', need 'LASF')"},
    {"MagicOnly", "LASF", ": the LAS header needs 227 bytes, file holds 4"},
    {"HeaderCut", las().substr(0, 226), ": the LAS header needs 227 bytes, file holds 226"},
    {"HeaderOf14Cut", las({.minor = 4}).substr(0, 374), ": the LAS header needs 375 bytes, file holds 374"},
    {"Version20", with_byte(las(), 24, "\2"), "@byte 24: unknown LAS version (got 2.2, need 1.0 to 1.4)"},
    {"Version15", with_byte(las(), 25, "\5"), "@byte 24: unknown LAS version (got 1.5, need 1.0 to 1.4)"},
    {"ShortHeader", with_byte(las(), 94, std::string("\xe2\0", 2)),
     "@byte 94: header size is too small for LAS 1.2 (got 226, need 227)"},
    {"ShortHeaderFor14", with_byte(las({.minor = 4}), 94, std::string("\xe3\0", 2)),
     "@byte 94: header size is too small for LAS 1.4 (got 227, need 375)"},
    {"PointsInHeader", with_byte(las(), 96, std::string("\xe2\0\0\0", 4)),
     "@byte 96: the points begin within the header (got 226, need 227)"},
    {"PointsBehindTheEnd", with_byte(las(), 96, "\xff\xff\xff\xff"),
     ": the points begin at byte 4294967295, file holds 267"},
    {"PointFormat", las({.format = 11, .record = 100}), "@byte 104: unknown point format (got 11, need 0 to 10)"},
    {"RecordTooShort", las({.format = 3, .record = 33}),
     "@byte 105: point record is too short for point format 3 (got 33 bytes, need 34)"},
    {"RecordOfNothing", las({.format = 0, .record = 0}).substr(0, 227),
     "@byte 105: point record is too short for point format 0 (got 0 bytes, need 20)"},
    {"ShortByAByte", las().substr(0, 266), ": point count 2 needs 40 bytes, file holds 39"},
    {"NoPoints", las().substr(0, 227), ": point count 2 needs 40 bytes, file holds 0"},
    {"HugeCount", las({.count_32 = 4294967295}), ": point count 4294967295 needs 85899345900 bytes, file holds 40"},
    {"HugeCountOf14", las({.minor = 4, .count_32 = 0, .count_64 = 0x7fffffffffffffff}),
     ": point count 9223372036854775807 needs 184467440737095516140 bytes, file holds 40"},
    {"Contradiction", las({.minor = 4, .count_32 = 2, .count_64 = 1}),
     "@byte 247: the counts of points contradict each other (got 1, need 2, as at byte 107)"},
    {"ScaleOfZero", las({.scale = {1, 0, 1}}), "@byte 139: scale of y must be finite and not 0 (got 0)"},
    {"ScaleIsNaN", las({.scale = {1, 1, std::numeric_limits<double>::quiet_NaN()}}),
     "@byte 147: scale of z must be finite and not 0 (got nan)"},
    {"OffsetIsInfinite", las({.offset = {std::numeric_limits<double>::infinity(), 1, 1}}),
     "@byte 155: offset of x must be finite (got inf)"},
};

TEST(LasRefused, SaysWhatIsWrong) { expect_refusals("a.las", k_refused_las); }

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
  EXPECT_EQ(points_in("a.laz", las()), expected({}));
  EXPECT_EQ(warnings_in("a.laz", las()),
            Lines{"a.laz: read as LAS, as its content says, though its extension says LAZ"});
}

// Fields of records as attributes, from bytes that are written down by the specification, and records as they stand.

/// A LAS file of one record: x, y and z are 1, 2 and 3 times the scale, then these bytes.
std::string las_of(int format, const std::string& rest, const std::string& vlrs = "", int vlr_count = 0) {
  LasParts parts{.minor = 4, .format = format, .record = 12, .points = {{1, 2, 3}}, .offset = {0, 0, 0}};
  parts.scale = {0.5, 0.25, 2};
  parts.records = vlrs;
  std::string bytes = las(parts) + rest;
  bytes.replace(105, 2, bytes_of(static_cast<std::uint16_t>(12 + rest.size())));
  bytes.replace(100, 4, bytes_of(vlr_count));
  return bytes;
}

// intensity, the byte of returns, that of the class, scan angle, user data, point source.
const std::string k_old = u16s({40000}) + "\xd3\xa6\xf6\x09" + u16s({50000});
const Lines k_old_fields = {
    "uint16 intensity 40000",      "uint8 return_number 3",       "uint8 number_of_returns 2",
    "uint8 scan_direction_flag 1", "uint8 edge_of_flight_line 1", "uint8 classification 6",
    "uint8 synthetic 1",           "uint8 key_point 0",           "uint8 withheld 1",
    "int8 scan_angle_rank -10",    "uint8 user_data 9",           "uint16 point_source_id 50000"};

// The same from format 6 on, with two bytes of returns and flags, a class of 8 bits, and the time.
const std::string k_new =
    u16s({40000}) + "\x7b\xa5\xf6\x09" + bytes_of<std::int16_t>(-30000) + u16s({50000}) + bytes_of(1234.5);
const Lines k_new_fields = {"uint16 intensity 40000",
                            "uint8 return_number 11",
                            "uint8 number_of_returns 7",
                            "uint8 synthetic 1",
                            "uint8 key_point 0",
                            "uint8 withheld 1",
                            "uint8 overlap 0",
                            "uint8 scanner_channel 2",
                            "uint8 scan_direction_flag 0",
                            "uint8 edge_of_flight_line 1",
                            "uint8 classification 246",
                            "uint8 user_data 9",
                            "int16 scan_angle -30000",
                            "uint16 point_source_id 50000",
                            "float64 gps_time 1234.5"};

const std::string k_wave(29, 'w');
const std::string k_rgb = u16s({1, 256, 65535});
const std::string k_time = bytes_of(-0.5);

Lines operator+(Lines all, const Lines& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(LasAttributes, EveryPointFormat) {
  const Lines time = {"float64 gps_time -0.5"}, rgb = {"uint16 red 1", "uint16 green 256", "uint16 blue 65535"};
  const Lines nir = {"uint16 nir 7"};
  const std::pair<std::string, Lines> formats[] = {{k_old, k_old_fields},
                                                   {k_old + k_time, k_old_fields + time},
                                                   {k_old + k_rgb, k_old_fields + rgb},
                                                   {k_old + k_time + k_rgb, k_old_fields + time + rgb},
                                                   {k_old + k_time + k_wave, k_old_fields + time},
                                                   {k_old + k_time + k_rgb + k_wave, k_old_fields + time + rgb},
                                                   {k_new, k_new_fields},
                                                   {k_new + k_rgb, k_new_fields + rgb},
                                                   {k_new + k_rgb + u16s({7}), k_new_fields + rgb + nir},
                                                   {k_new + k_wave, k_new_fields},
                                                   {k_new + k_rgb + u16s({7}) + k_wave, k_new_fields + rgb + nir}};
  for (int format = 0; format <= 10; ++format) {
    const auto& [bytes, fields] = formats[format];
    EXPECT_EQ(all_attributes_of("a.las", las_of(format, bytes)), fields) << format;
    EXPECT_EQ(all_attributes_of("a.las", las_of(format, bytes + "not described")), fields) << format;
  }
}

TEST(LasAttributes, ByNameAndTheCoordinatesScaled) {
  const std::string file = las_of(0, k_old);
  EXPECT_EQ(attributes_of("a.las", file, {.attributes = {"classification", "z", "x"}}),
            (Lines{"uint8 classification 6", "float64 z 6", "float64 x 0.5"}));
  EXPECT_EQ(attributes_of("a.las", file, {.columns = {"x", "y"}, .all_attributes = true}),
            Lines{"float64 z 6"} + k_old_fields);
  EXPECT_EQ(refusal("a.las", file, {.attributes = {"intenstiy"}}),
            "a.las: no field 'intenstiy' (it has x, y, z, intensity, return_number, number_of_returns, "
            "scan_direction_flag, edge_of_flight_line, classification, synthetic, key_point, withheld and 3 more); did "
            "you mean 'intensity'?");
}

TEST(LasAttributes, ExtraBytesOfEveryType) {
  const std::string described = extra("a", 1) + extra("b", 2) + extra("c", 3) + extra("d", 4) + extra("e", 5) +
                                extra("f", 6) + extra("g", 7) + extra("h", 8) + extra("i", 9) + extra("j", 10) +
                                extra("pair", 13) + extra("raw", 0, 5) + extra(std::string(32, 'n'), 1);
  const std::string bytes = "\xff\x80" + u16s({65535}) + bytes_of<std::int16_t>(-32768) + bytes_of(4294967295u) +
                            bytes_of(-5) + bytes_of<std::uint64_t>(18446744073709551615u) + bytes_of<std::int64_t>(-6) +
                            bytes_of(0.25f) + bytes_of(0.125) + u16s({1, 2}) + "12345" + "\7";
  const std::string file = las_of(0, k_old + bytes, vlr("other", 4, "zzz") + vlr("LASF_Spec", 4, described), 2);
  EXPECT_EQ(all_attributes_of("a.las", file),
            (k_old_fields + Lines{"uint8 a 255", "int8 b -128", "uint16 c 65535", "int16 d -32768",
                                  "uint32 e 4294967295", "int32 f -5", "uint64 g 18446744073709551615", "int64 h -6",
                                  "float32 i 0.25", "float64 j 0.125", "uint8 " + std::string(32, 'n') + " 7"}));
  EXPECT_EQ(warnings_in("a.las", file, {.all_attributes = true}),
            Lines{"a.las: left out of the attributes: 'pair' has several values per point, 'raw' has no type"});
}

TEST(LasAttributes, ExtraBytesWithAScaleOrAnOffsetAreDoubles) {
  const std::string described = extra("both", 4, 8 | 16, 0.5, 100) + extra("scale", 3, 8, 0.25, 100) +
                                extra("offset", 2, 16, 9, -1) + extra("real", 9, 8, 3);
  const std::string bytes = bytes_of<std::int16_t>(-3) + u16s({6}) + "\5" + bytes_of(1.5f);
  EXPECT_EQ(attributes_of("a.las", las_of(6, k_new + bytes, vlr("LASF_Spec", 4, described), 1),
                          {.attributes = {"both", "scale", "offset", "real"}}),
            (Lines{"float64 both 98.5", "float64 scale 1.5", "float64 offset 4", "float64 real 4.5"}));
}

TEST(LasAttributes, DescriptionsOfMoreThanThereIsAreNotFollowed) {
  const std::string described = extra("a", 1) + extra("b", 10) + extra("c", 1);
  const auto read = [&](const std::string& vlrs, int count) {
    return all_attributes_of("a.las", las_of(0, k_old + "\1\2\3", vlrs, count));
  };
  const Lines first = k_old_fields + Lines{"uint8 a 1"};
  EXPECT_EQ(read(vlr("LASF_Spec", 4, described), 1), first);
  EXPECT_EQ(read(vlr("LASF_Spec", 4, described), 0), k_old_fields);  // not a record, as the header says
  EXPECT_EQ(read(vlr("LASF_Spec", 4, described).substr(0, 100), 1), k_old_fields);
  EXPECT_EQ(read(vlr("LASF_Spec", 4, described.substr(0, 200)), 1000), first);
  EXPECT_EQ(read(vlr("LASF_Spec", 4, extra("nothing", 99) + described), 1), k_old_fields);
}

TEST(LasAttributes, OfVariableLengthRecordsBeyondTheHead) {
  std::string vlrs;
  for (int i = 0; i < 5; ++i) vlrs += vlr("other", i, std::string(60'000, 'x'));
  EXPECT_EQ(all_attributes_of("a.las", las_of(0, k_old + "\5", vlrs + vlr("LASF_Spec", 4, extra("a", 1)), 6)),
            k_old_fields + Lines{"uint8 a 5"});
}

TEST(LasRecordsAsTheyStand, AreTheBytesOfTheFile) {
  constexpr std::size_t per_block = (std::size_t{1} << 20) / 34;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, per_block + 1, 2 * per_block + 5}) {
    LasParts parts{.format = 3, .record = 34, .points = {}, .records = std::string(70'000, 'v'), .tail = "the tail"};
    for (std::size_t i = 0; i < count; ++i) parts.points.push_back({static_cast<std::int32_t>(i), 1, 2});
    const std::string bytes = las(parts);
    for (const int threads : {1, 3}) {
      const Cloud cloud = read_bytes("a.las", bytes, {.las_records = true, .threads = threads});
      ASSERT_NE(cloud.las, nullptr);
      EXPECT_EQ(cloud.las->record_bytes, 34u);
      EXPECT_TRUE(cloud.las->head == bytes.substr(0, 227 + 70'000));
      EXPECT_TRUE(std::string(cloud.las->records.begin(), cloud.las->records.end()) ==
                  bytes.substr(227 + 70'000, 34 * count));
      EXPECT_TRUE(cloud.attributes.empty());
    }
  }
  EXPECT_EQ(read_bytes("a.xyz", "1 2 3\n", {.las_records = true}).las, nullptr);
}

}  // namespace
}  // namespace kann::formats
