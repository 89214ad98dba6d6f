// Cells in double quotes (RFC 4180): names and numbers, with delimiters and quotes within.
#include "formats/points/read_support.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::vector<std::string> fields(const std::string& line, Delimiter delimiter = Delimiter::comma) {
  std::vector<std::string> all;
  Fields walk(line, delimiter);
  for (std::string_view field; walk.next(field);) all.emplace_back(field);
  return all;
}

using Cells = std::vector<std::string>;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Quotes, AreTakenOffAndHideDelimiters) {
  EXPECT_EQ(fields(R"("1","2,5","")"), (Cells{"1", "2,5", ""}));
  EXPECT_EQ(fields(R"(1,"a ""b"" c",2)"), (Cells{"1", R"(a ""b"" c)", "2"}));
  EXPECT_EQ(fields(R"( "1" , " 2 ",)"), (Cells{"1", "2", ""}));
  EXPECT_EQ(fields(R"("""")"), (Cells{R"("")"}));
  EXPECT_EQ(fields("\"1;2\";\"3\"", Delimiter::semicolon), (Cells{"1;2", "3"}));
  EXPECT_EQ(fields("\t\"1\t2\"\t \"3\" ", Delimiter::tab), (Cells{"", "1\t2", "3"}));
  EXPECT_EQ(fields(" \"New York\" \t1 \"\" \"a\" ", Delimiter::blanks), (Cells{"New York", "1", "", "a"}));
}

TEST(Quotes, AreTextWhereTheyAreNotAroundACell) {
  EXPECT_EQ(fields(R"(5'10",2"3)"), (Cells{R"(5'10")", R"(2"3)"}));
  EXPECT_EQ(fields(R"("a" b,"c)"), (Cells{R"("a" b)", R"("c)"}));
  EXPECT_EQ(fields(R"(5" "a"b "c d)", Delimiter::blanks), (Cells{"5\"", R"("a"b)", R"("c)", "d"}));
}

TEST(Quotes, OnlyACellThatTheLineDoesNotCloseIsOpen) {
  const auto is_open = [](const std::string& line) {
    Fields walk(line, Delimiter::comma);
    bool is_open = false;
    for (std::string_view field; walk.next(field);) is_open |= walk.open_quote() != nullptr;
    return is_open;
  };
  for (const char* line : {R"(1,"2)", R"(")",
                           R"("")"
                           R"("")"
                           R"(")",
                           R"("a"",b)"})
    EXPECT_TRUE(is_open(line)) << line;
  for (const char* line : {R"(1,2")", R"("")", R"("a""")", R"("a" b,1)", ""}) EXPECT_FALSE(is_open(line)) << line;
}

struct QuotesCase {
  const char* name;
  std::string bytes;
};
void PrintTo(const QuotesCase& c, std::ostream* out) { *out << c.name; }

class QuotedFiles : public testing::TestWithParam<QuotesCase> {};

TEST_P(QuotedFiles, ReadAsThePlainOne) {
  const Cloud cloud = read_bytes("a.csv", GetParam().bytes);
  EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(cloud.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, QuotedFiles,
    testing::Values(QuotesCase{"AllCells", "\"x\",\"y\",\"z\"\n\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n"},
                    QuotesCase{"WithoutHeader", "\"1\",\"2\",\"3\"\r\n\"4\",\"5\",\"6\"\r\n"},
                    QuotesCase{"Numbers", "x,y,z\n\"+1\",\"2e0\", \" 3 \"\n4,\"5\",6\n"},
                    QuotesCase{"DelimitersInNames", "\"id, of tree\",x,\"y\",z\n7,1,2,3\n8,4,5,6\n"},
                    QuotesCase{"DelimitersInCells", "id,x,y,z\n\"7,8\",1,2,3\n\"9 \"\"a\"\", b\",4,5,6\n"},
                    QuotesCase{"Semicolons", "\"a;b\";\"x\";\"y\";\"z\"\n\"c;d\";\"1\";\"2\";\"3\"\n;4;5;6\n"},
                    QuotesCase{"Tabs", "\"x\"\t\"y\"\t\"z\"\n\"1\"\t\"2\"\t\"3\"\n\"4\"\t\"5\"\t\"6\"\n"},
                    QuotesCase{"LineBreaks", "x,y,\"z\nm\",\"a\nb\"\n1,2,3,\"# c\r\n\"\"\n\"\n4,5,6,\"\n\n\"\n"},
                    QuotesCase{"LineBreaksBetweenBlanks", "x y z n\n1 2 3 \"a\n3 4 b\"\n4 5 6 \"q\"\n"},
                    QuotesCase{"LineBreaksWithoutHeader", "1,2,\"3\"\n\"4\",5,6\n"},
                    QuotesCase{"QuotesWithinWords", "x,y,z,size\n1,2,3,5\"\n4,5,6,\"a\" b\n"},
                    QuotesCase{"CommentHeader", "# \"a, b\",x,\"y\",z\n7,1,2,3\n8,4,5,6\n"}),
    CaseName());

TEST(Quotes, EmptyAndMissingCells) {
  const auto points = coordinates_of(read_bytes("a.csv", "x,y,z\n1,\"\",\"NA\"\n").points);
  EXPECT_EQ(points[0], 1);
  EXPECT_TRUE(std::isnan(points[1]) && std::isnan(points[2]));
}

TEST(Quotes, NamesAreChosenWithoutThem) {
  const ReadOptions options{.columns = {"height, m", "x", "y"}};
  EXPECT_EQ(coordinates_of(read_bytes("a.csv", "\"x\",\"y\",\"height, m\"\n1,2,3\n", options).points),
            (std::vector<double>{3, 1, 2}));
}

TEST(Quotes, MayBeCharactersLikeOthers) {
  const Cloud cloud = read_bytes("a.csv", "x,y,z,size\n1,2,3,\"a\n4,5,6,b\n", {.quotes = false});
  EXPECT_EQ(coordinates_of(cloud.points), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Quotes, HoldManyQuotesAndLineBreaks) {
  const std::string cell = repeated("\"\"a\"\": 1,\n", 50'000);
  EXPECT_EQ(read_bytes("a.csv", "x,y,json\n1,2,\"" + cell + "\"\n3,4,\"" + cell + "\"\n").points.size(), 2);
}

TEST(Quotes, HoldLineBreaksWhereverAPartOfTheFileEnds) {
  std::string bytes = "x,y,label\n";
  std::vector<double> expected;
  for (int i = 0; i < 150'000; ++i) {
    bytes += std::to_string(i) + ",2,\"" + std::string(static_cast<std::size_t>(i % 97), '\n') + "\"\n";
    expected.insert(expected.end(), {static_cast<double>(i), 2});
  }
  EXPECT_EQ(coordinates_of(read_bytes("a.csv", bytes).points), expected);
}

class QuotesRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(QuotesRefused, NamesTheLine) { EXPECT_EQ(refusal("a.csv", GetParam().bytes), "a.csv" + GetParam().expected); }

const std::string k_open =
    " begins with a quote that nothing closes; where quotes are characters like others, give --quotes none: ";

INSTANTIATE_TEST_SUITE_P(
    All, QuotesRefused,
    testing::Values(BytesCase{"LineBreak", "x,y,z,label\n1,2,3,\"a\n5,6,7,b\n", ":2: column 4" + k_open + "'\"a'"},
                    BytesCase{"LineBreaksWithoutEnd", "x,y\n1,\"" + std::string(2 << 20, '\n') + "\"\n",
                              ":2: column 2" + k_open + "'\"'"},
                    BytesCase{"BackslashOfR", "\"x\" \"y\" \"n\"\n1 2 \"a\\\"b\"\n",
                              ":2: column 3 has a backslash before a quote: '\"a\\\"b\"'; two quotes stand for one in "
                              "quotes, as write.table(qmethod = \"double\") of R writes them, or give --quotes none"},
                    BytesCase{"LineBreaksOfMegabytes", "x,y\n1,\"" + repeated("a\n", 5 << 19) + "\"\n",
                              ":2: column 2" + k_open + "'\"a'"},
                    BytesCase{"OpenBeforeAllRows", "x,y,t\n1,2,\"a\n" + repeated("1,2,abc\n", 1 << 20),
                              ":2: column 3" + k_open + "'\"a'"},
                    BytesCase{"OpenAfterAPart",
                              "x,y,t\n" + repeated("1,2,abc\n", 600'000) + "1,2,\"a\n" + repeated("1,2,abc\n", 600'000),
                              ":600002: column 3" + k_open + "'\"a'"},
                    BytesCase{"QuotesThatAreCharacters", "name\tx\ty\n" + repeated("\"a\t1\t2\n", 20'000),
                              ":2: column 1" + k_open + "'\"a'"},
                    BytesCase{"OpenNumber", "x,y,z\n1,\"2,3\n", ":2: column 2" + k_open + "'\"2'"},
                    BytesCase{"TextAfterANumber", "x,y,z\n1,\"2\"a,3\n", ":2: column 2 is not a number: '\"2\"a'"},
                    BytesCase{"DecimalComma", "x,y,z\n1,\"2,5\",3\n", ":2: column 2 is not a number: '2,5'"},
                    BytesCase{"DelimiterInARowTooShort", "x,y,z\n1,\"2,3\"\n", ":2: column 2 is not a number: '2,3'"}),
    CaseName());

}  // namespace
}  // namespace kann::formats
