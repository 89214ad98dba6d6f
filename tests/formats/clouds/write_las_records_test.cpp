// LAS records written as they stand, with attributes as extra bytes: by the bytes of the file that they come from.
#include "formats/clouds/clouds_support.hpp"
#include "formats/points/las/las_support.hpp"

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
      const auto begin = at<std::uint32_t>(w.after, 96), old_begin = at<std::uint32_t>(w.before, 96);
      const std::size_t record = static_cast<std::size_t>(k_record_bytes[format]);
      ASSERT_EQ(begin, old_begin + 54 + 192);
      ASSERT_EQ(at<std::uint16_t>(w.after, 105), record + 4);
      ASSERT_EQ(w.after.size(), begin + 2 * (record + 4));
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(w.after.substr(begin + i * (record + 4), record), w.before.substr(old_begin + i * record, record));
        EXPECT_EQ(at<float>(w.after, begin + i * (record + 4) + record), i == 0 ? 0.5f : -1.0f);
      }
      EXPECT_EQ(at<std::uint32_t>(w.after, 100), 1u);
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
    EXPECT_EQ(at<std::uint64_t>(after, 247), 5u);
    EXPECT_EQ(at<std::uint32_t>(after, 107), format == 1 ? 5u : 0u);
    EXPECT_EQ(at<std::uint64_t>(after, 255 + 8), 4u);
    EXPECT_EQ(at<std::uint64_t>(after, 255 + 32), 1u);
    EXPECT_EQ(at<std::uint32_t>(after, 111 + 4), format == 1 ? 4u : 0u);
    EXPECT_EQ(at<double>(after, 179), 4 * 0.01 + 636000);
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
  EXPECT_EQ(at<std::uint32_t>(after, 243), 2u);
  const auto begin = at<std::uint64_t>(after, 235);
  EXPECT_EQ(begin, at<std::uint32_t>(after, 96) + 2 * (30 + 4));
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
  std::vector<std::string> warnings;
  written(CloudFormat::las, cloud.points, {}, cloud.las.get(), &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].ends_with(": the waveforms of the points are left out")) << warnings[0];
}

TEST(WriteLasRecords, AnExistingDescriptionIsExtended) {
  const std::string other = vlr("LASF_Projection", 2112, "the coordinate system"),
                    described = extra("old", 3) + extra("pair", 11);
  const Cloud cloud = read_with_vlrs(parts_of(4, 6, 4), vlr("LASF_Spec", 4, described) + other, 2);
  const std::string after =
      written(CloudFormat::las, cloud.points,
              {attribute("new", Array<std::int64_t>{-5, 6}), attribute("old", Array<float>{1.5, 2})}, cloud.las.get());
  EXPECT_EQ(at<std::uint32_t>(after, 100), 2u);
  EXPECT_EQ(after.substr(375, 54 + 384).substr(54), described);
  EXPECT_EQ(at<std::uint16_t>(after, 375 + 20), 4 * 192);
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
    EXPECT_EQ(at<std::uint32_t>(after, 111 + 4 * (static_cast<std::size_t>(number) - 1)), number == 1 || number == 3);
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
  EXPECT_EQ(at<std::uint16_t>(after, 227 + 20), 3 * 192);  // 255 bytes, 45, and the attribute
  EXPECT_EQ(after.substr(227 + 54 + 2, 2), std::string("\0\xff", 2));
  EXPECT_EQ(after.substr(227 + 54 + 192 + 2, 2), std::string("\0\x2d", 2));
}

TEST(WriteLasRecords, NothingFollowsThePoints) {
  LasParts parts = parts_of(4, 4);
  parts.tail = "waveforms and extended records";
  parts.waveforms = 500;
  parts.extended_records = 3;
  const Written w = write_again(parts, {});
  EXPECT_EQ(at<std::uint64_t>(w.after, 227), 0u);
  EXPECT_EQ(at<std::uint64_t>(w.after, 235), 0u);
  EXPECT_EQ(at<std::uint32_t>(w.after, 243), 0u);
  EXPECT_TRUE(read_bytes("a.las", w.after).warnings.empty());
}

TEST(WriteLasRecords, WhatDoesNotBelongTogetherIsRefused) {
  const Cloud cloud = read_bytes("a.las", las(), {.las_records = true});
  LasRecords records = *cloud.las;
  records.record_bytes = 10;
  EXPECT_EQ(write_refusal(CloudFormat::las, cloud.points, {}, &records),
            "a: 40 bytes of LAS records of 10 bytes each are not those of 2 points");
  records = *cloud.las;
  records.head += "x";
  EXPECT_EQ(write_refusal(CloudFormat::las, cloud.points, {}, &records),
            "a: the LAS header is of 227 bytes before records of 20, not of 228 and 20");
  records.head[104] = '\x80';
  EXPECT_EQ(write_refusal(CloudFormat::las, cloud.points, {}, &records),
            "a: the LAS header is that of compressed records, which these are not");
  const Attribute a = attribute("a", Array<float>{1, 2});
  const Cloud missing = read_with_vlrs(parts_of(2, 0), "", 1);
  EXPECT_EQ(write_refusal(CloudFormat::las, missing.points, {a}, missing.las.get()),
            "a: the variable length records of the LAS file do not lie before its points; write ply or cloud-csv");
  const Cloud more = read_with_vlrs(parts_of(2, 0), vlr("LASF_Spec", 4, extra("old", 3)), 1);
  EXPECT_EQ(write_refusal(CloudFormat::las, more.points, {a}, more.las.get()),
            "a: the LAS file describes records of 22 bytes, they have 20; write ply or cloud-csv");
}

}  // namespace
}  // namespace kann::formats
