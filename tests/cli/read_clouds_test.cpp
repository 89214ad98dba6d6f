// Two clouds are read at the same time; their messages come in the same order as if read one after the other.
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include "run_kann.hpp"

namespace kann::test {
namespace {

/// A folder with the clouds pts.xyz (300 points) and q.xyz (40).
class ReadCloudsTest : public ProgramTest {
 protected:
  ReadCloudsTest() {
    write_cloud("pts.xyz", 300, 1);
    write_cloud("q.xyz", 40, 2);
  }

  /// 300,000 points, so that reading them takes longer than reading a short file.
  void write_slow_cloud(const std::string& name, const std::string& last_line = "") const {
    std::string text;
    for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + " 0.5 -1\n";
    write_file(name, text + last_line);
  }

  static std::string search(const std::string& data, const std::string& query) {
    return data + " " + query + " --device cpu --force -k1 -o out.csv";
  }
  void refuse(const std::string& data, const std::string& query, const std::string& error) const {
    expect_refused(search(data, query), 3, error);
  }
};

TEST_F(ReadCloudsTest, OfTwoErrorsTheOneInTheDataIsReported) {
  write_slow_cloud("slow.xyz", "1 2 x\n");
  write_file("bad.xyz", "1 2 3\n4 5 y\n");
  refuse("nope.ply", "none.ply", "nope.ply: No such file or directory");
  refuse("bad.xyz", "none.ply", "bad.xyz:2: column 3 is not a number: 'y'");
  refuse("slow.xyz", "bad.xyz", "slow.xyz:300001: column 3 is not a number: 'x'");
  refuse("bad.xyz", "slow.xyz", "bad.xyz:2: column 3 is not a number: 'y'");
  refuse("pts.xyz", "bad.xyz", "bad.xyz:2: column 3 is not a number: 'y'");
}

TEST_F(ReadCloudsTest, WarningsComeInTheOrderOfTheClouds) {
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n1 2 3\n";
  write_file("query.ply", ply + "tail\n");
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += "1 2 3\n";
  write_file("data.ply", std::string(ply).replace(ply.find("vertex 1"), 8, "vertex 100001") + rows + "more\n");
  const std::string of_data = "kann: warning: data.ply: 5 bytes after the last element are not read\n";
  EXPECT_TRUE(begins(succeeds(search("data.ply", "query.ply")).err,
                     of_data + "kann: warning: query.ply: 5 bytes after the last element are not read\n"));
  EXPECT_EQ(error_of(search("data.ply", "nope.xyz"), 3),
            of_data + "kann: error: nope.xyz: No such file or directory\n");
}

TEST_F(ReadCloudsTest, APipeIsReadAfterTheData) {
  ASSERT_EQ(mkfifo(path("pipe.xyz").c_str(), 0600), 0);
  const std::string cloud = read_file("q.xyz");
  refuse("nope.xyz", "pipe.xyz", "nope.xyz: No such file or directory");

  const std::string expected = written(search("pts.xyz", "q.xyz"), "out.csv");
  std::jthread writer([&] { std::ofstream(path("pipe.xyz")) << cloud; });
  EXPECT_EQ(written(search("pts.xyz", "pipe.xyz"), "out.csv"), expected);
}

TEST_F(ReadCloudsTest, AFailureDoesNotWaitForTheOtherCloud) {
  std::error_code error;
  write_file("sparse.ply", "ply\n");
  std::filesystem::resize_file(path("sparse.ply"), std::uintmax_t{1} << 29, error);  // reading it takes almost a second
  if (error) GTEST_SKIP() << "the file system has no sparse files";
  refuse("nope.xyz", "sparse.ply", "nope.xyz: No such file or directory");
}

TEST_F(ReadCloudsTest, OneFileCanBeDataAndQuery) {
  EXPECT_TRUE(has(written(search("pts.xyz", "pts.xyz"), "out.csv"), "\n7,0,7,0\n"));
}

/// A folder with the empty clouds none.csv, none.npy and none.ply, and flat.xyz, which is 2-D.
class EmptyCloudsTest : public ReadCloudsTest {
 protected:
  void write_empty_clouds(bool is_flat) const {
    const std::string npy =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, " + std::string(is_flat ? "2" : "3") + "), }\n";
    write_file("none.csv", is_flat ? "x,y\n" : "x,y,z\n");
    write_file("none.npy", "\x93NUMPY" + std::string("\x01\0", 2) + static_cast<char>(npy.size()) + '\0' + npy);
    write_file("none.ply", "ply\nformat ascii 1.0\n" + std::string(is_flat ? "comment dimensions 2\n" : "") +
                               "element vertex 0\nproperty double x\nproperty double y\n" +
                               std::string(is_flat ? "" : "property double z\n") + "end_header\n");
    write_file("flat.xyz", "1 2\n3 4\n");
  }

  /// Exit code, messages without times, and result of a search in which NONE is the empty cloud of that format.
  std::string outcome(const std::string& search, const std::string& extension) const {
    const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
      for (std::size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
      return text;
    };
    std::filesystem::remove(path("out.csv"));
    const Outcome o = kann(replaced(search, "NONE", "none" + extension) + " --device cpu -k1 --force -o out.csv");
    const std::string text = replaced(o.err.substr(0, o.err.find(": read ")), "none" + extension, "NONE");
    return std::to_string(o.exit_code) + " " + text + (o.exit_code == 0 ? "\n" + read_file("out.csv") : "");
  }
};

TEST_F(EmptyCloudsTest, BehaveAlikeInAllFormats) {
  const std::string searches[] = {"--data NONE",
                                  "--data NONE --query q.xyz",
                                  "--data q.xyz --query NONE",
                                  "--data flat.xyz --query NONE",
                                  "--data NONE --query NONE",
                                  "--data NONE --exact --verify"};
  for (const bool is_flat : {false, true}) {
    write_empty_clouds(is_flat);
    for (const auto& arguments : searches) {
      const std::string csv = outcome(arguments, ".csv");
      EXPECT_EQ(outcome(arguments, ".npy"), csv);
      EXPECT_EQ(outcome(arguments, ".ply"), csv);
    }
    for (const auto& arguments : searches) {
      const std::string said = outcome(arguments, ".csv");
      EXPECT_TRUE(said[0] != '0' || said.find("kann: warning: NONE has no points\n") != std::string::npos) << said;
    }
    // The header's names give the dimensions of the empty text file.
    EXPECT_EQ(outcome(searches[2], ".csv")[0], is_flat ? '3' : '0');
    EXPECT_EQ(outcome(searches[3], ".csv")[0], is_flat ? '0' : '3');
  }
}

TEST_F(ReadCloudsTest, ColumnsChooseTheCoordinatesOfBothClouds) {
  write_file("data.csv", "id,Rechts,Hoch\n7,0,0\n8,10,0\n");
  write_file("query.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty float Hoch\nproperty float Rechts\nend_header\n0 9\n");
  const std::string both = "--data data.csv --query query.ply --device cpu --exact -k1 -o - --output-format csv";
  expect_refused(
      both, 3,
      "data.csv:1: the header does not say which columns are x, y and z: id, Rechts, Hoch; name them, or give their "
      "numbers from 1, with --columns (for both clouds; --query-columns is for --query alone)");
  EXPECT_EQ(written(both + " --columns 'Rechts, Hoch'"), "query,rank,id,distance\n0,0,1,1\n");
  expect_refused(both + " --columns Recht,Hoch", 3,
                 "data.csv: --columns (for both clouds; --query-columns is for --query alone): no column 'Recht'; did "
                 "you mean 'Rechts'? the file has id, Rechts, Hoch");
  for (const std::string wrong : {"Rechts", "1,2,3,4", "0,1", "-1,2", "x,x", "x,,y", ""})
    expect_refused(
        both + " --columns '" + wrong + "'", 2,
        "--columns expects two or three different columns, by name or by number from 1, got '" + wrong + "'");
}

/// The numbers of the columns of one file are not those of the other.
TEST_F(ReadCloudsTest, QueryColumnsAreThoseOfTheQueriesAlone) {
  write_file("map.ply",
             "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
             "property uchar red\nend_header\n0 0 0 7\n10 0 0 7\n");
  write_file("q.csv", "id,Rechts,Hoch,Height\n5,9,0,0\n");
  const std::string search = "map.ply q.csv --device cpu --exact -k1 -o - --output-format csv ";
  const std::string found = "query,rank,id,distance\n0,0,1,1\n";
  expect_refused(search, 3,
                 "q.csv:1: the header does not say which columns are x, y and z: id, Rechts, Hoch, Height; name them, "
                 "or give their numbers from 1, with --query-columns");
  EXPECT_EQ(written(search + "--query-columns 2,3,4"), found);
  EXPECT_EQ(written(search + "--query-columns Rechts,Hoch,Height"), found);
  EXPECT_EQ(written(search + "--query-columns Rechts,Hoch,Height --columns 1,2,3"), found);
  expect_refused(search + "--query-columns 2,3,5", 3,
                 "q.csv: --query-columns: no column 5; the file has 4: id, Rechts, Hoch, Height");
  const std::string both = "map.ply: --columns (for both clouds; --query-columns is for --query alone): ";
  expect_refused(search + "--columns 2,3,4", 3,
                 both +
                     "property 4 is 'red', but the file names its coordinates itself: x,y,z; to take it, give names: "
                     "y,z,red");
  expect_refused(search + "--columns Rechts,Hoch,Height", 3, both + "no property 'Rechts'; the file has x, y, z, red");

  // The places at two times in one file
  write_file("moved.csv", "x,y,x_new,y_new\n0,0,1,0\n5,0,5,3\n");
  const Outcome moved = kann(
      "--data moved.csv --query moved.csv --query-columns x_new,y_new --exact -k1 -o - --output-format csv --device "
      "cpu");
  EXPECT_EQ(moved.out, "query,rank,id,distance\n0,0,0,1\n1,0,1,3\n");
  EXPECT_FALSE(has(moved.err, "warning"));
}

TEST_F(ReadCloudsTest, OtherDimensionsAreRefusedWithAWayOut) {
  write_file("flat.csv", "x,y\n0,0\n1,0\n");
  write_file("high.csv", "x,y,z\n0,0,9\n1,0,9\n");
  refuse("flat.csv", "high.csv",
         "high.csv: points have 3 coordinates (flat.csv has 2); --columns x,y takes two of both");
  refuse("high.csv", "flat.csv",
         "flat.csv: points have 2 coordinates (high.csv has 3); --columns x,y takes two of both");
  EXPECT_EQ(written(search("flat.csv", "high.csv") + " --columns x,y", "out.csv"),
            "query,rank,id,distance\n0,0,0,0\n1,0,1,0\n");
}

TEST_F(ReadCloudsTest, MissingCellsAreInvalidCoordinates) {
  write_file("gaps.csv", ",x,y,z\n0,0,0,0\n1,1,,1\n2,2,2,2\n3,,,\n");
  const std::string search = "--data gaps.csv -k1 --device cpu -o out.csv";
  expect_refused(search, 3, "gaps.csv: 2 of 4 points have NaN or infinite coordinates (first: 1); use --invalid skip");
  EXPECT_EQ(written(search + " --invalid skip", "out.csv"),
            "query,rank,id,distance\n0,0,2,3.4641016\n1,0,-1,inf\n2,0,0,3.4641016\n3,0,-1,inf\n");
}

}  // namespace
}  // namespace kann::test
