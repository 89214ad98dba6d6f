// Clouds written as CSV: the text of small ones, and every value read again.
#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

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

TEST(WriteCsvCloud, EveryValueIsReadAgain) {
  for (const bool is_float : {false, true})
    for (const int dimensions : {2, 3})
      for (const std::int64_t count : {0, 1, 2, 1000, 5000}) {
        const Points points = map_points(count, dimensions, is_float);
        const std::vector<Attribute> attributes = attributes_of_every_type(count, true);
        const Cloud cloud =
            read_bytes("a.csv", written(CloudFormat::csv, points, attributes), {.all_attributes = true});
        ASSERT_EQ(cloud.points.size(), count);
        EXPECT_EQ(cloud.points.dimensions, dimensions);
        for (std::int64_t i = 0; i < count; ++i)
          for (int axis = 0; axis < dimensions; ++axis) {
            const double got = cloud.points.at(i, axis), want = points.at(i, axis);
            ASSERT_TRUE(is_float ? static_cast<float>(got) == static_cast<float>(want) : got == want);
          }
        ASSERT_EQ(cloud.attributes.size(), attributes.size());
        for (std::size_t a = 0; a < attributes.size(); ++a)
          for (std::int64_t i = 0; i < count; ++i) {
            const double got = cloud.attributes[a].at(i), want = attributes[a].at(i);
            const bool is_narrow = attributes[a].name == "float32";
            ASSERT_TRUE((std::isnan(got) && std::isnan(want)) || got == want ||
                        (is_narrow && static_cast<float>(got) == static_cast<float>(want)))
                << attributes[a].name << " " << got << " " << want;
            ASSERT_EQ(std::signbit(got), std::signbit(want) && !std::isnan(want)) << attributes[a].name;
          }
        for (std::size_t a = 0; count > 0 && a < 5; ++a)  // what int32 holds
          EXPECT_EQ(type_of(cloud.attributes[a]), "int32");
      }
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
  for (const char* const name : {"a,b", "say \"a\"", "two words", "4", "nan", "", "x", "a\nb", "#"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1}));
  const std::string file = written(CloudFormat::csv, Points{3, Array<float>{1, 2, 3}}, attributes);
  EXPECT_EQ(file,
            "x,y,z,\"a,b\",\"say \"\"a\"\"\",\"two words\",column_4,column_nan,column_,x_1,\"a b\",\"#\"\n"
            "1,2,3,1,1,1,1,1,1,1,1,1\n");
  EXPECT_EQ(all_attributes_of("a.csv", file),
            (Lines{"int32 a,b 1", "int32 say \"a\" 1", "int32 two words 1", "int32 column_4 1", "int32 column_nan 1",
                   "int32 column_ 1", "int32 x_1 1", "int32 a b 1", "int32 # 1"}));
}

/// As in PLY and LAS.
TEST(WriteCsvCloud, SaysWhichNamesItChanges) {
  std::vector<Attribute> attributes;
  for (const char* const name : {"", "5", "a\nb", "column_5", "x", "fine"})
    attributes.push_back(attribute(name, Array<std::uint8_t>{1}));
  Lines warnings;
  const std::string file = written(CloudFormat::csv, Points{2, Array<float>{1, 2}}, attributes, nullptr, &warnings);
  for (std::string& warning : warnings) warning.erase(0, warning.find("a: attribute "));
  EXPECT_EQ(file, "x,y,column_,column_5,\"a b\",column_5_1,x_1,fine\n1,2,1,1,1,1,1,1\n");
  const std::string is_changed = ": names in this format are on one line, and are no numbers";
  const std::string is_taken = ": a coordinate or an attribute before it has its name";
  EXPECT_EQ(warnings, (Lines{"a: attribute '' is called 'column_'" + is_changed,
                             "a: attribute '5' is called 'column_5'" + is_changed,
                             "a: attribute 'a\\x0ab' is called 'a b'" + is_changed,
                             "a: attribute 'column_5' is called 'column_5_1'" + is_taken,
                             "a: attribute 'x' is called 'x_1'" + is_taken}));
}

}  // namespace
}  // namespace kann::formats
