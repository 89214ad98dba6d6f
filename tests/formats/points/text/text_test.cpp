// XYZ, TXT and CSV: every delimiter, header and comment gives the same points; a faulty row is refused with its line.
#include "formats/points/every_way.hpp"
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
    "; commas are decimal ones if no coordinate has a point, and one cannot be of thousands, as 0,125 or 1,25";

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

// Headers: their names, in a line of their own or in a comment, say which columns are coordinates, or the file is
// refused with the list of names; without one, a column that only numbers the rows is no coordinate.

/// A CSV file with this header and the rows 1,2,3,4 and 5,6,7,8.
std::string four(const std::string& header) { return header + "\n1,2,3,4\n5,6,7,8\n"; }

const GoodFile k_good_headers[] = {
    // Names
    {"Plain", "id;z;\"y\";X\n9;3;2;1\n8;6;5;4\n", "X y z"},
    {"Flat", "x,y,intensity\n1,2,9\n", "x y", {1, 2}},
    {"ThatEndsInADelimiter", "X,Y,Z,h,\n1,2,3,9\n4,5,6,9\n", "X Y Z"},
    {"PandasIndex", four(",pos_x,pos_y,pos_z"), "pos_x pos_y pos_z", {2, 3, 4, 6, 7, 8}},
    {"PandasIndexInTabs", "\tx\ty\tz\n0\t1\t2\t3\n1\t4\t5\t6\n", "x y z"},
    {"Units", four("i,x[m],y [m],Z (mm)"), "x[m] y [m] Z (mm)", {2, 3, 4, 6, 7, 8}},
    {"UnderscoreUnits", "X_m Y_m Z_m\n1 2 3\n4 5 6\n", "X_m Y_m Z_m"},
    {"RosMessage", "point.x,point.y,point.z\n1,2,3\n4,5,6\n", "point.x point.y point.z"},
    {"Camel", "cartesianX,cartesianY,cartesianZ\n1,2,3\n4,5,6\n", "cartesianX cartesianY cartesianZ"},
    {"PlainBeforeAPair", "pos_x,x,pos_y,y,z\n9,1,9,2,3\n", "x y z", {1, 2, 3}},
    {"ASetInAFrameBeforeAPair", "x,y,global_x,global_y,global_z\n9,9,1,2,3\n", "global_x global_y global_z", {1, 2, 3}},
    {"NamesOfRows", "x y \"of it\"\n\"1 a\" 1 2 9\n\"2 b\" 4 5 9\n", "x y", {1, 2, 4, 5}},
    {"NamesOfRowsInCommas", "x,y,z\na,1,2,3\nb,4,5,6\n", "x y z"},
    {"NumbersInQuotesAreNamesOfRows", "\"x\",\"y\",\"n\"\n\"1\",1,2,\"a\"\n\"2\",4,5,\"b\"\n", "x y", {1, 2, 4, 5}},
    {"RowsOfMarks", "t,x,y\n##,1,2\n#,4,5\n", "x y", {1, 2, 4, 5}},
    {"RowsThatBeginEmptyAndWithAMark", "a\tq\tx\ty\n1\tc\t1\t2\n\t#h\t4\t5\n", "x y", {1, 2, 4, 5}},
    {"RowsThatBeginLikeComments",
     "id,x,y\n#1,1,2\n# said, by, me and others, not by you\n//b,4,5\n#\n",
     "x y",
     {1, 2, 4, 5}},
    {"UnitsAndDashes", "i\tx\ty\tz\n\tm\t[m]\t\n---\t-\t-\t-\na\t1\t2\t3\nb\t4\t5\t6\n", "x y z"},
    {"UnitsOverNamesOfRows", "x y z\nm m m\na 1 2 3\nb 4 5 6\n", "x y z"},
    {"DashesBetweenBlanks", "  x   y   z\n---- --- ---\n 1 2 3\n4 5 6\n", "x y z"},
    {"Count", "2\nx,y,z\n1,2,3\n4,5,6\n", "x y z"},
    {"CountOverNamesAndBlanks", "2\nx y z i\n1 2 3 9\n4 5 6 9\n", "x y z"},
    {"CountAlone", " 2 \r\n\r\n1,2,3\r\n4,5,6\r\n"},
    {"CountAfterAComment", "# c\n2\n1 2 3\n4 5 6\n"},
    {"DecimalCommas", "x;y;z\n1,0;2;3\n4;5;6,0e0\n", "x y z"},
    {"DecimalCommasBesidePoints", "x;y;z;v\n1,0;2;3;1.5\n4;5;6;2.0\n", "x y z"},
    {"DecimalCommasAfterZero", "x;y;z\n1,250;2;-0,125\n4;5;6\n", "x y z", {1.25, 2, -.125, 4, 5, 6}},
    {"DecimalCommasAfterThousands", "1,250 2 3\n-4500,125 5 6\n", "", {1.25, 2, 3, -4500.125, 5, 6}},
    {"DecimalCommasBetweenBlanks", "1,0 2,00 3\n4 5 6\n"},
    {"NamesLikeNumbers", "2CXO,x,y,2019\nJ1,1,2,7\nJ2,4,5,7\n", "x y", {1, 2, 4, 5}},
    {"Micrometres", "id,x_um,y_um\n9,1,2\n", "x_um y_um", {1, 2}},
    {"Surveyors", "i,Easting,Northing,Height\n9,1,2,3\n", "Easting Northing Height", {1, 2, 3}},
    {"ParaView", "\"Points:0\",\"Points:1\",\"Points:2\"\n1,2,3\n4,5,6\n", "Points:0 Points:1 Points:2"},
    {"PlainAndQualified", "x,y,z_m,i\n1,2,3,9\n4,5,6,9\n", "x y z_m"},
    {"VelocityIsNoPosition", "vel_x,x,y,z,nx,z_score\n9,1,2,3,9,9\n", "x y z", {1, 2, 3}},
    // Comments
    {"IdFirst", "# id x y z\n9 1 2 3\n8 4 5 6\n", "x y z"},
    {"CloudCompare", "//X Y Z R\n1 2 3 0.5\n4 5 6 0.5\n", "X Y Z"},
    {"CommasOverBlanks", "# t,x,y,z\n9 1 2 3\n8 4 5 6\n", "x y z"},
    {"CommasAndBlanks", "# t, x, y, z\n9 1 2 3\n8 4 5 6\n", "x y z"},
    {"BlanksOverCommas", "## z y x\n3,2,1\n6,5,4\n", "x y z"},
    {"AfterOtherComments", "# made by X\n# 2024\n\n# z y x\n\n3 2 1\n6 5 4\n", "x y z"},
    {"AfterTheByteOrderMark", "\xef\xbb\xbf# z y x\n3 2 1\n6 5 4\n", "x y z"},
    {"BeforeAHeader", "# z y x\nx y z\n1 2 3\n4 5 6\n", "x y z"},
    {"Made", "# made by X\n1 2 3\n4 5 6\n"},
    {"Sentence", "# x y z are in metres\n1 2 3\n4 5 6\n"},
    {"SentenceOverTwo", "# x y of a map\n1 2\n4 5\n", "", {1, 2, 4, 5}, 2},
    {"RowLeftOut", "# 7 8 9\n1 2 3\n4 5 6\n"},
    {"NumbersInAComment", "# x 100 200\n1 2 3\n4 5 6\n"},
    {"SentenceOverThree", "# the x and the y of a map\n1 2 3\n4 5 6\n"},
    {"BeforeOtherComments", "# z y x\n# made by hand\n//\n1 2 3\n4 5 6\n", "x y z", {3, 2, 1, 6, 5, 4}},
    {"TheLastOfTwo", "# x y z\n# z y x\n1 2 3\n4 5 6\n", "x y z", {3, 2, 1, 6, 5, 4}},
    {"AfterTheFirstRow", "1 2 3\n# z y x\n4 5 6\n"},
    {"MarkAlone", "#\n//\n1 2 3\n4 5 6\n"},
    // No rows
    {"Alone", "x,y,z\n", "x y z", {}},
    {"AloneOfTwo", "x y", "x y", {}},
    {"AloneBeforeBlankLines", "id;x;y;z\r\n\r\n", "x y z", {}},
    {"AloneAmongComments", "# none\nX\tY\tZ\n# end\n", "X Y Z", {}},
    {"Nothing", "", "", {}},
    {"BlankLines", "\n\n  \n", "", {}},
    // Row numbers
    {"ThreeColumns", "0 2 3\n1 5 6\n", "", {0, 2, 3, 1, 5, 6}},
    {"OneRow", "0 3 2\n", "", {0, 3, 2}},
    {"NamedX", "x y z i\n0 2 3 9\n1 5 6 9\n", "x y z", {0, 2, 3, 1, 5, 6}},
};

TEST(Header, SaysWhichColumnsAreCoordinates) { expect_good({"pts.csv", "", true}, k_good_headers); }

TEST(HeaderTitle, IsReadOverWithAWarning) {
  const std::string file = "a cloud of points\n1 2 3\n4 5 6\n";
  EXPECT_EQ(points_in("pts.xyz", file), k_points);
  EXPECT_TRUE(read_bytes("pts.xyz", file).columns.empty());
  EXPECT_EQ(warnings_in("pts.xyz", file),
            Lines{"pts.xyz: line 1 is taken as a title, not as names of columns: 'a cloud of points'"});
}

TEST(HeaderAlone, SaysTheDimensionsOfColumnsThatAreNamed) {
  EXPECT_EQ(read_bytes("a.csv", "i,u,v\n", {.columns = {"u", "v"}}).points.dimensions, 2);
  EXPECT_EQ(read_bytes("a.xyz", "# nothing\n", {.columns = {"1", "2"}}).points.dimensions, 2);
}

TEST(HeaderUnits, OfAnglesAreConverted) {
  const auto read = [](const std::string& unit, const Lines& columns) {
    return points_in("a.tsv", "name\tRAJ2000\tDEJ2000\n\t" + unit + "\tdeg\n---\t-\t-\na\t6\t-10\n",
                     {.columns = columns, .sky = true});
  };
  EXPECT_EQ(read("h", {}), (Numbers{90, -10}));
  EXPECT_EQ(read("[Hours]", {"RAJ2000", "DEJ2000"}), (Numbers{90, -10}));
  EXPECT_EQ(read("(h)", {"2", "3"}), (Numbers{90, -10}));
  EXPECT_EQ(read("", {}), (Numbers{6, -10}));
  EXPECT_TRUE(
      failure_of([&] {
        read("arcsec", {});
      }).ends_with("a.tsv:2: column 2 has the unit 'arcsec'; --sky takes degrees, hours of longitude and radians"));
}

const std::string k_way = "; name them, or give their numbers from 1, with --columns";
const std::string k_says_not = ":1: the header does not say which columns are x, y and z: ";
const std::string k_comment_says_not = "the header in this comment does not say which columns are x, y and z: ";
const std::string k_without_names = " columns without names; say which are coordinates, e.g. --columns 1,2,3";
const std::string k_angles =
    ": 'lon' and 'lat' are angles, and distances are those of a plane; give --sky, or convert them to x, y and z first";
const std::string k_doubtful =
    ":1: 0, 1, 2, ... is a point, or the numbers of the columns; say which, with --header no or --header yes";

const RefusedFile k_refused_headers[] = {
    {"Map", four("i,Rechts,Hoch,Height"), k_says_not + "i, Rechts, Hoch, Height" + k_way},
    {"TwoSets", "x,y,z,pos_x,pos_y,pos_z\n1,2,3,4,5,6\n", k_says_not + "x, y, z, pos_x, pos_y, pos_z" + k_way},
    {"CarriageReturns", "x,y,t\r1,2,a\r3,4,b\r", ":1: a carriage return without a line feed; convert the line ends"},
    {"AnswersInTheFirstRow", "name,x,y\nNew York,N/A,N/A\nB,1,2\n", ":2: column 2 is not a number: 'N/A'"},
    {"ADashInTheFirstRow", "name,x,y\n-,-,-\nB,1,2\n", ":2: column 2 is not a number: '-'"},
    {"AZOfAnotherUnit", "x,y,z_um\n1,2,3\n", k_says_not + "x, y, z_um" + k_way},
    {"AZThatIsNoCoordinate", "x,y,z score\n1,2,3\n", k_says_not + "x, y, z score" + k_way},
    {"Degrees", "lon,lat\n1,2\n", k_angles},
    {"DegreesInAComment", "# by hand\n# id lon lat alt\n1 2 3 4\n", k_angles},
    {"DegreesInACommentOfTwo", "# lon lat\n1 2\n", k_angles},
    {"DegreesInACommentOfThree", "# lon lat height\n# by hand\n1 2 3\n", k_angles},
    {"NoY", four(",x,z,r"), k_says_not + "'', x, z, r" + k_way},
    {"TwoX", four("x,y,z,X"), k_says_not + "x, y, z, X" + k_way},
    {"TwoGroups", "pos_x,pos_y,point_x,point_y\n1,2,3,4\n", k_says_not + "pos_x, pos_y, point_x, point_y" + k_way},
    {"AHeightThatIsNotZ", four("x,y,Height,i"), k_says_not + "x, y, Height, i" + k_way},
    {"Vectors", "vel_x,vel_y,vel_z\n1,2,3\n", k_says_not + "vel_x, vel_y, vel_z" + k_way},
    {"AloneWithoutRows", "id,u,v\n", k_says_not + "id, u, v" + k_way},
    {"LongerThanTheRows", "id,right,up,height\n1,2,3\n", k_says_not + "id, right, up, height" + k_way},
    {"PandasNumbers", four(",0,1,2"), k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumbersOfTwo", ",0,1\r\n0,1.5,2.5\r\n1,3.5,4.5\r\n", k_says_not + "'', 0, 1" + k_way},
    {"PandasNumbersAfterTheByteOrderMark", four("\xef\xbb\xbf,0,1,2"), k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumbersInTabs", "\t0\t1\t2\n0\t1\t2\t3\n", k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumbersInSemicolons", ";0;1;2\n0;1;2;3\n", k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumbersQuoted", four("\"\",0,1,2"), k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumbersQuotedInBlanks", "\"\" 0 1 2\n1 2 3\n", k_says_not + "'', 0, 1, 2" + k_way},
    {"PandasNumberOfASeries", ",0\n0,1.5\n1,2.5\n", k_says_not + "'', 0" + k_way},
    {"PandasNumbersAlone", ",0,1,2\n", k_says_not + "'', 0, 1, 2" + k_way},
    {"ManyNames", "a,b,c,d,e,f,g,h,i,j,k,l,m,n\n1,2,3,4,5,6,7,8,9,10,11,12,13,14\n",
     k_says_not + "a, b, c, d, e, f, g, h, i, j, k, l and 2 more" + k_way},
    {"NotPrintable", four("h\xc3\xb6he,b\xe9,,c"), k_says_not + "h\xc3\xb6he, b\\xe9, '', c" + k_way},
    {"InAComment", "# by hand\n# id u v w\n1 2 3 4\n", ":2: " + k_comment_says_not + "id, u, v, w" + k_way},
    {"CommentOfOtherLength", "# columns: id x y z\n7.5 1 2 3\n",
     ":1: this comment names x and y, but not all of the 4 columns of the rows; say which are coordinates, "
     "by their numbers from 1, with --columns"},
    {"FourWithoutNames", "7,1,2,3\n1,4,5,6\n", ":1: row has 4" + k_without_names},
    {"FiveWithoutNames", "1 1 2 3 0.5\n2 4 5 6 0.5\n", ":1: row has 5" + k_without_names},
    {"FourAfterATitle", "a title of six words here\n7 1 2 3\n1 4 5 6\n", ":2: row has 4" + k_without_names},
    {"ColumnNumbers", "0,1,2,3\n1,4,5,6\n", k_doubtful},
    {"ColumnNumbersAlone", "0,1,2\n", k_doubtful},
    {"ColumnNumbersInBlanks", "0 1 2\n4 5 6\n", k_doubtful},
    {"ColumnNumbersWithADelimiterAtTheEnd", "0,1,2,\n4,5,6,\n", k_doubtful},
};

TEST(HeaderRefused, ListsTheNames) { expect_refusals("a.csv", k_refused_headers); }

TEST(Header, OfColumnNumbersMayEndInADelimiterAsItsRows) {
  for (const std::string bytes :
       {"0,1,2,\n4,5,6,\n7,8,9,\n", "0\t1\t2\t\n4\t5\t6\t\n7\t8\t9\t\n", "0,1,2, \n4,5,6, \n7,8,9, \n"})
    EXPECT_EQ(points_in("a.csv", bytes, {.header = true}), (Numbers{4, 5, 6, 7, 8, 9})) << bytes;
}

TEST(HeaderRefused, NumbersSettleWhatACommentLeavesOpen) {
  EXPECT_EQ(points_in("a.xyz", "# columns: id x y z\n7.5 1 2 3\n", {.columns = {"2", "3", "4"}}), (Numbers{1, 2, 3}));
}

TEST(HeaderRefused, NumbersFromOneSettleThoseOfPandas) {
  for (const std::string first : {",0,1,2", "\"\",0,1,2"}) {
    const Cloud cloud = read_bytes("a.csv", four(first), {.columns = {"2", "3", "4"}});
    EXPECT_EQ(coordinates_of(cloud.points), (Numbers{2, 3, 4, 6, 7, 8})) << first;
    EXPECT_EQ(cloud.columns, (Lines{"2", "3", "4"})) << first;
  }
  EXPECT_EQ(points_in("a.csv", ",0,1\n0,1.5,2.5\n1,3.5,4.5\n", {.columns = {"2", "3"}}), (Numbers{1.5, 2.5, 3.5, 4.5}));
}

/// A first row without its x, whose other numbers do not count up from 0.
TEST(HeaderRefused, OtherNumbersAfterAnEmptyCellAreARow) {
  for (const std::string first : {",1,2,3", ",0,1,3", ",0,0,0", ",0,1.0,2", ",0,,2", ",0,2,1"})
    EXPECT_EQ(read_bytes("a.csv", four(first), {.columns = {"2", "3", "4"}}).points.size(), 3) << first;
}

TEST(HeaderRefused, TheUserSettlesALineOfColumnNumbers) {
  const std::string bytes = "0,1,2\n1,4,5\n";
  EXPECT_EQ(points_in("a.csv", bytes, {.header = true}), (Numbers{1, 4, 5}));
  EXPECT_EQ(points_in("a.csv", bytes, {.header = false}), (Numbers{0, 1, 2, 1, 4, 5}));
  EXPECT_EQ(refusal("a.csv", "0,1,2,3\n1,4,5,6\n", {.header = true}), "a.csv:2: row has 4" + k_without_names);
}

/// Two hundred thousand rows are several parts of the file.
TEST(HeaderRefused, RowNumbersAreSeenToTheLastRow) {
  std::string rows;
  for (int i = 0; i < 200'000; ++i) rows += std::to_string(i) + ",0.25,-1.5\n";
  EXPECT_EQ(
      warnings_in("a.csv", rows),
      Lines{"a.csv: column 1 numbers the rows (0, 1, ...) and is taken as x; if it is an index, use --columns 2,3"});
  EXPECT_TRUE(read_bytes("a.csv", rows + "7,0,0\n").warnings.empty());
  EXPECT_TRUE(read_bytes("a.csv", rows, {.columns = {"1", "2", "3"}}).warnings.empty());
}

}  // namespace
}  // namespace kann::formats
