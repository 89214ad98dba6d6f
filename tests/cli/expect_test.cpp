// --expect, as a user runs it.
#include <string>
#include <tuple>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using ExpectTest = ProgramTest;

/// What is expected holds whatever a configuration says.
TEST_F(ExpectTest, ARunThatIsNotTheExpectedOneFails) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  const auto expect = [&](const std::string& pins, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--data", "pts.xyz", "--query", "q.xyz",    "--device", "cpu",
                                 "-o",     "nn.npz",  "--force", "--expect", pins};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  EXPECT_EQ(
      expect("k=8,radius=none,method=exact,dimensions=3,periodic=no,points=500,queries=500,include-self=no").exit_code,
      0);
  EXPECT_EQ(expect("radius=.5", {"--radius", "0.50"}).exit_code, 0);
  EXPECT_EQ(expect("judged=0.2", {"--verify", "100"}).exit_code, 0);
  EXPECT_EQ(expect("k=8", {"--expect", "method=exact"}).exit_code, 0);
  EXPECT_EQ(expect("method=shifted-sort", {"--method", "shifted-sort"}).exit_code, 0);
  EXPECT_EQ(expect("include-self=no", {"--include-self"}).exit_code, 0);  // of no effect on separate queries
  for (const auto& [pins, more, message] : std::vector<std::tuple<std::string, std::vector<std::string>, std::string>>{
           {"k=8", {"-k", "1"}, "k=8: this run has k 1"},
           {"k=8,radius=none", {"--radius", "1e-6"}, "radius=none: this run has radius 1e-06"},
           {"radius=0.5", {}, "radius=0.5: this run has radius none"},
           {"method=shifted-sort", {}, "method=shifted-sort: this run has method exact"},
           {"dimensions=3", {"--columns", "1,2"}, "dimensions=3: this run has dimensions 2"},
           {"periodic=no", {"--periodic", "2,2,2"}, "periodic=no: this run has periodic yes"},
           {"points=501", {}, "points=501: this run has points 500"},
           {"queries=499", {}, "queries=499: this run has queries 500"},
           {"judged=0.5", {"--verify", "100"}, "judged=0.5: this run has judged 0.2 of all"},
           {"judged=1", {"--verify", "--radius", "1e-9"}, "judged=1: this run has judged 0 of all"}}) {
    const Outcome o = expect(pins, more);
    EXPECT_EQ(o.exit_code, 1) << pins;
    EXPECT_NE(o.err.find("kann: error: --expect " + message + "; the result is in nn.npz all the same\n"),
              std::string::npos)
        << o.err;
  }
  for (const char* wrong : {"k", "k=", "k=x", "method=fast", "judged=2", "kk=8", "", "radius=-1"})
    EXPECT_EQ(expect(wrong).exit_code, 2) << wrong;
  EXPECT_EQ(expect("judged=1").exit_code, 2);  // nothing is judged
  write_file("kann.toml", "k = 1\nexpect = [\"k=1\"]\n");
  EXPECT_EQ(expect("k=8", {"--config", "kann.toml"}).exit_code, 1);
}

/// Points that --invalid skip leaves out are none of those that a check takes for granted.
TEST_F(ExpectTest, SkippedPointsDoNotCount) {
  write_file("holes.xyz", "0 0 0\n1 1 1\nnan 0 0\n2 2 2\n");
  const auto expect = [&](const std::string& pins) {
    return run({"--data", "holes.xyz", "--invalid", "skip", "-k", "1", "--device", "cpu", "-o", "nn.npz", "--force",
                "--expect", pins});
  };
  EXPECT_EQ(expect("points=3,queries=3").exit_code, 0);
  EXPECT_NE(expect("points=4").err.find("points=4: this run has points 3"), std::string::npos);
  EXPECT_NE(expect("queries=4").err.find("queries=4: this run has queries 3"), std::string::npos);
}

}  // namespace
}  // namespace kann::test
