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

  Outcome search(const std::string& data, const std::string& query) const {
    return run({"--data", data, "--query", query, "--device", "cpu", "--force", "-k1", "-o", "out.csv"});
  }
};

TEST_F(ReadCloudsTest, OfTwoErrorsTheOneInTheDataIsReported) {
  write_slow_cloud("slow.xyz", "1 2 x\n");
  write_file("bad.xyz", "1 2 3\n4 5 y\n");
  EXPECT_EQ(search("nope.ply", "none.ply").err, "kann: error: nope.ply: No such file or directory\n");
  EXPECT_EQ(search("bad.xyz", "none.ply").err, "kann: error: bad.xyz:2: column 3 is not a number: 'y'\n");
  const Outcome slow = search("slow.xyz", "bad.xyz");
  EXPECT_EQ(slow.err, "kann: error: slow.xyz:300001: column 3 is not a number: 'x'\n");
  EXPECT_EQ(slow.exit_code, 3);
  EXPECT_EQ(search("bad.xyz", "slow.xyz").err, "kann: error: bad.xyz:2: column 3 is not a number: 'y'\n");
  EXPECT_EQ(search("pts.xyz", "bad.xyz").err, "kann: error: bad.xyz:2: column 3 is not a number: 'y'\n");
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
  const Outcome o = search("data.ply", "query.ply");
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err.find(of_data + "kann: warning: query.ply: 5 bytes after the last element are not read\n"), 0u)
      << o.err;
  EXPECT_EQ(search("data.ply", "nope.xyz").err, of_data + "kann: error: nope.xyz: No such file or directory\n");
}

TEST_F(ReadCloudsTest, APipeIsReadAfterTheData) {
  ASSERT_EQ(mkfifo(path("pipe.xyz").c_str(), 0600), 0);
  const std::string cloud = read_file("q.xyz");
  EXPECT_EQ(search("nope.xyz", "pipe.xyz").err, "kann: error: nope.xyz: No such file or directory\n");

  ASSERT_EQ(search("pts.xyz", "q.xyz").exit_code, 0);
  const std::string expected = read_file("out.csv");
  std::jthread writer([&] { std::ofstream(path("pipe.xyz")) << cloud; });
  const Outcome o = search("pts.xyz", "pipe.xyz");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("out.csv"), expected);
}

TEST_F(ReadCloudsTest, AFailureDoesNotWaitForTheOtherCloud) {
  std::error_code error;
  write_file("sparse.xyz", "");
  std::filesystem::resize_file(path("sparse.xyz"), std::uintmax_t{1} << 29, error);  // reading it takes almost a second
  if (error) GTEST_SKIP() << "the file system has no sparse files";
  const Outcome o = search("nope.xyz", "sparse.xyz");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.err, "kann: error: nope.xyz: No such file or directory\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"pts.xyz", "q.xyz", "sparse.xyz"}));
}

TEST_F(ReadCloudsTest, OneFileCanBeDataAndQuery) {
  EXPECT_EQ(search("pts.xyz", "pts.xyz").exit_code, 0);
  EXPECT_NE(read_file("out.csv").find("\n7,0,7,0\n"), std::string::npos);
}

}  // namespace
}  // namespace kann::test
