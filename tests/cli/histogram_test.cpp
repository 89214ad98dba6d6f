// --histogram, as a user runs it.
#include <nlohmann/json.hpp>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

class HistogramTest : public ProgramTest {
 protected:
  HistogramTest() {
    write_cloud("p.xyz", 300, 1);
    write_cloud("q.xyz", 200, 2);
  }

  Outcome kann(std::vector<std::string> more, const Settings& settings = {}) const {
    more.insert(more.begin(), {"--data", "p.xyz", "--device", "cpu", "-k", "2"});
    return run(more, settings);
  }
  bool is_picture(const std::string& name) const {
    return read_file(name).starts_with("<svg ") && read_file(name).find(">200 queries, mean ") != std::string::npos;
  }
};

TEST_F(HistogramTest, AloneThePictureIsTheResult) {
  const Outcome o = kann({"--query", "q.xyz", "--histogram", "h.svg"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "h.svg\n");
  EXPECT_EQ(files(), (Names{"h.svg", "p.xyz", "q.xyz"}));
  EXPECT_TRUE(is_picture("h.svg"));
  const Outcome both = kann({"--query", "q.xyz", "--histogram", "h.svg", "--stats", "--force"});
  EXPECT_TRUE(both.out.starts_with("distances per rank: exact\nrank queries")) << both.out;
}

TEST_F(HistogramTest, BesideAResultItIsAnotherFile) {
  const Outcome o = kann({"--query", "q.xyz", "--histogram", "h.svg", "-o", "nn.npz", "--report", "r.json"});
  EXPECT_EQ(o.out, "nn.npz\n");
  EXPECT_EQ(files(), (Names{"h.svg", "nn.npz", "p.xyz", "q.xyz", "r.json"}));
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["histogram"]["path"], "h.svg");
  EXPECT_EQ(report["output"]["path"], "nn.npz");
}

TEST_F(HistogramTest, IsProtectedAsAResultIs) {
  const auto error_of = [&](const Names& more, int code) {
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    return o.err;
  };
  write_file("h.svg", "old");
  EXPECT_NE(
      error_of({"--query", "q.xyz", "--histogram", "h.svg"}, 2).find("h.svg: File exists; use --force to replace it"),
      std::string::npos);
  EXPECT_EQ(read_file("h.svg"), "old");
  EXPECT_EQ(error_of({"--query", "q.xyz", "--histogram", "h.png"}, 2),
            "kann: error: --histogram expects a file that ends with .svg, got 'h.png'\n");
  write_file("in.svg", read_file("q.xyz"));
  EXPECT_EQ(error_of({"--query", "in.svg", "--query-format", "xyz", "--histogram", "in.svg", "--force"}, 2),
            "kann: error: in.svg: is the input in.svg; choose another --histogram\n");
  EXPECT_EQ(error_of({"--query", "q.xyz", "-o", "./x.svg", "--output-format", "csv", "--histogram", "x.svg"}, 2),
            "kann: error: ./x.svg: is the result too; choose another --histogram\n");
  EXPECT_EQ(error_of({"--query", "q.xyz", "--histogram", "no/h.svg"}, 4),
            "kann: error: no/h.svg: No such file or directory; make the folder no first\n");
  EXPECT_EQ(error_of({"--query", "nope.xyz", "--histogram", "h.svg", "--force"}, 3),
            "kann: error: nope.xyz: No such file or directory\n");
  EXPECT_EQ(read_file("h.svg"), "old");
}

TEST_F(HistogramTest, ABatchHasOnePerJob) {
  const Outcome o = kann({"--query", "q.xyz", "p.xyz", "--histogram", "pictures/{stem}.svg"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "pictures/q.svg\npictures/p.svg\n");
  EXPECT_TRUE(is_picture("pictures/q.svg"));
  const Outcome one = kann({"--query", "q.xyz", "p.xyz", "--histogram", "h.svg"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_EQ(one.err, "kann: error: --histogram h.svg is one file for many pictures; give a pattern ({stem}.svg)\n");
  const Outcome twice = kann({"--query", "q.xyz", "q.xyz", "--histogram", "pictures/{stem}.svg", "--force"});
  EXPECT_EQ(twice.err,
            "kann: error: q.xyz: pictures/q.svg is the output of q.xyz, too; choose another --histogram, such as "
            "'{index}.svg'\n");
  const Outcome again =
      kann({"--query", "q.xyz", "p.xyz", "--histogram", "pictures/{stem}.svg", "-o", "out/", "--skip-existing"});
  EXPECT_EQ(again.exit_code, 0) << again.err;  // a picture without its result is made again
  EXPECT_NE(again.err.find("2 done, 0 skipped"), std::string::npos) << again.err;
  const Outcome skipped =
      kann({"--query", "q.xyz", "p.xyz", "--histogram", "pictures/{stem}.svg", "-o", "out/", "--skip-existing"});
  EXPECT_NE(skipped.err.find("0 done, 2 skipped"), std::string::npos) << skipped.err;
}

}  // namespace
}  // namespace kann::test
