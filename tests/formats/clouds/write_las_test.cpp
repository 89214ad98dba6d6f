// LAS records written as they stand, with attributes as extra bytes: by the bytes of the file that they come from; and
// new LAS files: coordinates, fields, extra bytes and the header. tests/scripts/clouds_test.py reads such files with
// laspy.
#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr int k_record_bytes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

struct Written {
  std::string before, after;
  Cloud cloud;  ///< what was read before
};

Written write_again(const LasParts& parts, const std::vector<Attribute>& attributes) {
  Written out;
  out.before = las(parts);
  out.cloud = read_bytes("a.las", out.before, {.las_records = true});
  out.after = written(CloudFormat::las, out.cloud.points, attributes, out.cloud.las.get());
  return out;
}

LasParts parts_of(int minor, int format, int more = 0) {
  LasParts parts{.minor = minor, .format = format, .record = k_record_bytes[format] + more};
  parts.records = "";
  return parts;
}

/// Adds variable length records, which the parts do not count.
Cloud read_with_vlrs(LasParts parts, const std::string& vlrs, int count) {
  parts.records = vlrs;
  std::string bytes = las(parts);
  bytes.replace(100, 4, bytes_of(count));
  return read_bytes("a.las", bytes, {.las_records = true});
}

TEST(WriteLasRecords, EveryVersionAndFormatKeepsTheBytesOfItsRecords) {
  for (int minor = 0; minor <= 4; ++minor)
    for (int format = 0; format <= 10; ++format) {
      const Written w = write_again(parts_of(minor, format), {attribute("a", Array<float>{0.5, -1})});
      const auto begin = number_at<std::uint32_t>(w.after, 96), old_begin = number_at<std::uint32_t>(w.before, 96);
      const std::size_t record = static_cast<std::size_t>(k_record_bytes[format]);
      ASSERT_EQ(begin, old_begin + 54 + 192);
      ASSERT_EQ(number_at<std::uint16_t>(w.after, 105), record + 4);
      ASSERT_EQ(w.after.size(), begin + 2 * (record + 4));
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(w.after.substr(begin + i * (record + 4), record), w.before.substr(old_begin + i * record, record));
        EXPECT_EQ(number_at<float>(w.after, begin + i * (record + 4) + record), i == 0 ? 0.5f : -1.0f);
      }
      EXPECT_EQ(number_at<std::uint32_t>(w.after, 100), 1u);
      EXPECT_EQ(w.after.substr(24, 2), w.before.substr(24, 2));
      EXPECT_EQ(w.after.substr(131, 48), w.before.substr(131, 48));
      EXPECT_EQ(attributes_of("a.las", w.after, {.attributes = {"a"}}), Lines{"float32 a 0.5 -1"});
      EXPECT_TRUE(read_bytes("a.las", w.after).points.coordinates == w.cloud.points.coordinates);
    }
}

TEST(WriteLasRecords, WithoutAttributesOnlyCountsAndBoundsAreSet) {
  LasParts parts = parts_of(2, 1);
  parts.records = std::string(100, 'v');
  const Written w = write_again(parts, {});
  std::string expected = w.before;
  expected.replace(111, 20, std::string(20, '\0'));            // 'p' & 7 is return 0, which is none
  const double bounds[] = {636001, 635996, 4851005, 4851002};  // x and y, the maximum first; z by its integers
  for (std::size_t i = 0; i < 4; ++i) expected.replace(179 + 8 * i, 8, bytes_of(bounds[i]));
  const volatile double z0 = 2147483647 * 0.001, z1 = 300 * 0.001;
  expected.replace(211, 16, bytes_of(z0 - 100) + bytes_of(z1 - 100));
  EXPECT_TRUE(w.after == expected);
}

TEST(WriteLasRecords, CountsAreThoseOfTheRecordsThatAreLeft) {
  for (const int format : {1, 6}) {
    LasParts parts = parts_of(4, format);
    parts.points = {};
    for (int i = 0; i < 7; ++i) parts.points.push_back({i, 0, 0});
    const std::string bytes = las(parts);
    const Cloud cloud = read_bytes("a.las", bytes, {.las_records = true});
    LasRecords kept = *cloud.las;
    const std::size_t record = kept.record_bytes;
    kept.records.resize(5 * record);
    for (std::size_t i = 0; i < 5; ++i) kept.records[i * record + 14] = static_cast<char>(i == 0 ? 5 : 2);
    Points points{3, Array<double>(15, 0.0)};
    const std::string after = written(CloudFormat::las, points, {}, &kept);
    EXPECT_EQ(read_bytes("b.las", after).points.size(), 5);
    EXPECT_EQ(number_at<std::uint64_t>(after, 247), 5u);
    EXPECT_EQ(number_at<std::uint32_t>(after, 107), format == 1 ? 5u : 0u);
    EXPECT_EQ(number_at<std::uint64_t>(after, 255 + 8), 4u);
    EXPECT_EQ(number_at<std::uint64_t>(after, 255 + 32), 1u);
    EXPECT_EQ(number_at<std::uint32_t>(after, 111 + 4), format == 1 ? 4u : 0u);
    EXPECT_EQ(number_at<double>(after, 179), 4 * 0.01 + 636000);
  }
  const Written none = write_again({.points = {}}, {attribute("a", Array<float>{})});
  EXPECT_EQ(read_bytes("a.las", none.after).points.size(), 0);
}

std::string evlr(const std::string& user, int id, const std::string& content) {
  std::string header(60, '\0');
  header.replace(2, user.size(), user);
  header.replace(18, 2, bytes_of(static_cast<std::uint16_t>(id)));
  header.replace(20, 8, bytes_of(static_cast<std::uint64_t>(content.size())));
  return header + content;
}

/// A file with extended variable length records, of which the header names `count`, from the end of the points on.
std::string with_extended(const LasParts& parts, const std::string& records, std::uint32_t count) {
  LasParts all = parts;
  all.tail = records;
  all.extended_records = count;
  std::string bytes = las(all);
  bytes.replace(235, 8, bytes_of(static_cast<std::uint64_t>(bytes.size() - records.size())));
  return bytes;
}

TEST(WriteLasRecords, ExtendedRecordsFollowThePoints) {
  const std::string crs = evlr("LASF_Projection", 2112, "PROJCS[\"as WKT\"]"),
                    waveforms = evlr("LASF_Spec", 65535, std::string(1000, 'w')), other = evlr("me", 1, "");
  const std::string before = with_extended(parts_of(4, 6), crs + waveforms + other, 3);
  const Cloud cloud = read_bytes("a.las", before, {.las_records = true});
  EXPECT_EQ(cloud.las->extended, crs + other);
  const std::string after =
      written(CloudFormat::las, cloud.points, {attribute("a", Array<float>{1, 2})}, cloud.las.get());
  EXPECT_EQ(number_at<std::uint32_t>(after, 243), 2u);
  const auto begin = number_at<std::uint64_t>(after, 235);
  EXPECT_EQ(begin, number_at<std::uint32_t>(after, 96) + 2 * (30 + 4));
  EXPECT_EQ(after.substr(begin), crs + other);
  EXPECT_TRUE(read_bytes("b.las", after).warnings.empty());
}

TEST(WriteLasRecords, ExtendedRecordsThatAreNotInTheFileAreAWarning) {
  const std::string crs = evlr("LASF_Projection", 2112, "PROJCS");
  const auto warning = [&](const std::string& bytes) {
    const Cloud cloud = read_bytes("a.las", bytes, {.las_records = true});
    return cloud.warnings.empty() ? "" : cloud.warnings[0].substr(cloud.warnings[0].find("a.las"));
  };
  EXPECT_EQ(warning(with_extended(parts_of(4, 6), crs, 1)), "");
  const std::string left_out = " extended variable length records do not lie in the file; they are left out";
  EXPECT_EQ(warning(with_extended(parts_of(4, 6), crs, 3)), "a.las: 2 of 3" + left_out);
  EXPECT_EQ(warning(with_extended(parts_of(4, 6), crs.substr(0, 63), 1)), "a.las: 1 of 1" + left_out);
  std::string huge = crs;
  huge.replace(20, 8, std::string(8, '\xff'));
  EXPECT_EQ(warning(with_extended(parts_of(4, 6), huge, 1)), "a.las: 1 of 1" + left_out);
  std::string early = with_extended(parts_of(4, 6), crs, 1);
  early.replace(235, 8, bytes_of(std::uint64_t{100}));
  EXPECT_EQ(warning(early), "a.las: 1 of 1" + left_out);
}

TEST(WriteLasRecords, AGeographicSystemIsAWarning) {
  const std::string warning =
      "/a.las: its coordinate system has longitude and latitude, which are angles; distances are "
      "those of a plane";
  const auto keys = [](std::vector<std::uint16_t> numbers) {
    std::string bytes;
    for (const std::uint16_t number : numbers) bytes += bytes_of(number);
    return vlr("LASF_Projection", 34735, bytes);
  };
  for (const std::string& record :
       {vlr("LASF_Projection", 2112, "GEOGCS[\"WGS 84\"]"), vlr("LASF_Projection", 2112, "GEOGCRS["),
        keys({1, 1, 0, 2, 1025, 0, 1, 1, 1024, 0, 1, 2})})
    EXPECT_TRUE(read_with_vlrs(parts_of(4, 6), record, 1).warnings.at(0).ends_with(warning)) << record;
  for (const std::string& record :
       {vlr("LASF_Projection", 2112, "PROJCS[\"UTM\",GEOGCS["), vlr("me", 2112, "GEOGCS["),
        keys({1, 1, 0, 1, 1024, 0, 1, 1}), keys({1024, 0, 1, 2}), keys({1, 1, 0, 1, 1024, 34737, 1, 2})})
    EXPECT_TRUE(read_with_vlrs(parts_of(4, 6), record, 1).warnings.empty());
}

TEST(WriteLasRecords, WaveformsThatAreLeftOutAreAWarning) {
  LasParts parts = parts_of(3, 4);
  parts.waveforms = 1000;
  const std::string bytes = las(parts);
  const Cloud cloud = read_bytes("a.las", bytes, {.las_records = true});
  Lines warnings;
  written(CloudFormat::las, cloud.points, {}, cloud.las.get(), &warnings);
  EXPECT_EQ(warnings, Lines{": the waveforms of the points are left out"});
}

TEST(WriteLasRecords, AnExistingDescriptionIsExtended) {
  const std::string other = vlr("LASF_Projection", 2112, "the coordinate system"),
                    described = extra("old", 3) + extra("pair", 11);
  const Cloud cloud = read_with_vlrs(parts_of(4, 6, 4), vlr("LASF_Spec", 4, described) + other, 2);
  const std::string after =
      written(CloudFormat::las, cloud.points,
              {attribute("new", Array<std::int64_t>{-5, 6}), attribute("old", Array<float>{1.5, 2})}, cloud.las.get());
  EXPECT_EQ(number_at<std::uint32_t>(after, 100), 2u);
  EXPECT_EQ(after.substr(375, 54 + 384).substr(54), described);
  EXPECT_EQ(number_at<std::uint16_t>(after, 375 + 20), 4 * 192);
  EXPECT_EQ(after.substr(375 + 22, 5), "title");
  EXPECT_EQ(after.substr(375 + 54 + 4 * 192, other.size()), other);
  EXPECT_EQ(attributes_of("a.las", after, {.attributes = {"old", "new", "old_1"}}),
            (Lines{"uint16 old 28784 28784", "int64 new -5 6", "float32 old_1 1.5 2"}));  // 'pp'
}

/// Fields that hold the values get them, and neither their neighbours in a byte nor other extra bytes change.
TEST(WriteLasRecords, AnAttributeReplacesTheFieldOfItsName) {
  const std::string described = extra("old", 3) + extra("pair", 11);
  const Cloud cloud = read_with_vlrs(parts_of(4, 3, 4), vlr("LASF_Spec", 4, described), 1);
  const std::string before = written(CloudFormat::las, cloud.points, {}, cloud.las.get());
  const std::string after = written(
      CloudFormat::las, cloud.points,
      {attribute("classification", Array<std::int32_t>{31, 0}), attribute("withheld", Array<std::uint8_t>{2, 0}),
       attribute("old", Array<std::uint8_t>{1, 2}), attribute("gps_time", Array<float>{-0.5, 7}),
       attribute("red", Array<std::uint8_t>{1, 255}), attribute("green", Array<std::uint8_t>{0, 2}),
       attribute("blue", Array<std::uint8_t>{3, 4}), attribute("return_number", Array<std::uint8_t>{3, 1})},
      cloud.las.get());
  EXPECT_EQ(attributes_of("a.las", after,
                          {.attributes = {"return_number", "classification", "withheld_1", "old", "gps_time", "red",
                                          "green", "blue"}}),
            (Lines{"uint8 return_number 3 1", "uint8 classification 31 0", "uint8 withheld_1 2 0", "uint16 old 1 2",
                   "float64 gps_time -0.5 7", "uint16 red 257 65535", "uint16 green 0 514", "uint16 blue 771 1028"}));
  for (int number = 1; number <= 5; ++number)  // the header has how many there are of each
    EXPECT_EQ(number_at<std::uint32_t>(after, 111 + 4 * (static_cast<std::size_t>(number) - 1)),
              number == 1 || number == 3);
  const std::vector<std::string> others = {"x",         "y",         "z",        "intensity", "number_of_returns",
                                           "synthetic", "key_point", "withheld", "user_data", "point_source_id"};
  EXPECT_EQ(attributes_of("a.las", after, {.attributes = others}),
            attributes_of("a.las", before, {.attributes = others}));
}

TEST(WriteLasRecords, BytesThatNothingDescribesStayBeforeTheNewOnes) {
  const Cloud cloud = read_with_vlrs(parts_of(2, 0, 300), "", 0);
  const std::string after =
      written(CloudFormat::las, cloud.points, {attribute("a", Array<std::int16_t>{-3, 4})}, cloud.las.get());
  EXPECT_EQ(attributes_of("a.las", after, {.attributes = {"a"}}), Lines{"int16 a -3 4"});
  EXPECT_EQ(number_at<std::uint16_t>(after, 227 + 20), 3 * 192);  // 255 bytes, 45, and the attribute
  EXPECT_EQ(after.substr(227 + 54 + 2, 2), std::string("\0\xff", 2));
  EXPECT_EQ(after.substr(227 + 54 + 192 + 2, 2), std::string("\0\x2d", 2));
}

TEST(WriteLasRecords, NothingFollowsThePoints) {
  LasParts parts = parts_of(4, 4);
  parts.tail = "waveforms and extended records";
  parts.waveforms = 500;
  parts.extended_records = 3;
  const Written w = write_again(parts, {});
  EXPECT_EQ(number_at<std::uint64_t>(w.after, 227), 0u);
  EXPECT_EQ(number_at<std::uint64_t>(w.after, 235), 0u);
  EXPECT_EQ(number_at<std::uint32_t>(w.after, 243), 0u);
  EXPECT_TRUE(read_bytes("a.las", w.after).warnings.empty());
}

std::string records_refusal(const Points& points, const std::vector<Attribute>& attributes, const LasRecords& records) {
  const Outcome got = outcome_as_a_whole(CloudFormat::las, {"records", points, attributes, records});
  EXPECT_EQ(got.kind, ErrorKind::bad_input);
  return "a" + got.error;
}

TEST(WriteLasRecords, WhatDoesNotBelongTogetherIsRefused) {
  const Cloud cloud = read_bytes("a.las", las(), {.las_records = true});
  LasRecords records = *cloud.las;
  records.record_bytes = 10;
  EXPECT_EQ(records_refusal(cloud.points, {}, records),
            "a: 40 bytes of LAS records of 10 bytes each are not those of 2 points");
  records = *cloud.las;
  records.head += "x";
  EXPECT_EQ(records_refusal(cloud.points, {}, records),
            "a: the LAS header is of 227 bytes before records of 20, not of 228 and 20");
  records.head[104] = '\x80';
  EXPECT_EQ(records_refusal(cloud.points, {}, records),
            "a: the LAS header is that of compressed records, which these are not");
  const Attribute a = attribute("a", Array<float>{1, 2});
  const Cloud missing = read_with_vlrs(parts_of(2, 0), "", 1);
  EXPECT_EQ(records_refusal(missing.points, {a}, *missing.las),
            "a: the variable length records of the LAS file do not lie before its points; write ply or cloud-csv");
  const Cloud more = read_with_vlrs(parts_of(2, 0), vlr("LASF_Spec", 4, extra("old", 3)), 1);
  EXPECT_EQ(records_refusal(more.points, {a}, *more.las),
            "a: the LAS file describes records of 22 bytes, they have 20; write ply or cloud-csv");
}

Cloud read_again(const Points& points, const std::vector<Attribute>& attributes, const ReadOptions& options) {
  return read_bytes("a.las", written(CloudFormat::las, points, attributes), options);
}

/// The attributes that are read again, without the fields of LAS that are 0 everywhere or the first of one return.
Lines set_attributes(const Points& points, const std::vector<Attribute>& attributes) {
  Lines lines;
  for (const Attribute& attribute : read_again(points, attributes, {.all_attributes = true}).attributes) {
    bool is_set = false;
    const bool is_return = attribute.name == "return_number" || attribute.name == "number_of_returns";
    for (std::int64_t i = 0; i < attribute.size(); ++i) is_set |= attribute.at(i) != (is_return ? 1 : 0);
    if (is_set) lines.push_back(described(attribute));
  }
  return lines;
}

const Points k_two{3, Array<float>{1, 2, 3, 4, 5, 6}};

TEST(WriteNewLas, CoordinatesAreReadAgain) {
  for (const bool is_float : {false, true})
    for (const int dimensions : {2, 3})
      for (const std::int64_t count : {0, 1, 2, 1000, 10'000}) {
        const Points points = map_points(count, dimensions, is_float);
        const Points read = read_again(points, {}, {}).points;
        ASSERT_EQ(read.size(), count);
        double largest = 0;
        for (std::int64_t i = 0; i < count; ++i)
          for (int axis = 0; axis < 3; ++axis) {
            const double want = axis < dimensions ? points.at(i, axis) : 0;
            const double got = read.at(i, axis);
            if (!is_float || static_cast<float>(got) != static_cast<float>(want))
              largest = std::max(largest, std::abs(want - got));
          }
        // Two decimals of a map are exact up to rounding; floats are exact, or off by half of 1e-7 of their extent,
        // 100.
        EXPECT_LE(largest, is_float ? 0.5001e-7 : 5e-10) << count << dimensions;
      }
}

TEST(WriteNewLas, TheScaleIsTheCoarsestThatGivesTheCoordinatesBack) {
  const auto scale_and_offset = [](AttributeValues x) {
    Points points{2, Array<double>()};
    std::visit(
        [&]<class T>(const Array<T>& values) {
          Array<T> all;
          for (const T value : values) all.insert(all.end(), {value, T(0)});
          if constexpr (std::is_floating_point_v<T>) points.coordinates = all;
        },
        x);
    const std::string file = written(CloudFormat::las, points, {});
    return std::pair(number_at<double>(file, 131), number_at<double>(file, 155));
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(scale_and_offset(Array<double>{636000.12, 636999.5}), Pair(0.001, 636000));
  EXPECT_EQ(scale_and_offset(Array<double>{-0.1234, 7}), Pair(1e-4, -1));
  EXPECT_EQ(scale_and_offset(Array<float>{0.1f, 0.123456f}), Pair(1e-6, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{0.5, 0.123456789012}), Pair(1e-9, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{0, 1e9}), Pair(1, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{0, 3e9}), Pair(10, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{2147483, 0}), Pair(0.001, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{2147484, 0}), Pair(0.01, 0));
  EXPECT_EQ(scale_and_offset(Array<double>{}), Pair(0.001, 0));
}

TEST(WriteNewLas, FieldsOfLasTakeWhatFitsThem) {
  const std::vector<Attribute> attributes = {attribute("intensity", Array<std::int32_t>{0, 65535}),
                                             attribute("return_number", Array<std::uint8_t>{15, 2}),
                                             attribute("number_of_returns", Array<std::uint8_t>{15, 3}),
                                             attribute("scanner_channel", Array<std::uint8_t>{3, 1}),
                                             attribute("withheld", Array<std::uint8_t>{1, 0}),
                                             attribute("edge_of_flight_line", Array<std::uint8_t>{0, 1}),
                                             attribute("classification", Array<std::uint8_t>{255, 6}),
                                             attribute("user_data", Array<std::int16_t>{255, 0}),
                                             attribute("scan_angle", Array<std::int16_t>{-32768, 32767}),
                                             attribute("point_source_id", Array<std::uint16_t>{1, 2}),
                                             attribute("gps_time", Array<double>{0.1, -5})};
  EXPECT_EQ(set_attributes(k_two, attributes),
            (Lines{"uint16 intensity 0 65535", "uint8 return_number 15 2", "uint8 number_of_returns 15 3",
                   "uint8 withheld 1 0", "uint8 scanner_channel 3 1", "uint8 edge_of_flight_line 0 1",
                   "uint8 classification 255 6", "uint8 user_data 255 0", "int16 scan_angle -32768 32767",
                   "uint16 point_source_id 1 2", "float64 gps_time 0.10000000000000001 -5"}));
  const std::string file = written(CloudFormat::las, k_two, attributes);
  EXPECT_EQ(file[104], 6);
  EXPECT_EQ(number_at<std::uint16_t>(file, 105), 30);
  EXPECT_EQ(number_at<std::uint64_t>(file, 247), 2u);
  EXPECT_EQ(number_at<std::uint32_t>(file, 107), 0u);
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_EQ(number_at<std::uint64_t>(file, 255 + 8 * i), i == 1 || i == 14 ? 1u : 0u);
  const double bounds[] = {4, 1, 5, 2, 6, 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(number_at<double>(file, 179 + 8 * i), bounds[i]);
}

TEST(WriteNewLas, WhatDoesNotFitIsExtraBytesOfAnotherName) {
  EXPECT_EQ(
      set_attributes(
          k_two,
          {attribute("intensity", Array<float>{0.5, 1.5}), attribute("Classification", Array<std::int32_t>{256, 0}),
           attribute("return_number", Array<std::int8_t>{-1, 0}), attribute("gps_time", Array<std::int64_t>{1, 2}),
           attribute("withheld", Array<std::uint8_t>{2, 0}), attribute("X", Array<std::uint8_t>{2, 0}),
           attribute("red", Array<std::uint8_t>{2, 0})}),
      (Lines{"float32 intensity_1 0.5 1.5", "int32 Classification 256 0", "int8 return_number_1 -1 0",
             "int64 gps_time_1 1 2", "uint8 withheld_1 2 0", "uint8 X_1 2 0", "uint8 red 2 0"}));
}

TEST(WriteNewLas, ColoursHaveAPointFormat) {
  const auto colours = [](auto red, auto green, auto blue) {
    return std::vector<Attribute>{attribute("red", red), attribute("Green", green), attribute("blue", blue)};
  };
  const std::vector<Attribute> bytes =
      colours(Array<std::uint8_t>{0, 255}, Array<std::uint8_t>{1, 2}, Array<std::uint8_t>{128, 0});
  EXPECT_EQ(set_attributes(k_two, bytes), (Lines{"uint16 red 0 65535", "uint16 green 257 514", "uint16 blue 32896 0"}));
  EXPECT_EQ(written(CloudFormat::las, k_two, bytes)[104], 7);
  EXPECT_EQ(set_attributes(
                k_two, colours(Array<std::uint8_t>{0, 255}, Array<std::uint16_t>{1, 2}, Array<std::int32_t>{65535, 0})),
            (Lines{"uint16 red 0 255", "uint16 green 1 2", "uint16 blue 65535 0"}));
  EXPECT_EQ(set_attributes(
                k_two, colours(Array<std::uint8_t>{0, 255}, Array<std::uint16_t>{1, 2}, Array<std::int32_t>{65536, 0})),
            (Lines{"uint8 red 0 255", "uint16 Green 1 2", "int32 blue 65536 0"}));
}

TEST(WriteNewLas, ExtraBytesOfEveryTypeAndSize) {
  for (const std::int64_t count : {1, 2, 1000, 5000}) {
    const std::vector<Attribute> attributes = attributes_of_every_type(count, false);
    std::vector<std::string> names;
    for (const Attribute& attribute : attributes) names.push_back(attribute.name);
    EXPECT_TRUE(described(read_again(map_points(count), attributes, {.attributes = names}).attributes) ==
                described(attributes))
        << count;
  }
}

TEST(WriteNewLas, NamesHaveAtMost32BytesAndStayApart) {
  const std::string longest(32, 'n');
  std::vector<Attribute> attributes;
  for (const std::string& name : {longest, longest + "a", longest + "b", std::string(31, 'm') + "\xc3\xa9"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1, 2}));
  EXPECT_EQ(set_attributes(k_two, attributes),
            (Lines{"uint8 " + longest + " 1 2", "uint8 " + std::string(30, 'n') + "_1 1 2",
                   "uint8 " + std::string(30, 'n') + "_2 1 2", "uint8 " + std::string(31, 'm') + " 1 2"}));
}

TEST(WriteNewLas, AnAttributeZOfATwoDimensionalCloudIsZ) {
  const Points points{2, Array<float>{1, 2, 3, 4}};
  const Cloud cloud = read_again(points, {attribute("z", Array<double>{0.5, 7})}, {});
  EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{1, 2, 0.5, 3, 4, 7}));
}

TEST(WriteNewLas, WhatItCannotHoldIsRefused) {
  const Points nan{2, Array<float>{1, 2, 3, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_EQ(write_refusal(CloudFormat::las, nan, {}),
            "a: point 1: y is nan, which LAS cannot hold; leave such points out, or write ply or cloud-csv");
  EXPECT_EQ(write_refusal(CloudFormat::las, Points{2, Array<double>{1e308, 0, -1e308, 0}}, {}),
            "a: x from -1e+308 to 1e+308 is more than LAS can hold; write ply or cloud-csv");
  std::vector<Attribute> many;
  for (int i = 0; i < 342; ++i) many.push_back(attribute("a" + std::to_string(i), Array<std::uint8_t>{1, 2}));
  EXPECT_EQ(write_refusal(CloudFormat::las, k_two, many),
            "a: LAS describes at most 341 extra attributes (got 342); write ply");
}

}  // namespace
}  // namespace kann::formats
