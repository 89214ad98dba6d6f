// Columns of text as attributes: the type that their cells say, cells that are no numbers, and files without names.
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// The attribute of a column with these cells.
std::string column(const Lines& cells, const ReadRequest& request = {{.all_attributes = true}}) {
  std::string file = "x,y,a\n";
  for (const std::string& cell : cells) file += "1,2," + cell + "\n";
  return attributes_of("a.csv", file, request).at(0);
}

TEST(TextAttributes, WholeNumbersOfInt32AreInt32) {
  EXPECT_EQ(column({"1", "-2", "+3", "0"}), "int32 a 1 -2 3 0");
  EXPECT_EQ(column({"2147483647", "-2147483648"}), "int32 a 2147483647 -2147483648");
  EXPECT_EQ(column({}), "int32 a");
}

TEST(TextAttributes, WholeNumbersKeepTheirDigits) {
  EXPECT_EQ(column({"1", "2147483648"}), "int64 a 1 2147483648");
  EXPECT_EQ(column({"1", "-2147483649"}), "int64 a 1 -2147483649");
  EXPECT_EQ(column({"9007199254740993", "-1"}), "int64 a 9007199254740993 -1");
  EXPECT_EQ(column({"9223372036854775807", "-9223372036854775808"}),
            "int64 a 9223372036854775807 -9223372036854775808");
  EXPECT_EQ(column({"1", "18446744073709551615"}), "uint64 a 1 18446744073709551615");
  EXPECT_EQ(column({"18446744073709551615", "+7", "3000000000"}), "uint64 a 18446744073709551615 7 3000000000");
}

TEST(TextAttributes, EverythingElseIsFloat64) {
  EXPECT_EQ(column({"1", "2", "3.0"}), "float64 a 1 2 3");
  EXPECT_EQ(column({"1", "1e2"}), "float64 a 1 100");
  EXPECT_EQ(column({"0.1", "3"}), "float64 a 0.10000000000000001 3");
  EXPECT_EQ(column({"0", "-0"}), "float64 a 0 -0");
  EXPECT_EQ(column({"3000000000", "", "9007199254740992"}), "float64 a 3000000000 nan 9007199254740992");
  EXPECT_EQ(column({"10000000000000000000000"}), "float64 a 1e+22");
  EXPECT_EQ(column({"-1", "18446744073709549568"}), "float64 a -1 1.844674407370955e+19") << "float64 holds both";
}

TEST(TextAttributes, ColumnsThatWouldLoseDigitsAreNoNumbers) {
  const auto left_out = [](const std::string& rows) {
    return read_bytes("a.csv", "x,y,a\n" + rows, {.all_attributes = true}).warnings.at(0);
  };
  const std::string lost = "has 9007199254740993, which float64 does not hold, and needs float64";
  for (const std::string cell : {"", "0.5", "nan"})
    EXPECT_TRUE(left_out("1,2,9007199254740993\n1,2," + cell + "\n")
                    .ends_with(": left out of the attributes: 'a' " + lost + " in line 3: '" + cell + "'"));
  EXPECT_TRUE(left_out("1,2,\n1,2,9007199254740993\n").ends_with("'a' " + lost + " in line 3: '9007199254740993'"));
  EXPECT_TRUE(left_out("1,2,-9007199254740993\n1,2,18446744073709551615\n")
                  .ends_with("'a' has -9007199254740993, which float64 does not hold, and needs float64 in line 3: "
                             "'18446744073709551615'"));
  EXPECT_TRUE(left_out("1,2,18446744073709551615\n1,2,-1\n")
                  .ends_with("'a' has 18446744073709551615, which float64 does not hold, and needs float64 in line 3: "
                             "'-1'"));
  EXPECT_TRUE(left_out("1,2,9999999999999999999999\n")
                  .ends_with("'a' is a whole number that neither 64 bits nor float64 hold in line 2: "
                             "'9999999999999999999999'"));
  EXPECT_EQ(refusal("a.csv", "x,y,a\n1,2,9007199254740993\n1,2,\n", {.attributes = {"a"}}),
            "a.csv:3: column 3 " + lost + ": ''; as text, it goes into .csv, .tsv and --output-format cloud-csv alone");
}

TEST(TextAttributes, MissingCellsAreNan) {
  EXPECT_EQ(column({"1", "", "NA", "null", "nan", "-inf"}), "float64 a 1 nan nan nan nan -inf");
  EXPECT_EQ(column({"", ""}), "float64 a nan nan");
}

TEST(TextAttributes, ManyRowsKeepTheirValuesWhenTheTypeChanges) {
  for (const int at : {0, 1, 1023, 1024, 1025, 4999}) {
    Lines cells;
    std::string expected = "float64 a";
    for (int i = 0; i < 5000; ++i) {
      cells.push_back(std::to_string(i) + (i == at ? ".5" : ""));
      expected += " " + cells.back();
    }
    EXPECT_EQ(column(cells), expected) << at;
  }
}

TEST(TextAttributes, AColumnOfWordsIsRefusedByNameAndElseLeftOut) {
  const std::string file = "x,y,kind,a,big\n1,2,3,4,5\n1,2,tree,5,1e999\n1,2,house,6,7\n";
  EXPECT_EQ(refusal("a.csv", file, {.attributes = {"a", "kind"}}),
            "a.csv:3: column 3 is not a number: 'tree'; as text, it goes into .csv, .tsv and --output-format "
            "cloud-csv alone");
  EXPECT_EQ(refusal("a.csv", file, {.attributes = {"big"}}),
            "a.csv:3: column 5 is out of range: '1e999'; as text, it goes into .csv, .tsv and --output-format "
            "cloud-csv alone");
  EXPECT_EQ(all_attributes_of("a.csv", file), Lines{"int32 a 4 5 6"});
  EXPECT_EQ(
      warnings_in("a.csv", file, {.all_attributes = true}),
      Lines{"a.csv: left out of the attributes: 'kind' is not a number in line 3: 'tree', 'big' is out of range in "
            "line 3: '1e999'"});
}

/// Asks for all columns, where they may be text, and names that look like numbers are.
ReadRequest with_texts(ReadRequest request = {}) {
  request.all_attributes = request.texts = request.keeps_names = true;
  return request;
}

/// The same, where columns may be text.
std::string column_with_texts(const Lines& cells) { return column(cells, with_texts()); }

TEST(TextAttributes, TextStaysAsItIs) {
  EXPECT_EQ(column_with_texts({"oak", "", "NA", "1.50", "oak"}), "text a [oak] [] [NA] [1.50] [oak]");
  EXPECT_EQ(column_with_texts({"\" a, b \"", " c ", "\"say \"\"no\"\"\"", "\"\"", "a\"b"}),
            "text a [ a, b ] [c] [say \"no\"] [] [a\"b]");
  EXPECT_EQ(column_with_texts({"1.50", "", "+7", "1e999"}), "text a [1.50] [] [+7] [1e999]") << "text comes last";
  EXPECT_EQ(column_with_texts({"", "", "x"}), "text a [] [] [x]");
  EXPECT_EQ(column_with_texts({"\xc3\xa9", "\xff\xfe"}), "text a [\xc3\xa9] [\xff\xfe]");
}

TEST(TextAttributes, NamesThatLookLikeNumbersAreText) {
  EXPECT_EQ(column_with_texts({"100", "007"}), "text a [100] [007]");
  EXPECT_EQ(column_with_texts({"-01"}), "text a [-01]");
  EXPECT_EQ(column_with_texts({"+49"}), "text a [+49]");
  EXPECT_EQ(column_with_texts({"1E1", "2"}), "text a [1E1] [2]");
  EXPECT_EQ(column_with_texts({"1e+5", "2.e1", "+.5"}), "float64 a 100000 20 0.5");
  EXPECT_EQ(column_with_texts({"1", "1234567890123456"}), "text a [1] [1234567890123456]");
  EXPECT_EQ(column_with_texts({"0", "-0", "0.5", "00.5", "123456789012345"}), "float64 a 0 -0 0.5 0.5 123456789012345");
  EXPECT_EQ(column_with_texts({"1", "", "NA", "nan"}), "float64 a 1 nan nan nan");
  EXPECT_EQ(column({"100", "007"}), "int32 a 100 7") << "text is not asked for";
}

TEST(TextAttributes, LateTextOfSeveralColumnsInALargeFile) {
  std::string file = "x,y,a,b,c\n", a = "text a", b = "text b", c = "int32 c";
  for (int i = 0; i < 400'000; ++i) {  // more than a part of the file
    const std::string number = std::to_string(i);
    const std::string as = i == 399'000 ? "late" : number, bs = i == 20 ? "" : i == 399'999 ? "0" + number : number;
    file += "1,2," + as + "," + bs + "," + number + "\n";
    a += " [" + as + "]";
    b += " [" + bs + "]";
    c += " " + number;
  }
  EXPECT_EQ(attributes_of("a.csv", file, with_texts()), (Lines{a, b, c}));
}

TEST(TextAttributes, OfNumbersInQuotesDependsOnTheCoordinates) {
  EXPECT_EQ(column_with_texts({"\"10\"", "12"}), "text a [10] [12]");
  EXPECT_EQ(attributes_of("a.csv", "x,y,a\n\"1\",\"2\",\"10\"\n", with_texts()), Lines{"int32 a 10"});
}

TEST(TextAttributes, CoordinatesAmongThemAndAllAsTheyAreSpelledBeforeTheirValues) {
  ReadRequest request = with_texts();
  request.coordinates_too = true;
  EXPECT_EQ(attributes_of("a.csv", "id,y,x,n\n07,1.50,2,oak\n", request),
            (Lines{"text id [07]", "float64 y 1.5", "int32 x 2", "text n [oak]"}));
  EXPECT_EQ(attributes_of("a.xyz", "3 1 2\n", request), (Lines{"int32 x 3", "int32 y 1", "int32 z 2"}));
  request.spelled = true;
  request.attributes = {"y"};
  EXPECT_EQ(
      attributes_of("a.csv", "x,y,a\n1.0,2.0,0.50\n1,2,\"a \"\"b\"\"\"\n1e0,2,NA\n", request),
      (Lines{"text x [1.0] [1] [1e0]", "text y [2.0] [2] [2]", "text a [0.50] [a \"\"b\"\"] [NA]", "float64 y 2 2 2"}));
}

TEST(TextAttributes, WithoutNamesTheyAreNumbered) {
  const std::string rows = "1 2 3 4 5.5\n6 7 8 9 10\n";
  const Lines first = {"1", "2", "3"};
  EXPECT_EQ(attributes_of("a.xyz", rows, {.columns = first, .all_attributes = true}),
            (Lines{"int32 column_4 4 9", "float64 column_5 5.5 10"}));
  EXPECT_EQ(attributes_of("a.xyz", rows, {.columns = first, .attributes = {"5", "column_4"}}),
            (Lines{"float64 column_5 5.5 10", "int32 column_4 4 9"}));
  EXPECT_EQ(attributes_of("a.xyz", rows, {.columns = {"5", "4"}, .all_attributes = true}),
            (Lines{"int32 column_1 1 6", "int32 column_2 2 7", "int32 column_3 3 8"}));
  EXPECT_EQ(refusal("a.xyz", rows, {.columns = first, .attributes = {"intensity"}}),
            "a.xyz: no column 'intensity' (it has x, y, z, column_4, column_5)");
  EXPECT_EQ(all_attributes_of("a.csv", ",x,y\n0,1,2\n1,3,4\n"), Lines{"int32 column_1 0 1"});  // the index of pandas
}

TEST(TextAttributes, AreCoordinatesByNameOrPlace) {
  const auto coordinates = [](const std::string& file, Lines columns, Lines asked = {}) {
    Lines names;
    for (const Attribute& attribute :
         read_bytes("a.csv", file,
                    {.columns = std::move(columns), .attributes = std::move(asked), .all_attributes = true})
             .attributes)
      if (attribute.meaning == Meaning::coordinate) names.push_back(attribute.name);
    return names;
  };
  const std::string named = "Easting,Northing,Height,class,pos_z\n1,2,3,4,5\n";
  EXPECT_EQ(coordinates(named, {"Easting", "Northing", "Height"}, {"Height"}), (Lines{"pos_z", "Height"}));
  EXPECT_EQ(coordinates(named, {"1", "2"}, {"3"}), Lines{"pos_z"});
  const std::string numbered = "1 2 3 4\n5 6 7 8\n";
  EXPECT_EQ(coordinates(numbered, {"1", "2"}), Lines{"column_3"});
  EXPECT_EQ(coordinates(numbered, {"2", "3"}), Lines{}) << "the first may number the rows";
  // Columns of words before it are left out
  EXPECT_EQ(coordinates("name,x,y,z\na,1,2,3\n", {"x", "y"}), Lines{"z"});
}

TEST(TextAttributes, NamesInQuotes) {
  const std::string file = "x,y,\"a, b\",\"say \"\"a\"\"\"\n1,2,3,4\n";
  EXPECT_EQ(all_attributes_of("a.csv", file), (Lines{"int32 a, b 3", "int32 say \"a\" 4"}));
  EXPECT_EQ(attributes_of("a.csv", file, {.attributes = {"say \"a\""}}), Lines{"int32 say \"a\" 4"});
}

TEST(TextAttributes, AreAtMost4096UnlessTheyAreNamed) {
  for (const std::size_t columns : {4096, 4097}) {
    std::string row = "1,2,3";
    for (std::size_t i = 3; i < columns; ++i) row += "," + std::to_string(i + 1);
    const Lines first = {"1", "2", "3"};
    if (columns == 4096)
      EXPECT_EQ(attributes_of("a.csv", row, {.columns = first, .all_attributes = true}).size(), 4093u);
    else
      EXPECT_EQ(refusal("a.csv", row, {.columns = first, .all_attributes = true}),
                "a.csv: 4097 columns are too many to be attributes (need at most 4096); name those that are wanted");
    EXPECT_EQ(attributes_of("a.csv", row, {.columns = first, .attributes = {std::to_string(columns)}}),
              Lines{"int32 column_" + std::to_string(columns) + " " + std::to_string(columns)});
  }
}

TEST(TextAttributes, AnEmptyCellAtTheEndOfARowIsNone) {
  EXPECT_EQ(all_attributes_of("a.csv", "x,y,a\n1,2,3,\n4,5,6,\n"), Lines{"int32 a 3 6"});
}

}  // namespace
}  // namespace kann::formats
