// Inputs that could mean two things are refused, and so is what would silently be read as something else.
#include <cstdint>
#include <cstring>
#include <utility>

#include "run_kann.hpp"

namespace kann::test {
namespace {

std::string float_bytes(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class MeaningTest : public ProgramTest {
 protected:
  MeaningTest() : ProgramTest("--device cpu --force -k 1 -o o.csv --exact") {}

  void expect_warning(const Outcome& o, const std::string& message) const {
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(has(o.err, "kann: warning: " + message + "\n"));
  }
  static testing::AssertionResult warns(const Outcome& o) { return has(o.err, "warning"); }
};

/// pandas writes such a line with to_csv(index=False).
TEST_F(MeaningTest, AFirstLineOfColumnNumbersIsSettledByTheUser) {
  for (const std::string line : {"0,1", "0,1,2", "0,1,2,3", "0,1,2,3,4,5,6,7"}) {
    const std::string point = line == "0,1" ? "5.5,6.5\n" : "5.5,6.5,7.5" + std::string(line.substr(5)) + "\n";
    write_file("a.csv", line + "\n" + point + point);
    expect_refused("--data a.csv --columns 1,2", 3,
                   "a.csv:1: 0, 1, 2, ... is a point, or the numbers of the columns; say which, with --header no or "
                   "--header yes");
    const auto queries = [&](const std::string& header) {
      return kann("--data a.csv --columns 1,2 --header " + header).err.substr(0, 12);
    };
    EXPECT_EQ(queries("yes"), "kann: 2 quer");
    EXPECT_EQ(queries("no"), "kann: 3 quer");
  }
  write_file("a.csv", ",0,1\n0,5,6\n1,7,8\n");  // with the empty cell over the index, it can only be a header
  succeeds("--data a.csv --columns 2,3");
}

TEST_F(MeaningTest, AHeaderThatIsNoneIsRefused) {
  write_file("a.csv", "1.5,2.5,3.5\n4.5,5.5,6.5\n");
  expect_refused("--data a.csv --header yes", 3, "a.csv:1: --header yes: this line does not name the columns");
  succeeds("--data a.csv --header no");
  write_file("b.csv", "x,y,z\n4.5,5.5,6.5\n");
  expect_refused("--data b.csv --header no", 3, "b.csv:1: column 1 is not a number: 'x'");
  succeeds("--data b.csv --header yes");
  write_file("c.xyz", "# x y z\n0 1 2\n3 4 5\n");  // numpy.savetxt(header="x y z")
  EXPECT_TRUE(has(kann("--data c.xyz --header yes").err, "kann: 2 queries"));
  expect_refused("--data c.xyz --header maybe", 2, "--header expects yes or no, got 'maybe'");
}

TEST_F(MeaningTest, MoreThanThreeColumnsWithoutNamesAreNoPoints) {
  for (const int columns : {4, 8, 100}) {
    std::string row = "1.5";
    for (int i = 1; i < columns; ++i) row += " 2.5";
    write_file("a.txt", row + "\n" + row + "\n");
    expect_refused("--data a.txt", 3,
                   "a.txt:1: row has " + std::to_string(columns) +
                       " columns without names; say which are coordinates, e.g. --columns 1,2,3");
    succeeds("--data a.txt --columns 1,2,3");
  }
}

TEST_F(MeaningTest, AnIndexOfTwoCoordinatesIsAWarning) {
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += std::to_string(i) + "," + std::to_string(i * .37) + ",1.5\n";
  write_file("a.csv", rows);
  expect_warning(kann("--data a.csv"),
                 "a.csv: column 1 numbers the rows (0, 1, ...) and is taken as x; if it is "
                 "an index, use --columns 2,3");
  write_file("a.csv", rows + "7,1,2\n");
  EXPECT_FALSE(warns(kann("--data a.csv")));
}

TEST_F(MeaningTest, AFormatThatTheFirstBytesContradictIsRefused) {
  write_file("a.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
             "end_header\n1 2 3    \n");
  for (const auto& [format, name] : {std::pair<std::string, std::string>{"kitti", "KITTI"},
                                     {"fvecs", "fvecs"},
                                     {"fbin", "fbin"},
                                     {"npy", "NPY"},
                                     {"las", "LAS"},
                                     {"csv", "text"}})
    expect_refused("--data a.ply --data-format " + format, 3,
                   "a.ply: it begins as a file of PLY does, but --data-format says " + name);
  write_file("b.xyz", "1.25 2.25 3.25\n4.5 5.5 6.5\n12.25 2.25 3.25\n");
  expect_refused("--data a.ply --query b.xyz --query-format kitti", 3,
                 "b.xyz: it begins as a file of text does, but --query-format says KITTI");
  succeeds("--data b.xyz --data-format csv");
}

/// The first float32 of a frame may have the two bytes of gzip, or of UTF-16.
TEST_F(MeaningTest, NumbersMayBeginWithAnyBytes) {
  for (const std::uint32_t bits : {0x41008b1fu, 0x4100fffeu, 0x4100feffu}) {
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    write_file("f.bin", float_bytes({x, 2, 3, .5f, 4, 5, 6, .25f}));
    succeeds("--data f.bin --data-format kitti");
  }
}

TEST_F(MeaningTest, TheHintNamesTheOptionOfTheFile) {
  write_file("a.xyz", "1 2 3\n");
  write_file("f.bin", float_bytes({1, 2, 3, 4}));
  for (const auto& [clouds, option] : {std::pair<std::string, std::string>{"--data f.bin", "--data-format"},
                                       {"--data a.xyz --query f.bin", "--query-format"}}) {
    const std::string error = error_of(clouds, 3);
    EXPECT_TRUE(has(error, "are read with " + option + " kitti;"));
    EXPECT_TRUE(has(error, "numpy.save(\"f.npy\", numpy.fromfile(\"f.bin\""));
  }
}

TEST_F(MeaningTest, AnglesAreNotCoordinatesOfAPlane) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"ra", "dec"}, {"lon", "lat"}, {"RAJ2000", "DEJ2000"}, {"longitude", "latitude"}, {"lng_deg", "lat_deg"}};
  for (const auto& [longitude, latitude] : pairs) {
    write_file("stars.csv", "id," + longitude + "," + latitude + "\n1,2.5,3.5\n2,4.5,5.5\n");
    const std::string message =
        "stars.csv: '" + longitude + "' and '" + latitude +
        "' are angles, and distances are those of a plane; give --sky, or convert them to x, y and z first";
    expect_refused("--data stars.csv", 3, message);
    expect_refused("--data stars.csv --columns " + longitude + "," + latitude, 3, message);
    expect_refused("--data stars.csv --columns 2,3", 3, message);
  }
  write_file("map.csv", "x,y,lon,lat\n1,2,3,4\n5,6,7,8\n");
  succeeds("--data map.csv");
}

TEST_F(MeaningTest, CloudsThatDoNotMeetAreAWarning) {
  write_cloud("a.xyz", 300, 1);
  std::string far;
  for (int i = 0; i < 50; ++i) far += std::to_string(737384.5 + i) + " 2 3\n";
  write_file("far.xyz", far);
  const std::string units = "; are they in the same unit and coordinate system?";
  const Outcome o = kann("--data a.xyz --query far.xyz");
  expect_warning(o, "the boxes around a.xyz and far.xyz do not meet: they are 7.374e+05 apart" + units);
  write_file("one.xyz", "1.1 .5 .5\n");  // a point beside the cloud
  EXPECT_FALSE(warns(kann("--data a.xyz --query one.xyz")));
  std::string beside;  // a part of the same cloud that lies beside it
  for (int i = 0; i < 50; ++i) beside += std::to_string(1.05 + .02 * i) + " " + std::to_string(i % 7 / 7.) + " .5\n";
  write_file("beside.xyz", beside);
  EXPECT_FALSE(warns(kann("--data a.xyz --query beside.xyz")));
  write_file("one.xyz", "1000 .5 .5\n");
  EXPECT_TRUE(warns(kann("--data a.xyz --query one.xyz")));
  std::string around;  // in millimetres
  for (int i = 0; i < 50; ++i)
    around += std::to_string((i - 25) * 40) + " " + std::to_string((i * 7 % 50 - 25) * 40) + " " +
              std::to_string(i % 2) + "\n";
  write_file("around.xyz", around);
  expect_warning(kann("--data a.xyz --query around.xyz"),
                 "nearly all points of around.xyz are farther from a.xyz than this is wide" + units);
  write_cloud("b.xyz", 300, 2);
  EXPECT_FALSE(warns(kann("--data a.xyz --query b.xyz")));
  EXPECT_FALSE(warns(kann("--data a.xyz --query far.xyz --periodic 2,2,2")));
}

/// Two points, and a comment that names their coordinate system.
std::string ply_in(const std::string& system) {
  return "ply\nformat ascii 1.0\ncomment crs " + system +
         "\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\nend_header\n0 0 0\n3 4 0\n";
}

TEST_F(MeaningTest, CloudsInDifferentSystemsAreTheFirstWarning) {
  write_file("a.ply", ply_in("EPSG:25832") + "rest");
  write_file("b.ply", ply_in("EPSG:25833"));
  write_file("m.ply", ply_in(R"(PROJCS["A",GEOGCS["B"],UNIT["metre",1]])"));
  write_file("ft.ply", ply_in(R"(PROJCS["A",GEOGCS["B"],UNIT["foot",0.3048]])"));
  const auto first_warning = [&](const std::string& data, const std::string& query, const std::string& memory) {
    const Outcome o = succeeds(data + " " + query + " --report r.json --html p.html --max-memory " + memory);
    const json all = json_of("r.json")["warnings"];
    const std::string warning = all.empty() ? "" : all[0].get<std::string>();
    EXPECT_TRUE(has(o.err, warning));
    const std::string page = read_file("p.html");
    EXPECT_EQ(warning.empty(), page.find("<ul><li>" + warning) == std::string::npos);
    return warning;
  };
  const std::string mend = ": distances between them mean nothing; transform one of them";
  EXPECT_EQ(first_warning("a.ply", "b.ply", "1G"), "a.ply is in EPSG:25832, but b.ply is in EPSG:25833" + mend);
  EXPECT_EQ(first_warning("m.ply", "ft.ply", "1G"), "m.ply is in m, but ft.ply is in ft" + mend);
  EXPECT_EQ(first_warning("b.ply", "m.ply", "1G"), "");
}

/// The unit of the coordinate system, unless --unit is another name for it, which converts nothing.
TEST_F(MeaningTest, TheUnitStandsInSummaryTablePageAndReport) {
  write_file("ft.ply", ply_in(R"(PROJCS["A",GEOGCS["B"],UNIT["foot",0.3048]])"));
  for (const auto& [label, unit] : {std::pair<std::string, std::string>{"", "ft"}, {"--unit yards", "yards"}}) {
    const Outcome o = succeeds("--data ft.ply --stats --html p.html --radius 9 --report r.json " + label);
    EXPECT_TRUE(has(o.err, "; exact, in " + unit + "; 2 neighbours within 9 " + unit));
    EXPECT_TRUE(has(o.err, "distances per rank: exact, in " + unit));
    EXPECT_TRUE(has(read_file("p.html"), "<h2>Distances in " + unit));
    EXPECT_EQ(json_of("r.json")["unit"], unit);
    EXPECT_EQ(read_file("o.csv"), "query,rank,id,distance\n0,0,1,5\n1,0,0,5\n");
  }
  EXPECT_EQ(json::parse(run("info ft.ply --json").out)["coordinate_system"]["unit"], "ft");
}

TEST_F(MeaningTest, TheDataAsQueriesAreAWarning) {
  write_cloud("a.xyz", 30, 1);
  expect_warning(
      kann("--data a.xyz --query ./a.xyz"),
      "--query ./a.xyz is the data: each point is its own nearest neighbour; without --query, its neighbours "
      "are others");
}

TEST_F(MeaningTest, AFolderIsAnsweredWithItsFiles) {
  write_cloud("a.xyz", 30, 1);
  std::filesystem::create_directory(path("frames"));
  write_cloud("frames/b.xyz", 30, 2);
  expect_refused("--data frames", 3,
                 "frames: Is a directory; give one of its files, or, where several are taken, frames/*.xyz");
}

TEST_F(MeaningTest, WordsOfOtherProgramsAreUnderstood) {
  for (const auto& [typed, ours] :
       {std::pair<std::string, std::string>{"--format", "--data-format, --query-format or --output-format"},
        {"--input", "--data"},
        {"-r", "--radius"},
        {"--gpu", "--device cuda"},
        {"--neighbors", "--k"},
        {"--n-neighbors", "--k"},
        {"--search-radius", "--radius"},
        {"--eps", "--radius, if it is a distance"},
        {"--vmin", "--color-range A,B"}})
    expect_refused("--data a.xyz " + typed, 2, "unknown option '" + typed + "'; here it is " + ours);
  EXPECT_FALSE(has(error_of("--data a.xyz --normals", 2), "did you mean"));
}

TEST_F(MeaningTest, NumbersThatLackAUnitOrHaveNoUseAreRefused) {
  expect_refused("--data a.xyz --max-memory 4", 2,
                 "--max-memory expects a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as 500M or "
                 "4GB, or at least 1000000 without, got '4'");
  expect_refused("--data a.xyz --shifts 1000001", 2,
                 "--shifts expects an odd whole number from 1 to 1023, got '1000001'");
}

}  // namespace
}  // namespace kann::test
