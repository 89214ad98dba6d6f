// kann info, as a user runs it.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>

#include "../run_kann.hpp"

namespace kann::test {
namespace {

class InfoTest : public ProgramTest {
 protected:
  InfoTest() {
    write_file("a.csv", "x,y,z,name,v\n0,0,1,a,1\n1,2,nan,b,NA\n4,2,5,a,2.5\n");
    write_file("b.xyz", "1 2 3\n4 5 6\n");
  }

  json object(const std::string& words) const { return json::parse(kann("info --json " + words).out); }

  static constexpr const char* k_of_a =
      "a.csv\n"
      "  format      text; 48 bytes\n"
      "  points      3 in 3-D; 1 invalid (NaN or infinite; first: 1)\n"
      "  extent      4 x 2 x 4\n"
      "  density     0.25 per square unit in x and y, 0.0625 per cubic unit\n"
      "  system      the file names none\n"
      "  column  type             min  max  NaN or inf\n"
      "  x       int32              0    4\n"
      "  y       int32              0    2\n"
      "  z       float64            1    5           1\n"
      "  name    text     2 different\n"
      "  v       float64            1  2.5           1\n";
  static constexpr const char* k_of_b =
      "b.xyz\n"
      "  format      text; 12 bytes\n"
      "  points      2 in 3-D\n"
      "  extent      3 x 3 x 3\n"
      "  density     0.2222 per square unit in x and y, 0.07407 per cubic unit\n"
      "  system      the file names none\n"
      "  column  type   min  max\n"
      "  x       int32    1    4\n"
      "  y       int32    2    5\n"
      "  z       int32    3    6\n";
};

TEST_F(InfoTest, SaysWhatIsInAFile) {
  const Outcome o = succeeds("info a.csv");
  EXPECT_EQ(o.out, k_of_a);
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(files(), (Names{"a.csv", "b.xyz"}));
}

/// As a search reads them, which leaves the digits of names alone only in tables.
TEST_F(InfoTest, NamesThatLookLikeNumbersAreNumbers) {
  write_file("n.csv",
             "x,y,a,b,c,d\n0,1000000000000002,9007199254740993,007,18446744073709551615,-1\n"
             "1,1,-5,8,9223372036854775808,18446744073709551615\n");
  const json columns = object("n.csv")["columns"];
  const auto is = [&](std::size_t column, const std::string& expected) {
    EXPECT_EQ(columns[column], json::parse(expected)) << columns[column];
  };
  is(1, R"({"name":"y","type":"int64","min":1,"max":1000000000000002,"not_finite":0})");
  is(2, R"({"name":"a","type":"int64","min":-5,"max":9007199254740993,"not_finite":0})");
  is(3, R"({"name":"b","type":"int32","min":7,"max":8,"not_finite":0})");
  is(4, R"({"name":"c","type":"uint64","min":9223372036854775808,"max":18446744073709551615,"not_finite":0})");
  is(5, R"({"name":"d","type":"text","texts":2})");
}

TEST_F(InfoTest, AFileThatCannotBeReadDoesNotHideTheOthers) {
  write_file("c.ply", "ply\n");
  const Outcome o = kann("info a.csv nope.ply c.ply b.xyz");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, std::string(k_of_a) + "\n" + k_of_b);
  EXPECT_EQ(o.err,
            "kann: error: nope.ply: No such file or directory\n"
            "kann: error: c.ply:1: no end_header: the file ends within the header\n");
}

TEST_F(InfoTest, TheExitCodeIsThatOfTheFirstFailure) {
  write_file("unknown.dat", std::string("\1\2\3\4", 4));
  EXPECT_EQ(kann("info unknown.dat nope.ply").exit_code, 2);
  EXPECT_EQ(kann("info nope.ply unknown.dat").exit_code, 3);
  EXPECT_EQ(
      kann("info unknown.dat").err,
      "kann: error: unknown.dat: cannot tell its format; name it with --data-format (ply, xyz, txt, csv, tsv, npy, "
      "npz, pcd, las, laz, fvecs, fbin or kitti)\n");
}

TEST_F(InfoTest, AnglesAreDescribed) {
  write_file("stars.csv", "source_id,RA,Dec\n4611686018427387905,10,-20\n7,11,20\n");
  write_file("both.csv", "x,y,lon,lat\n1,2,3,4\n");
  const Outcome o = succeeds("info stars.csv");
  EXPECT_EQ(o.err, "kann: warning: stars.csv: RA and Dec are angles: searches take them with --sky\n");
  EXPECT_TRUE(has(o.out, "points      2 in 2-D\n  coordinates RA, Dec\n  extent      1 x 40\n"));
  EXPECT_EQ(kann("info stars.csv --sky").err, "");
  EXPECT_EQ(kann("info stars.csv --columns RA,Dec").err, o.err);
  const Outcome both = kann("info both.csv");
  EXPECT_EQ(both.err, "");
  EXPECT_TRUE(has(both.out, "extent      0 x 0\n"));
}

TEST_F(InfoTest, LinesFitInATerminal) {
  write_cloud("c.xyz", 1000, 3);
  for (const std::string name : {"a.csv", "b.xyz", "c.xyz"}) {
    std::istringstream lines(kann("info " + name).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 79u) << line;
  }
}

/// Every 37th allocation fails, in a run of its own.
TEST_F(InfoTest, AFailedAllocationIsALine) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer has its own malloc()";
  for (int number = 1, failed = 0;; number += 37) {
    std::filesystem::remove(path("mark"));
    const Outcome o = kann("info a.csv --threads 2", {.variables = {{"LD_PRELOAD", KANN_FAIL_ALLOCATION},
                                                                    {"FAIL_ALLOCATION", std::to_string(number)},
                                                                    {"FAIL_ALLOCATION_MARK", path("mark")}}});
    if (!std::filesystem::exists(path("mark"))) {
      EXPECT_EQ(o.out, k_of_a);
      EXPECT_GT(failed, 25);
      break;
    }
    ASSERT_TRUE(o.exit_code == 0 || o.exit_code == 4) << number << ": " << o.err;
    if (o.exit_code == 0) continue;
    EXPECT_TRUE(begins(o.err, "kann: error: "));
    ++failed;
  }
}

TEST_F(InfoTest, JsonHasALineAFile) {
  const Outcome o = kann("info --json a.csv nope.ply b.xyz");
  EXPECT_EQ(o.exit_code, 3);
  std::istringstream lines(o.out);
  std::vector<json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0]["invalid"], json::parse(R"({"points":1,"first":1})"));
  EXPECT_EQ(objects[0]["extent"], json::parse(R"({"min":[0.0,0.0,1.0],"max":[4.0,2.0,5.0]})"));
  EXPECT_EQ(objects[0]["density"], json::parse(R"({"area":0.25,"volume":0.0625})"));
  EXPECT_EQ(objects[0]["columns"][3], json::parse(R"({"name":"name","type":"text","texts":2})"));
  EXPECT_EQ(objects[0]["columns"][4],
            json::parse(R"({"name":"v","type":"float64","min":1.0,"max":2.5,"not_finite":1})"));
  EXPECT_EQ(objects[1], json::parse(R"({"version":1,"path":"nope.ply","error":{"kind":"bad_input",
                                        "message":"nope.ply: No such file or directory","exit_code":3}})"));
  EXPECT_EQ(objects[2]["points"], 2);
}

TEST_F(InfoTest, ReadsStandardInput) {
  const Outcome o = succeeds("info - --data-format xyz", {.stdin_text = "1 2 3\n4 5 6\n"});
  EXPECT_TRUE(begins(o.out, "stdin\n  format      text; 12 bytes\n  points      2 in 3-D\n"));
  EXPECT_EQ(
      kann("info -").err,
      "kann: error: kann info - needs --data-format (ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or "
      "kitti)\n");
  EXPECT_EQ(kann("info - - --data-format xyz").err, "kann: error: kann info: there is one standard input\n");
}

TEST_F(InfoTest, TakesTheOptionsOfReading) {
  write_file("c.csv", "a,b,c\n1,2,3\n2,4,6\n");
  const Outcome o = kann("info c.csv --columns a,c");
  EXPECT_TRUE(begins(o.out,
                     "c.csv\n  format      text; 18 bytes\n  points      2 in 2-D\n  coordinates a, c\n"
                     "  extent      1 x 3\n  density     0.6667 per square unit in a and c\n"))
      << o.err;
  write_file("d.csv", "0,1,2\n3,4,5\n");
  EXPECT_EQ(kann("info d.csv").exit_code, 3);
  EXPECT_EQ(object("d.csv --header no")["points"], 2);
  write_file("e.csv", "ra,dec\n10,20\n");
  for (const std::string words : {"e.csv", "e.csv --sky"})
    EXPECT_EQ(object(words)["coordinates"], json::parse(R"(["ra","dec"])"));
}

TEST_F(InfoTest, CloudsWithoutAreaHaveNoDensity) {
  write_file("none.ply",
             "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
             "property float z\nend_header\n");
  const json none = object("none.ply");
  EXPECT_EQ(none["points"], 0);
  EXPECT_EQ(none["extent"], nullptr);
  EXPECT_EQ(none["density"], nullptr);
  EXPECT_EQ(none["columns"][0], json::parse(R"({"name":"x","type":"float32","min":null,"max":null,"not_finite":0})"));
  EXPECT_EQ(kann("info none.ply").out,
            "none.ply\n  format      PLY, ascii; 100 bytes\n  points      0 in 3-D\n  system      the file names none\n"
            "  column  type     min  max\n  x       float32    -    -\n  y       float32    -    -\n"
            "  z       float32    -    -\n");
  write_file("one.xyz", "1 2 3\n");
  EXPECT_EQ(object("one.xyz")["density"], json::parse(R"({"area":null,"volume":null})"));
  EXPECT_TRUE(has(kann("info one.xyz").out, "  density     none, as the extent has no area\n"));
  write_file("nan.csv", "x,y\nnan,1\n2,nan\n");
  EXPECT_EQ(object("nan.csv")["invalid"], json::parse(R"({"points":2,"first":0})"));
  EXPECT_EQ(object("nan.csv")["extent"], nullptr);
}

TEST_F(InfoTest, WarningsOfReadersAreGivenAndKept) {
  write_file("a.ply", "1 2 3\n4 5 6\n");
  EXPECT_EQ(kann("info a.ply").exit_code, 3);
  write_file("b.npy", read_file("b.xyz"));
  write_file("l.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
             "property list uchar int l\nend_header\n1 2 3 1 7\n");
  const std::string warning = "l.ply: left out of the attributes: 'l' is a list";
  EXPECT_EQ(kann("info l.ply").err, "kann: warning: " + warning + "\n");
  EXPECT_EQ(object("l.ply")["warnings"], json({warning}));
  EXPECT_EQ(kann("info l.ply -q").err, "");
}

TEST_F(InfoTest, HostileFilesGetALineEach) {
  std::filesystem::create_directory(path("folder"));
  write_file("empty.ply", "");
  write_file("cut.npy", std::string("\x93NUMPY\1\0", 8));
  write_file("lies.ply",
             "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\n"
             "property float z\nend_header\n0123");
  write_file("garbage.las", std::string("\1\0\2garbage", 10));
  write_file("shop.laz", "LASF");
  for (const std::string name : {"folder", "empty.ply", "cut.npy", "lies.ply", "garbage.las", "shop.laz", "nope"}) {
    const Outcome o = kann("info " + name, {.address_space = k_is_sanitized ? 0 : std::uint64_t{1} << 30});
    EXPECT_EQ(o.exit_code, 3) << name;
    EXPECT_EQ(o.out, "") << name;
    EXPECT_TRUE(begins(o.err, "kann: error: " + name));
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
  }
}

TEST_F(InfoTest, ReadsAFifo) {
  ASSERT_EQ(mkfifo(path("f.xyz").c_str(), 0600), 0);
  const pid_t pid = start("info f.xyz");
  write_file("f.xyz", "1 2 3\n4 5 6\n");
  const Outcome o = finish(pid);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(begins(o.out, "f.xyz\n  format      text\n  points      2 in 3-D\n"));
}

TEST_F(InfoTest, ControlCharactersAreNotPrinted) {
  write_file("e.csv", "x,y,\x1b[31mred\n1,2,3\n");
  const Outcome o = kann("info e.csv");
  EXPECT_FALSE(has(o.out, "\x1b"));
  EXPECT_TRUE(has(o.out, "\\x1b[31mred"));
}

TEST_F(InfoTest, UsageErrors) {
  expect_refused("info", 2, "kann info expects files, as in: kann info pts.ply; see kann info --help");
  expect_refused("info a.csv ''", 2, "kann info expects files, got ''");
  expect_refused("info a.csv --k 3", 2,
                 "--k is no option of kann info, which takes --data-format, --columns, --header, --quotes, --sky, "
                 "--threads, --json, --quiet, --progress, --color, --help");
  expect_refused("info a.csv --jsn", 2, "unknown option '--jsn'; did you mean '--json'?");
  expect_refused("info a.csv --columns 1 --json", 2,
                 "--columns expects two or three different columns, by name or by number from 1, got '1'");
  expect_refused("--force info a.csv", 2, "'info' comes before all options, as in: kann info pts.ply --json");
}

/// Files may have the name, too.
TEST_F(InfoTest, AValueThatIsCalledInfoIsAFile) {
  write_file("info", "1 2 3\n4 5 6\n");
  succeeds("--data info -k 1 -o nn.csv");
  EXPECT_EQ(object("info")["points"], 2);
}

TEST_F(InfoTest, HelpHasItsOptionsAlone) {
  const Outcome o = succeeds("info --help");
  EXPECT_TRUE(has(o.out, "--columns"));
  EXPECT_FALSE(has(o.out, "--radius"));
  EXPECT_EQ(kann("info -h").out, o.out);
}

}  // namespace
}  // namespace kann::test
