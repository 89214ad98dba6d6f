// Clouds written as new LAS files: coordinates, fields, extra bytes and the header, read again by our reader and by its
// bytes. tests/scripts/clouds_test.py reads such files with laspy.
#include <set>

#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
    return std::pair(at<double>(file, 131), at<double>(file, 155));
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
  EXPECT_EQ(at<std::uint16_t>(file, 105), 30);
  EXPECT_EQ(at<std::uint64_t>(file, 247), 2u);
  EXPECT_EQ(at<std::uint32_t>(file, 107), 0u);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(at<std::uint64_t>(file, 255 + 8 * i), i == 1 || i == 14 ? 1u : 0u);
  const double bounds[] = {4, 1, 5, 2, 6, 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(at<double>(file, 179 + 8 * i), bounds[i]);
}

TEST(WriteNewLas, WhatDoesNotFitIsExtraBytesOfAnotherName) {
  EXPECT_EQ(set_attributes(
                k_two,
                {attribute("intensity", Array<float>{0.5, 1.5}), attribute("Classification", Array<std::int32_t>{256, 0}),
                 attribute("return_number", Array<std::int8_t>{-1, 0}),
                 attribute("gps_time", Array<std::int64_t>{1, 2}), attribute("withheld", Array<std::uint8_t>{2, 0}),
                 attribute("X", Array<std::uint8_t>{2, 0}), attribute("red", Array<std::uint8_t>{2, 0})}),
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
