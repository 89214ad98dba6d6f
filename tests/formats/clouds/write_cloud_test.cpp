// CloudFile: the names of its formats, what it checks, and that it is complete or absent; the bytes and text of small
// PLY and CSV, and every type and size read again.
#include "formats/clouds/clouds_support.hpp"
#include "formats/las/laz.hpp"

namespace kann::formats {

using namespace test;

namespace {

const CloudFormat k_all[] = {CloudFormat::ply, CloudFormat::las, CloudFormat::csv};

TEST(CloudFormats, HaveNames) {
  EXPECT_EQ(cloud_format("ply"), CloudFormat::ply);
  EXPECT_EQ(cloud_format("LAS"), CloudFormat::las);
  EXPECT_EQ(cloud_format("laz"), CloudFormat::laz);
  EXPECT_EQ(cloud_format("Cloud-CSV"), CloudFormat::csv);
  for (const char* const name : {"csv", "", "plyx", "npy"}) EXPECT_EQ(cloud_format(name), std::nullopt) << name;
}

TEST(CloudFiles, AreAbsentUntilTheyAreCommitted) {
  for (const CloudFormat format : k_all) {
    const TemporaryFolder folder;
    put_contents(folder.file("a"), "old");
    {
      CloudFile file(folder.file("a"), format, true);
      file.write(map_points(3), {});
      EXPECT_EQ(contents(folder.file("a")), "old");
    }
    EXPECT_EQ(contents(folder.file("a")), "old");
    EXPECT_EQ(folder.names(), Lines{"a"});
    CloudFile file(folder.file("b"), format, false);
    file.write(map_points(3), {});
    CloudFile moved = std::move(file);
    moved.commit();
    EXPECT_EQ(folder.names(), (Lines{"a", "b"}));
  }
}

TEST(CloudFiles, InLazNeedLaszip) {
  if (has_laszip()) GTEST_SKIP() << "this build writes LAZ";
  const TemporaryFolder folder;
  EXPECT_EQ(failure_of([&] { CloudFile(folder.file("a.laz"), CloudFormat::laz, false); }),
            "2: " + folder.file("a.laz") + ": LAZ is not written, as this build has no LASzip; write las");
  EXPECT_TRUE(folder.names().empty());
}

TEST(CloudFiles, ThatExistAreNotReplacedUnasked) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), "old");
  EXPECT_TRUE(failure_of([&] { CloudFile(folder.file("a"), CloudFormat::ply, false); }).starts_with("2: "));
}

TEST(CloudFiles, AreWrittenOnceAndThenCommitted) {
  const TemporaryFolder folder;
  CloudFile file(folder.file("a"), CloudFormat::csv, false);
  EXPECT_TRUE(failure_of([&] { file.commit(); }).starts_with("70: "));
  file.write(map_points(3), {});
  EXPECT_TRUE(failure_of([&] { file.write(map_points(3), {}); }).starts_with("70: "));
}

TEST(CloudFiles, NeedAValuePerPoint) {
  for (const CloudFormat format : k_all)
    EXPECT_EQ(outcome_as_a_whole(format, {"few", map_points(3), {attribute("a", Array<float>{1, 2})}}).error,
              ": attribute 'a' has 2 values for 3 points");
}

/// Whether a value was written and read again; as digits, a float32 is read as the float64 of them.
bool is_same(double got, double want, bool is_narrow) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) && !std::signbit(got);
  const bool is_equal = is_narrow ? static_cast<float>(got) == static_cast<float>(want) : got == want;
  return is_equal && std::signbit(got) == std::signbit(want);
}

TEST(WriteCloud, EveryValueIsReadAgain) {
  for (const bool is_float : {false, true})
    for (const int dimensions : {2, 3})
      for (const std::int64_t count : {0, 1, 2, 1000, 5000, 20'000}) {
        const Points points = map_points(count, dimensions, is_float);
        const std::vector<Attribute> attributes = attributes_of_every_type(count, true);
        const ReadOptions all{.all_attributes = true};
        const Cloud ply = read_bytes("a.ply", written(CloudFormat::ply, points, attributes), all);
        EXPECT_TRUE(ply.points.coordinates == points.coordinates) << count;
        EXPECT_EQ(ply.points.dimensions, dimensions);
        EXPECT_TRUE(described(ply.attributes) == described(attributes)) << count;
        EXPECT_EQ(ply.warnings, Lines{});

        const Cloud csv = read_bytes("a.csv", written(CloudFormat::csv, points, attributes), all);
        ASSERT_EQ(csv.points.size(), count);
        EXPECT_EQ(csv.points.dimensions, dimensions);
        for (std::int64_t i = 0; i < count; ++i)
          for (int axis = 0; axis < dimensions; ++axis)
            ASSERT_TRUE(is_same(csv.points.at(i, axis), points.at(i, axis), is_float)) << i;
        ASSERT_EQ(csv.attributes.size(), attributes.size());
        for (std::size_t a = 0; a < attributes.size(); ++a)
          for (std::int64_t i = 0; i < count; ++i)
            ASSERT_TRUE(is_same(csv.attributes[a].at(i), attributes[a].at(i), attributes[a].name == "float32"))
                << attributes[a].name << " " << i;
        for (std::size_t a = 0; count > 0 && a < 5; ++a)  // what int32 holds
          EXPECT_EQ(type_of(csv.attributes[a]), "int32");
      }
}

TEST(WritePlyCloud, TheBytes) {
  const Points points{3, Array<float>{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(written(CloudFormat::ply, points,
                    {attribute("label", Array<std::uint8_t>{7, 8}), attribute("a b", Array<double>{0.5, -0.5})}),
            "ply\nformat binary_little_endian 1.0\nelement vertex 2\n" + k_xyz +
                "property uchar label\nproperty double a_b\nend_header\n" + bytes_of_all<float>({1, 2, 3}) + "\7" +
                bytes_of(0.5) + bytes_of_all<float>({4, 5, 6}) + "\b" + bytes_of(-0.5));
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
  std::vector<Attribute> attributes;
  for (const char* const name : {"x", "a b", "a b", "z"}) attributes.push_back(attribute(name, Array<float>{1}));
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::csv}) {
    const std::string has_its_name = ": a coordinate or an attribute before it has its name";
    Lines expected = {": attribute 'x' is called 'x_1'" + has_its_name}, warnings;
    if (format == CloudFormat::ply)
      expected.push_back(": attribute 'a b' is called 'a_b': names in this format have letters and no blanks");
    expected.push_back(": attribute 'a b' is called " +
                       std::string(format == CloudFormat::ply ? "'a_b_1'" : "'a b_1'") + has_its_name);
    written(format, Points{2, Array<float>{1, 2}}, attributes, nullptr, &warnings);
    EXPECT_EQ(warnings, expected);
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

TEST(WriteCsvCloud, TheText) {
  const Points points{3, Array<float>{0.1f, 2, -3, 4e20f, 5e-20f, 6}};
  EXPECT_EQ(written(CloudFormat::csv, points,
                    {attribute("label", Array<std::uint8_t>{7, 255}),
                     attribute("id", Array<std::int64_t>{-9007199254740993, 1}),
                     attribute("real", Array<double>{0.1, -std::numeric_limits<double>::quiet_NaN()})}),
            "x,y,z,label,id,real\n0.1,2,-3,7,-9007199254740993,0.1\n4e+20,5e-20,6,255,1,nan\n");
  EXPECT_EQ(written(CloudFormat::csv, Points{2, Array<double>{0.1, 1e300}}, {}), "x,y\n0.1,1e+300\n");
  EXPECT_EQ(written(CloudFormat::csv, Points{2, Array<double>{}}, {}), "x,y\n");
}

TEST(WriteCsvCloud, TextIsReadAgain) {
  const std::string file =
      "x,y,z,kind\n1,2,3,\" a\"\n1,2,3,\"b, \"\"c\"\"\"\n1,2,3,\n1,2,3,007\n1,2,3,\"#d\"\n1,2,3,\"//\"\n1,2,3,e;f g#\n";
  const auto again = [](std::string bytes) {
    const Cloud cloud = read_bytes("a.csv", bytes, {.all_attributes = true, .texts = true});
    EXPECT_EQ(described(cloud.attributes), Lines{"text kind [ a] [b, \"c\"] [] [007] [#d] [//] [e;f g#]"});
    return written(CloudFormat::csv, cloud.points, cloud.attributes);
  };
  const std::string written_once = again(file);
  EXPECT_EQ(again(written_once), written_once);
  EXPECT_NE(written_once.find("1,2,3,\"b, \"\"c\"\"\"\n1,2,3,\n1,2,3,007\n"), std::string::npos) << written_once;
}

TEST(WriteCsvCloud, OtherFormatsHaveNoText) {
  Texts texts;
  Attribute kind = attribute("kind", Array<std::int64_t>{texts.add("oak", 0)});
  kind.texts = std::make_shared<const Texts>(texts);
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::las})
    EXPECT_EQ(write_refusal(format, Points{2, Array<float>{1, 2}}, {kind}),
              "a: attribute 'kind' is text, which only CSV holds");
}

TEST(WriteCsvCloud, NamesAreQuotedAndNoNumbers) {
  std::vector<Attribute> attributes;
  for (const char* const name : {"a,b", "say \"a\"", "two words", "4", "nan", "NULL", "", "x", "a\nb", "#"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1}));
  const std::string file = written(CloudFormat::csv, Points{3, Array<float>{1, 2, 3}}, attributes);
  EXPECT_EQ(file,
            "x,y,z,\"a,b\",\"say \"\"a\"\"\",\"two words\",column_4,column_nan,column_NULL,column_,x_1,\"a b\",\"#\"\n"
            "1,2,3,1,1,1,1,1,1,1,1,1,1\n");
  EXPECT_EQ(all_attributes_of("a.csv", file),
            (Lines{"int32 a,b 1", "int32 say \"a\" 1", "int32 two words 1", "int32 column_4 1", "int32 column_nan 1",
                   "int32 column_NULL 1", "int32 column_ 1", "int32 x_1 1", "int32 a b 1", "int32 # 1"}));
}

/// As in PLY and LAS.
TEST(WriteCsvCloud, SaysWhichNamesItChanges) {
  std::vector<Attribute> attributes;
  for (const char* const name : {"", "5", "a\nb", "column_5", "x", "fine"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1}));
  Lines warnings;
  const std::string file = written(CloudFormat::csv, Points{2, Array<float>{1, 2}}, attributes, nullptr, &warnings);
  EXPECT_EQ(file, "x,y,column_,column_5,\"a b\",column_5_1,x_1,fine\n1,2,1,1,1,1,1,1\n");
  const std::string is_changed = ": names in this format are on one line, and are no numbers";
  const std::string is_taken = ": a coordinate or an attribute before it has its name";
  EXPECT_EQ(warnings, (Lines{": attribute '' is called 'column_'" + is_changed,
                             ": attribute '5' is called 'column_5'" + is_changed,
                             ": attribute 'a\\x0ab' is called 'a b'" + is_changed,
                             ": attribute 'column_5' is called 'column_5_1'" + is_taken,
                             ": attribute 'x' is called 'x_1'" + is_taken}));
}

}  // namespace
}  // namespace kann::formats
