// XYZ, TXT and CSV: every delimiter, header and comment gives the same points; a faulty row is refused with its line.
#include "formats/points/samples.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

using namespace test;

namespace {

const GoodFile k_good_text[] = {
    // Delimiters
    {"Blanks", "1 2 3\n4 5 6\n"},
    {"RunsOfBlanks", "  1  2 \t 3 \n4 5 6\n"},
    {"Tabs", "1\t2\t3\n4\t5\t6\n"},
    {"Commas", "1,2,3\n4,5,6\n"},
    {"CommasAndBlanks", "1, 2, 3\n4 ,5 , 6\n"},
    {"Semicolons", "1;2;3\n4; 5; 6\n"},
    {"TwoColumns", "1,2\n3,4\n5,6\n", "", k_points, 2},
    {"TwoColumnsOfBlanks", "1 2\n3 4\n5 6\n", "", k_points, 2},
    {"ExtraWords", "x,y,z,class\n1,2,3,ground\n4,5,6,high vegetation\n", "x y z"},
    {"EmptyLastField", "1,2,3,\n4,5,6,\n"},
    // Headers
    {"Xyz", "x,y,z\n1,2,3\n4,5,6\n", "x y z"},
    {"Capitals", "X Y Z\n1 2 3\n4 5 6\n", "X Y Z"},
    {"Quoted", "\"x\",\"y\",\"z\"\n1,2,3\n4,5,6\n", "x y z"},
    {"OtherOrder", "id;z;y;x\n9;3;2;1\n8;6;5;4\n", "x y z"},
    {"NotNumbersBefore", "label,x,y,z\ntree,1,2,3\nhouse,4,5,6\n", "x y z"},
    {"XAndYAlone", "x,y,intensity\n1,2,9\n3,4,9\n5,6,9\n", "x y"},
    {"DelimiterAtTheEndOfRows", "id,x,y,z\n7,1,2,3,\n8,4,5,6,\n", "x y z"},
    {"DelimiterAtTheEndOfSomeRows", "id;z;y;x\n7;3;2;1\n8;6;5;4;\n", "x y z"},
    {"NamesWithBlanks", "x;y;z;point source\n1;2;3;0\n4;5;6;0\n", "x y z"},
    // Lines
    {"Crlf", "x,y,z\r\n1,2,3\r\n4,5,6\r\n", "x y z"},
    {"NoFinalNewline", "1 2 3\n4 5 6"},
    {"Comments", "# a\n//X,Y,Z\n1 2 3\n  # b\n4 5 6\n// c\n", "X Y Z"},
    {"CommentBeforeHeader", "# made by hand\nx,y,z\n1,2,3\n4,5,6\n", "x y z"},
    {"BlankLines", "\n\n1 2 3\n \t\n4 5 6\n\n"},
    {"Utf8Mark", "\xef\xbb\xbfx,y,z\n1,2,3\n4,5,6\n", "x y z"},
    {"Utf8MarkNoHeader",
     "\xef\xbb\xbf"
     "1 2 3\n4 5 6\n"},
    {"PlusSigns", "+1 +2.0 +3e0\n4 5 6\n"},
    {"Exponents", "1e0 2E+00 .3e1\n4. 50e-1 6\n"},
    // Missing coordinates, as pandas and R write them
    {"PandasMissing", ",pos_x,pos_y,pos_z\n0,1.0,,5.0\n1,,4.0,6.0\n", "pos_x pos_y pos_z", {1, NAN, 5, NAN, 4, 6}},
    {"CommaMissing", "x,y,z\n1.0,,3.0\n4,5,6\n", "x y z", {1, NAN, 3, 4, 5, 6}},
    {"SemicolonMissing", "x;y;z\n1;2;\n4; ;6\n", "x y z", {1, 2, NAN, 4, NAN, 6}},
    {"TabMissing", "x\ty\tz\n\t2\t3\n4\t5\t6\n", "x y z", {NAN, 2, 3, 4, 5, 6}},
    {"WholeRowMissing", "x,y,z\n1,2,3\n,,\n4,5,6\n", "x y z", {1, 2, 3, NAN, NAN, NAN, 4, 5, 6}},
    {"WholeRowOfTabsMissing", "x\ty\tz\n\t\t\n4\t5\t6\n\t\t\n", "x y z", {NAN, NAN, NAN, 4, 5, 6, NAN, NAN, NAN}},
    {"FirstRowWithoutHeaderMissing", ",2,3\n4,5,6\n", "", {NAN, 2, 3, 4, 5, 6}},
    {"FirstRowAllMissing", ",,\n4,5,6\n", "", {NAN, NAN, NAN, 4, 5, 6}},
    {"FirstRowOfTabsAllMissing", "\t\t\n4\t5\t6\n", "", {NAN, NAN, NAN, 4, 5, 6}},
    {"FirstRowOfWordsMissing", "NA NA NA\n4 5 6\n", "", {NAN, NAN, NAN, 4, 5, 6}},
    {"WordsMissing", "x,y,z\nNA,null,NULL\nnan,NaN,NAN\n", "x y z", {NAN, NAN, NAN, NAN, NAN, NAN}},
    {"RMissing", "\"x\" \"y\" \"z\"\n1 NA 3\n", "x y z", {1, NAN, 3}},
    {"OtherColumnsMissing", "x,y,label,z\n1,2,,3\n4,5,NA,6\n", "x y z", {1, 2, 3, 4, 5, 6}},
    {"AllOfTheFirstFieldsMissing", "1,2,\n,,\n", "", {1, 2, NAN, NAN, NAN, NAN}},
    // Cells in quotes
    {"AllCellsQuoted", "\"x\",\"y\",\"z\"\n\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n", "x y z"},
    {"WithoutHeaderQuoted", "\"1\",\"2\",\"3\"\r\n\"4\",\"5\",\"6\"\r\n", ""},
    {"NumbersQuoted", "x,y,z\n\"+1\",\"2e0\", \" 3 \"\n4,\"5\",6\n", "x y z"},
    {"DelimitersInNamesQuoted", "\"id, of tree\",x,\"y\",z\n7,1,2,3\n8,4,5,6\n", "x y z"},
    {"DelimitersInCellsQuoted", "id,x,y,z\n\"7,8\",1,2,3\n\"9 \"\"a\"\", b\",4,5,6\n", "x y z"},
    {"SemicolonsQuoted", "\"a;b\";\"x\";\"y\";\"z\"\n\"c;d\";\"1\";\"2\";\"3\"\n;4;5;6\n", "x y z"},
    {"TabsQuoted", "\"x\"\t\"y\"\t\"z\"\n\"1\"\t\"2\"\t\"3\"\n\"4\"\t\"5\"\t\"6\"\n", "x y z"},
    {"LineBreaksQuoted", "x,y,\"z\nm\",\"a\nb\"\n1,2,3,\"# c\r\n\"\"\n\"\n4,5,6,\"\n\n\"\n", "x y z\nm"},
    {"LineBreaksBetweenBlanksQuoted", "x y z n\n1 2 3 \"a\n3 4 b\"\n4 5 6 \"q\"\n", "x y z"},
    {"LineBreaksWithoutHeaderQuoted", "1,2,\"3\"\n\"4\",5,6\n", ""},
    {"QuotesWithinWords", "x,y,z,size\n1,2,3,5\"\n4,5,6,\"a\" b\n", "x y z"},
    {"CommentHeaderQuoted", "# \"a, b\",x,\"y\",z\n7,1,2,3\n8,4,5,6\n", "x y z"},
    // Numbers
    {"OneRow", "7 8 9", "", {7, 8, 9}},
    {"NearestFloat64",
     "0.1 637291.123456789 1e-320\n-1e308 1e-999 3.5\n",
     "",
     {0.1, 637291.123456789, 1e-320, -1e308, 0, 3.5}},
    {"NotFinite", "nan nan nan\ninf -inf 1\n", "", {NAN, NAN, NAN, HUGE_VAL, -HUGE_VAL, 1}},
    // Whole numbers that float64 holds are read, however large, and decimal numbers are rounded
    {"LargeNumbers",
     "9007199254740992,-9007199254740994,1e300\n00010000000000000000000000,9007199254740993.0,9007199254740991\n",
     "",
     {0x1p53, -0x1p53 - 2, 1e300, 1e22, 0x1p53, 0x1p53 - 1}},
};

TEST(Text, GivesThePoints) { expect_good({"pts.csv", "", true}, k_good_text); }

const std::string k_comma =
    "; a comma is a decimal one if no coordinate has a point, and one has not three digits after it";

const std::string k_molecule =
    ":1: row has 1 column (need 2 or more); a molecule? remove two lines (tail -n +3) and use --columns 2,3,4";

const RefusedFile k_refused_text[] = {
    {"DecimalCommaAmongPoints", "1 5,5 3\n4 5.5 6\n", ":1: column 2 is not a number: '5,5'" + k_comma},
    {"DecimalCommaOrThousands", "1,500 2,500 3\n4 5 6\n", ":1: column 1 is not a number: '1,500'" + k_comma},
    {"DecimalCommaAndThousands", "1,5 2.500,5 3\n4 5 6\n", ":1: column 2 is not a number: '2.500,5'" + k_comma},
    {"WholePastFloat64", "1 2 3\n4 -9007199254740993 6\n",
     ":2: column 2 is a whole number past 2^53, which float64 does not hold exactly: '-9007199254740993'"},
    {"WholeFarPastFloat64", "1 2 +1000000000000000000000001\n",
     ":1: column 3 is a whole number past 2^53, which float64 does not hold exactly: '+1000000000000000000000001'"},
    {"Word", "1 2 3\n4 five 6\n", ":2: column 2 is not a number: 'five'"},
    {"WordInFirstRow", "1 two 3\n4 5 6\n", ":1: column 2 is not a number: 'two'"},
    {"NameInFirstRow", "p1 1 2 3\np2 4 5 6\n",
     ":1: row has 4 columns without names; say which are coordinates, e.g. --columns 1,2,3"},
    {"HeaderInside", "x y z\n1 2 3\nx y z\n", ":3: column 1 is not a number: 'x'"},
    {"OutOfRange", "1 2 3\n4 1e999 6\n", ":2: column 2 is out of range: '1e999'"},
    {"TooShort", "# c\n1 2 3\n\n4 5\n", ":4: row has 2 columns (need 3, as in line 2)"},
    {"TooLong", "1 2 3\n4 5 6 7\n", ":2: row has 4 columns (need 3, as in line 1)"},
    {"LongerThanHeader", "id,x,y,z\n7,5,5,5,6\n", ":2: row has 5 columns (need 4, as in the header in line 1)"},
    {"ShorterThanHeader", "# c\nx,y,z\n0,0\n1,1\n", ":3: row has 2 columns (need 3, as in the header in line 2)"},
    {"BlanksLongerThanHeader", "x y z\n7 5 5 5 5\n", ":2: row has 5 columns (need 3, as in the header in line 1)"},
    {"TwoEmptyFieldsAtTheEnd", "x,y,z\n1,2,3,,\n", ":2: row has 5 columns (need 3, as in the header in line 1)"},
    {"LaterRowLongerThanHeader", "x,y\n1,2,\n1,2,3\n", ":3: row has 3 columns (need 2, as in the header in line 1)"},
    {"DelimiterAtTheEndWithoutHeader", "1,2,3\n4,5,6,\n", ":2: row has 4 columns (need 3, as in line 1)"},
    {"OtherDelimiter", "1,2,3\n4;5;6\n", ":2: column 1 is not a number: '4;5;6'"},
    {"OneColumn", "1\n2\n3\n", ":1: row has 1 column (need 2 or more)"},
    {"CountOfMore", "3\n1 2 3\n4 5 6\n", ": the first line says 3 rows, and 2 follow"},
    {"CountOfFewer", "1\nx,y\n1,2\n4,5\n", ": the first line says 1 rows, and 2 follow"},
    {"Molecule", "2\nwater, 0.1 ps\nO 1 2 3\nH 4 5 6\n", k_molecule},
    {"MoleculeOfLammps", "1\nAtoms. Timestep: 0\n1 2 2.5 0\n", k_molecule},
    {"MoleculeWithoutAName", "2\n\n  O   1 2 3 0.5\n  H   4 5 6 0.5\n", k_molecule},
    {"MoleculeWithAsManyWords", "2\nwater of last night\nO 1 2 3\nH 4 5 6\n", k_molecule},
    {"Sexagesimal", "x,y\n05:34:31.9,2\n",
     ":2: column 1 is not a number: '05:34:31.9'; sexagesimal? angles are in degrees, hours or radians"},
    {"NotACount", "2.5\n1 2 3\n", ":1: row has 1 column (need 2 or more)"},
    {"CountAndWords", "2\none two three\n", ":1: row has 1 column (need 2 or more)"},
    {"MidLine", "1 2 3\n4 5", ":2: row has 2 columns (need 3, as in line 1)"},
    {"Nul", std::string("1 2 3\n4 5 6\0\n", 13), ":2: NUL byte in the text"},
    {"LongWord", "1 2 3\n4 5 " + std::string(100'000, 'w') + "\n",
     ":2: column 3 is not a number: '" + std::string(40, 'w') + "...'"},
    {"Utf16",
     std::string("\xff\xfe"
                 "1\0 \0002\0\n\0",
                 10),
     ": UTF-16 is not read; convert it, e.g. with 'iconv -f UTF-16 -t UTF-8'"},
    // Missing cells
    {"MissingTooFewCells", "x,y,z\n1,\n", ":2: row has 2 columns (need 3, as in the header in line 1)"},
    {"MissingTooManyCells", "x,y,z\n1,,3,4\n", ":2: row has 4 columns (need 3, as in the header in line 1)"},
    {"MissingTabsOfAnotherNumber", "x\ty\tz\n1\t2\t3\n1\t\n",
     ":3: row has 2 columns (need 3, as in the header in line 1)"},
    {"MissingOtherWord", "x,y,z\n1,none,3\n", ":2: column 2 is not a number: 'none'"},
    {"MissingBlanks", "x y z\n1  3\n", ":2: row has 2 columns (need 3, as in the header in line 1)"},
};

TEST(TextRefused, NamesTheLine) { expect_refusals("pts.csv", k_refused_text); }

// Cells in double quotes (RFC 4180): names and numbers, with delimiters and quotes within.

Lines fields(const std::string& line, Delimiter delimiter = Delimiter::comma) {
  Lines all;
  Fields walk(line, delimiter);
  for (std::string_view field; walk.next(field);) all.emplace_back(field);
  return all;
}

TEST(Quotes, AreTakenOffAndHideDelimiters) {
  EXPECT_EQ(fields(R"("1","2,5","")"), (Lines{"1", "2,5", ""}));
  EXPECT_EQ(fields(R"(1,"a ""b"" c",2)"), (Lines{"1", R"(a ""b"" c)", "2"}));
  EXPECT_EQ(fields(R"( "1" , " 2 ",)"), (Lines{"1", "2", ""}));
  EXPECT_EQ(fields(R"("""")"), (Lines{R"("")"}));
  EXPECT_EQ(fields("\"1;2\";\"3\"", Delimiter::semicolon), (Lines{"1;2", "3"}));
  EXPECT_EQ(fields("\t\"1\t2\"\t \"3\" ", Delimiter::tab), (Lines{"", "1\t2", "3"}));
  EXPECT_EQ(fields(" \"New York\" \t1 \"\" \"a\" ", Delimiter::blanks), (Lines{"New York", "1", "", "a"}));
}

TEST(Quotes, AreTextWhereTheyAreNotAroundACell) {
  EXPECT_EQ(fields(R"(5'10",2"3)"), (Lines{R"(5'10")", R"(2"3)"}));
  EXPECT_EQ(fields(R"("a" b,"c)"), (Lines{R"("a" b)", R"("c)"}));
  EXPECT_EQ(fields(R"(5" "a"b "c d)", Delimiter::blanks), (Lines{"5\"", R"("a"b)", R"("c)", "d"}));
}

TEST(Quotes, OnlyACellThatTheLineDoesNotCloseIsOpen) {
  const auto is_open = [](const std::string& line) {
    Fields walk(line, Delimiter::comma);
    bool any = false;
    for (std::string_view field; walk.next(field);) any |= walk.open_quote() != nullptr;
    return any;
  };
  for (const char* line : {R"(1,"2)", R"(")",
                           R"("")"
                           R"("")"
                           R"(")",
                           R"("a"",b)"})
    EXPECT_TRUE(is_open(line)) << line;
  for (const char* line : {R"(1,2")", R"("")", R"("a""")", R"("a" b,1)", ""}) EXPECT_FALSE(is_open(line)) << line;
}

TEST(Quotes, NamesAreChosenWithoutThem) {
  const ReadOptions options{.columns = {"height, m", "x", "y"}};
  EXPECT_EQ(points_in("a.csv", "\"x\",\"y\",\"height, m\"\n1,2,3\n", options), (Numbers{3, 1, 2}));
}

TEST(Quotes, MayBeCharactersLikeOthers) {
  EXPECT_EQ(points_in("a.csv", "x,y,z,size\n1,2,3,\"a\n4,5,6,b\n", {.quotes = false}), k_points);
}

TEST(Quotes, HoldManyQuotesAndLineBreaks) {
  const std::string cell = times("\"\"a\"\": 1,\n", 50'000);
  EXPECT_EQ(read_bytes("a.csv", "x,y,json\n1,2,\"" + cell + "\"\n3,4,\"" + cell + "\"\n").points.size(), 2);
}

TEST(Quotes, HoldLineBreaksWhereverAPartOfTheFileEnds) {
  std::string bytes = "x,y,label\n";
  Numbers expected;
  for (int i = 0; i < 150'000; ++i) {
    bytes += std::to_string(i) + ",2,\"" + std::string(static_cast<std::size_t>(i % 97), '\n') + "\"\n";
    expected.insert(expected.end(), {static_cast<double>(i), 2});
  }
  EXPECT_EQ(points_in("a.csv", bytes), expected);
}

const std::string k_open =
    " begins with a quote that nothing closes; where quotes are characters like others, give --quotes none: ";

TEST(QuotesRefused, NamesTheLine) {
  const RefusedFile files[] = {
      {"LineBreak", "x,y,z,label\n1,2,3,\"a\n5,6,7,b\n", ":2: column 4" + k_open + "'\"a'"},
      {"LineBreaksWithoutEnd", "x,y\n1,\"" + std::string(2 << 20, '\n') + "\"\n", ":2: column 2" + k_open + "'\"'"},
      {"BackslashOfR", "\"x\" \"y\" \"n\"\n1 2 \"a\\\"b\"\n",
       ":2: column 3 has a backslash before a quote: '\"a\\\"b\"'; two quotes stand for one in "
       "quotes, as write.table(qmethod = \"double\") of R writes them, or give --quotes none"},
      {"LineBreaksOfMegabytes", "x,y\n1,\"" + times("a\n", 5 << 19) + "\"\n", ":2: column 2" + k_open + "'\"a'"},
      {"OpenBeforeAllRows", "x,y,t\n1,2,\"a\n" + times("1,2,abc\n", 1 << 20), ":2: column 3" + k_open + "'\"a'"},
      {"OpenAfterAPart", "x,y,t\n" + times("1,2,abc\n", 600'000) + "1,2,\"a\n" + times("1,2,abc\n", 600'000),
       ":600002: column 3" + k_open + "'\"a'"},
      {"QuotesThatAreCharacters", "name\tx\ty\n" + times("\"a\t1\t2\n", 20'000), ":2: column 1" + k_open + "'\"a'"},
      {"OpenNumber", "x,y,z\n1,\"2,3\n", ":2: column 2" + k_open + "'\"2'"},
      {"TextAfterANumber", "x,y,z\n1,\"2\"a,3\n", ":2: column 2 is not a number: '\"2\"a'"},
      {"DecimalComma", "x,y,z\n1,\"2,5\",3\n", ":2: column 2 is not a number: '2,5'"},
      {"DelimiterInARowTooShort", "x,y,z\n1,\"2,3\"\n", ":2: column 2 is not a number: '2,3'"},
  };
  expect_refusals("a.csv", files);
}

}  // namespace
}  // namespace kann::formats
