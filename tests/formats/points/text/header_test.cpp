// Which columns of a text file are coordinates: the names of a header say so, in its own line or in a comment, or the
// file is refused with the list of names; without a header, a column that only numbers the rows is no coordinate.
#include "formats/points/samples.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
