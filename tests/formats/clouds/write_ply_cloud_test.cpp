// Clouds written as PLY: the bytes of small ones, and every type and size read again.
#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

TEST(WritePlyCloud, TheBytes) {
  const Points points{3, Array<float>{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(written(CloudFormat::ply, points,
                    {attribute("label", Array<std::uint8_t>{7, 8}), attribute("a b", Array<double>{0.5, -0.5})}),
            "ply\nformat binary_little_endian 1.0\nelement vertex 2\n" + k_xyz +
                "property uchar label\nproperty double a_b\nend_header\n" + bytes_of_all<float>({1, 2, 3}) + "\7" +
                bytes_of(0.5) + bytes_of_all<float>({4, 5, 6}) + "\b" + bytes_of(-0.5));
}

TEST(WritePlyCloud, EveryTypeIsReadAgain) {
  for (const bool is_float : {false, true})
    for (const int dimensions : {2, 3})
      for (const std::int64_t count : {0, 1, 2, 1000, 20'000}) {
        const Points points = map_points(count, dimensions, is_float);
        const std::vector<Attribute> attributes = attributes_of_every_type(count, true);
        const Cloud cloud =
            read_bytes("a.ply", written(CloudFormat::ply, points, attributes), {.all_attributes = true});
        EXPECT_TRUE(cloud.points.coordinates == points.coordinates) << count;
        EXPECT_EQ(cloud.points.dimensions, dimensions);
        EXPECT_TRUE(described(cloud.attributes) == described(attributes)) << count;
        EXPECT_TRUE(cloud.warnings.empty());
      }
}

TEST(WritePlyCloud, CoordinatesThatAreNotFiniteStay) {
  const Points points{
      2, Array<float>{1, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 2}};
  const Points read = read_bytes("a.ply", written(CloudFormat::ply, points, {})).points;
  EXPECT_TRUE(std::isnan(read.at(0, 1)) && std::isinf(read.at(1, 0)));
}

TEST(WritePlyCloud, OfTwoDimensionsHasAZForViewers) {
  const Points points{2, Array<float>{1, 2}};
  EXPECT_EQ(written(CloudFormat::ply, points, {}),
            "ply\nformat binary_little_endian 1.0\ncomment dimensions 2\nelement vertex 1\n" + k_xyz + "end_header\n" +
                bytes_of_all<float>({1, 2, 0}));
  EXPECT_EQ(
      written(CloudFormat::ply, points, {attribute("a", Array<std::int8_t>{1}), attribute("z", Array<double>{3})}),
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property char a\nproperty double z\nend_header\n" +
          bytes_of_all<float>({1, 2}) + "\1" + bytes_of(3.0));
}

TEST(WritePlyCloud, SixtyFourBitsBecomeWhatHoldsThem) {
  const Points points{3, Array<float>{1, 2, 3, 4, 5, 6}};
  const auto type = [&](AttributeValues values) {
    const std::string file = written(CloudFormat::ply, points, {attribute("a", std::move(values))});
    return described(read_bytes("a.ply", file, {.all_attributes = true}).attributes).at(0);
  };
  EXPECT_EQ(type(Array<std::int64_t>{-2147483648, 2147483647}), "int32 a -2147483648 2147483647");
  EXPECT_EQ(type(Array<std::uint64_t>{0, 2147483647}), "int32 a 0 2147483647");
  EXPECT_EQ(type(Array<std::int64_t>{0, 4294967295}), "uint32 a 0 4294967295");
  EXPECT_EQ(type(Array<std::int64_t>{-1, 4294967295}), "float64 a -1 4294967295");
  EXPECT_EQ(type(Array<std::uint64_t>{0, 9007199254740992}), "float64 a 0 9007199254740992");
  EXPECT_EQ(write_refusal(CloudFormat::ply, points, {attribute("id", Array<std::uint64_t>{0, 9007199254740993})}),
            "a: attribute 'id' has 9007199254740993, which no type of PLY holds; write las or cloud-csv");
  EXPECT_EQ(write_refusal(CloudFormat::ply, points, {attribute("id", Array<std::int64_t>{-9007199254740993, 0})}),
            "a: attribute 'id' has -9007199254740993, which no type of PLY holds; write las or cloud-csv");
}

TEST(WriteCloud, SaysWhichNamesAreTaken) {
  const Points points{2, Array<float>{1, 2}};
  const std::vector<Attribute> attributes = {attribute("x", Array<float>{1}), attribute("a b", Array<float>{1}),
                                             attribute("a b", Array<float>{1}), attribute("z", Array<float>{1})};
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::csv}) {
    const TemporaryFolder folder;
    CloudFile file(folder.file("a"), format, false);
    const std::string begin = folder.file("a") + ": attribute ";
    const std::string has_its_name = ": a coordinate or an attribute before it has its name";
    Lines expected = {begin + "'x' is called 'x_1'" + has_its_name};
    if (format == CloudFormat::ply)
      expected.push_back(begin + "'a b' is called 'a_b': names in this format have letters and no blanks");
    expected.push_back(begin + "'a b' is called " + (format == CloudFormat::ply ? "'a_b_1'" : "'a b_1'") +
                       has_its_name);
    EXPECT_EQ(file.write(points, attributes), expected);
  }
}

TEST(WritePlyCloud, NamesAreMadeUnique) {
  const Points points{3, Array<float>{1, 2, 3}};
  std::vector<Attribute> attributes;
  for (const char* const name : {"x", "a", "a", "", "b\tc\n", "a_1", "\xc3\xa9"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1}));
  EXPECT_EQ(all_attributes_of("a.ply", written(CloudFormat::ply, points, attributes)),
            (Lines{"uint8 x_1 1", "uint8 a 1", "uint8 a_1 1", "uint8 attribute 1", "uint8 b_c_ 1", "uint8 a_1_1 1",
                   "uint8 \xc3\xa9 1"}));
}

}  // namespace
}  // namespace kann::formats
