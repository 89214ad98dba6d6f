// XYZ, TXT and CSV: every delimiter, header and comment gives the same points; a faulty row is refused with its line.
#include <cmath>

#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

struct TextCase {
  const char* name;
  std::string bytes;
  int dimensions = 3;
};
void PrintTo(const TextCase& c, std::ostream* out) { *out << c.name; }

class Text : public testing::TestWithParam<TextCase> {};

TEST_P(Text, GivesThePoints) {
  const Cloud cloud = read_bytes("pts.csv", GetParam().bytes);
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_EQ(cloud.points.dimensions, GetParam().dimensions);
  EXPECT_FALSE(is_float32(cloud.points));
  EXPECT_TRUE(cloud.warnings.empty());
}

/// Whole numbers that float64 holds are read, however large, and decimal numbers are rounded.
TEST(ReadText, LargeNumbers) {
  const Cloud cloud = read_bytes("a.csv",
                                 "9007199254740992,-9007199254740994,1e300\n"
                                 "00010000000000000000000000,9007199254740993.0,9007199254740991\n");
  EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{0x1p53, -0x1p53 - 2, 1e300, 1e22, 0x1p53, 0x1p53 - 1}));
}

INSTANTIATE_TEST_SUITE_P(
    Delimiters, Text,
    testing::Values(TextCase{"Blanks", "1 2 3\n4 5 6\n"}, TextCase{"RunsOfBlanks", "  1  2 \t 3 \n4 5 6\n"},
                    TextCase{"Tabs", "1\t2\t3\n4\t5\t6\n"}, TextCase{"Commas", "1,2,3\n4,5,6\n"},
                    TextCase{"CommasAndBlanks", "1, 2, 3\n4 ,5 , 6\n"}, TextCase{"Semicolons", "1;2;3\n4; 5; 6\n"},
                    TextCase{"TwoColumns", "1,2\n3,4\n5,6\n", 2}, TextCase{"TwoColumnsOfBlanks", "1 2\n3 4\n5 6\n", 2},
                    TextCase{"ExtraWords", "x,y,z,class\n1,2,3,ground\n4,5,6,high vegetation\n"},
                    TextCase{"EmptyLastField", "1,2,3,\n4,5,6,\n"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(Headers, Text,
                         testing::Values(TextCase{"Xyz", "x,y,z\n1,2,3\n4,5,6\n"},
                                         TextCase{"Capitals", "X Y Z\n1 2 3\n4 5 6\n"},
                                         TextCase{"Quoted", "\"x\",\"y\",\"z\"\n1,2,3\n4,5,6\n"},
                                         TextCase{"OtherOrder", "id;z;y;x\n9;3;2;1\n8;6;5;4\n"},
                                         TextCase{"NotNumbersBefore", "label,x,y,z\ntree,1,2,3\nhouse,4,5,6\n"},
                                         TextCase{"XAndYAlone", "x,y,intensity\n1,2,9\n3,4,9\n5,6,9\n", 2},
                                         TextCase{"DelimiterAtTheEndOfRows", "id,x,y,z\n7,1,2,3,\n8,4,5,6,\n"},
                                         TextCase{"DelimiterAtTheEndOfSomeRows", "id;z;y;x\n7;3;2;1\n8;6;5;4;\n"},
                                         TextCase{"NamesWithBlanks", "x;y;z;point source\n1;2;3;0\n4;5;6;0\n"}),
                         CaseName());

INSTANTIATE_TEST_SUITE_P(Lines, Text,
                         testing::Values(TextCase{"Crlf", "x,y,z\r\n1,2,3\r\n4,5,6\r\n"},
                                         TextCase{"NoFinalNewline", "1 2 3\n4 5 6"},
                                         TextCase{"Comments", "# a\n//X,Y,Z\n1 2 3\n  # b\n4 5 6\n// c\n"},
                                         TextCase{"CommentBeforeHeader", "# made by hand\nx,y,z\n1,2,3\n4,5,6\n"},
                                         TextCase{"BlankLines", "\n\n1 2 3\n \t\n4 5 6\n\n"},
                                         TextCase{"Utf8Mark", "\xef\xbb\xbfx,y,z\n1,2,3\n4,5,6\n"},
                                         TextCase{"Utf8MarkNoHeader",
                                                  "\xef\xbb\xbf"
                                                  "1 2 3\n4 5 6\n"},
                                         TextCase{"PlusSigns", "+1 +2.0 +3e0\n4 5 6\n"},
                                         TextCase{"Exponents", "1e0 2E+00 .3e1\n4. 50e-1 6\n"}),
                         CaseName());

TEST(Text, OneRow) { EXPECT_EQ(coordinates_of(read_bytes("a.txt", "7 8 9").points), (std::vector<double>{7, 8, 9})); }

TEST(Text, NumbersAreTheNearestFloat64) {
  EXPECT_EQ(coordinates_of(read_bytes("a.xyz", "0.1 637291.123456789 1e-320\n-1e308 1e-999 3.5\n").points),
            (std::vector<double>{0.1, 637291.123456789, 1e-320, -1e308, 0, 3.5}));
}

TEST(Text, NanAndInfinityAreReadAsTheyAre) {
  const auto c = coordinates_of(read_bytes("a.xyz", "nan nan nan\ninf -inf 1\n").points);
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_EQ(std::vector<double>(c.begin() + 3, c.end()), (std::vector<double>{HUGE_VAL, -HUGE_VAL, 1}));
}

/// 4,710 valid rows, then this one.
std::string far_down(const std::string& row) {
  std::string rows;
  for (int i = 0; i < 4710; ++i) rows += std::to_string(i) + " 2.5 3\n";
  return rows + row + "\n1 2 3\n";
}

class TextRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(TextRefused, NamesTheLine) { EXPECT_EQ(refusal("pts.xyz", GetParam().bytes), "pts.xyz" + GetParam().expected); }

const std::string k_comma =
    "; a comma is a decimal one if no coordinate has a point, and one has not three digits after it";

INSTANTIATE_TEST_SUITE_P(
    VectorRows, TextRefused,
    testing::Values(
        BytesCase{"DecimalCommaAmongPoints", "1 5,5 3\n4 5.5 6\n", ":1: column 2 is not a number: '5,5'" + k_comma},
        BytesCase{"DecimalCommaOrThousands", "1,500 2,500 3\n4 5 6\n",
                  ":1: column 1 is not a number: '1,500'" + k_comma},
        BytesCase{"DecimalCommaAndThousands", "1,5 2.500,5 3\n4 5 6\n",
                  ":1: column 2 is not a number: '2.500,5'" + k_comma},
        BytesCase{"WholePastFloat64", "1 2 3\n4 -9007199254740993 6\n",
                  ":2: column 2 is a whole number past 2^53, which float64 does not hold exactly: '-9007199254740993'"},
        BytesCase{"WholeFarPastFloat64", "1 2 +1000000000000000000000001\n",
                  ":1: column 3 is a whole number past 2^53, which float64 does not hold exactly: "
                  "'+1000000000000000000000001'"},
        BytesCase{"Word", "1 2 3\n4 five 6\n", ":2: column 2 is not a number: 'five'"},
        BytesCase{"WordInFirstRow", "1 two 3\n4 5 6\n", ":1: column 2 is not a number: 'two'"},
        BytesCase{"NameInFirstRow", "p1 1 2 3\np2 4 5 6\n",
                  ":1: row has 4 columns without names; say which are coordinates, e.g. --columns 1,2,3"},
        BytesCase{"HeaderInside", "x y z\n1 2 3\nx y z\n", ":3: column 1 is not a number: 'x'"},
        BytesCase{"OutOfRange", "1 2 3\n4 1e999 6\n", ":2: column 2 is out of range: '1e999'"},
        BytesCase{"TooShort", "# c\n1 2 3\n\n4 5\n", ":4: row has 2 columns (need 3, as in line 2)"},
        BytesCase{"TooLong", "1 2 3\n4 5 6 7\n", ":2: row has 4 columns (need 3, as in line 1)"},
        BytesCase{"LongerThanHeader", "id,x,y,z\n7,5,5,5,6\n",
                  ":2: row has 5 columns (need 4, as in the header in line 1)"},
        BytesCase{"ShorterThanHeader", "# c\nx,y,z\n0,0\n1,1\n",
                  ":3: row has 2 columns (need 3, as in the header in line 2)"},
        BytesCase{"BlanksLongerThanHeader", "x y z\n7 5 5 5 5\n",
                  ":2: row has 5 columns (need 3, as in the header in line 1)"},
        BytesCase{"TwoEmptyFieldsAtTheEnd", "x,y,z\n1,2,3,,\n",
                  ":2: row has 5 columns (need 3, as in the header in line 1)"},
        BytesCase{"LaterRowLongerThanHeader", "x,y\n1,2,\n1,2,3\n",
                  ":3: row has 3 columns (need 2, as in the header in line 1)"},
        BytesCase{"DelimiterAtTheEndWithoutHeader", "1,2,3\n4,5,6,\n", ":2: row has 4 columns (need 3, as in line 1)"},
        BytesCase{"OtherDelimiter", "1,2,3\n4;5;6\n", ":2: column 1 is not a number: '4;5;6'"},
        BytesCase{"OneColumn", "1\n2\n3\n", ":1: row has 1 column (need 2 or more)"},
        BytesCase{"CountOfMore", "3\n1 2 3\n4 5 6\n", ": the first line says 3 rows, and 2 follow"},
        BytesCase{"CountOfFewer", "1\nx,y\n1,2\n4,5\n", ": the first line says 1 rows, and 2 follow"},
        BytesCase{"Molecule", "2\nwater, 0.1 ps\nO 1 2 3\nH 4 5 6\n",
                  ":1: row has 1 column (need 2 or more); a molecule? remove two lines (tail -n +3) and use "
                  "--columns 2,3,4"},
        BytesCase{"MoleculeOfLammps", "1\nAtoms. Timestep: 0\n1 2 2.5 0\n",
                  ":1: row has 1 column (need 2 or more); a molecule? remove two lines (tail -n +3) and use "
                  "--columns 2,3,4"},
        BytesCase{"MoleculeWithoutAName", "2\n\n  O   1 2 3 0.5\n  H   4 5 6 0.5\n",
                  ":1: row has 1 column (need 2 or more); a molecule? remove two lines (tail -n +3) and use "
                  "--columns 2,3,4"},
        BytesCase{"MoleculeWithAsManyWords", "2\nwater of last night\nO 1 2 3\nH 4 5 6\n",
                  ":1: row has 1 column (need 2 or more); a molecule? remove two lines (tail -n +3) and use "
                  "--columns 2,3,4"},
        BytesCase{"Sexagesimal", "x,y\n05:34:31.9,2\n",
                  ":2: column 1 is not a number: '05:34:31.9'; sexagesimal? angles are in degrees, hours or radians"},
        BytesCase{"NotACount", "2.5\n1 2 3\n", ":1: row has 1 column (need 2 or more)"},
        BytesCase{"CountAndWords", "2\none two three\n", ":1: row has 1 column (need 2 or more)"},
        BytesCase{"MidLine", "1 2 3\n4 5", ":2: row has 2 columns (need 3, as in line 1)"},
        BytesCase{"Nul", std::string("1 2 3\n4 5 6\0\n", 13), ":2: NUL byte in the text"},
        BytesCase{"LongWord", "1 2 3\n4 5 " + std::string(100'000, 'w') + "\n",
                  ":2: column 3 is not a number: '" + std::string(40, 'w') + "...'"},
        BytesCase{"Utf16",
                  std::string("\xff\xfe"
                              "1\0 \0002\0\n\0",
                              10),
                  ": UTF-16 is not read; convert it, e.g. with 'iconv -f UTF-16 -t UTF-8'"}),
    CaseName());

}  // namespace
}  // namespace kann::formats
