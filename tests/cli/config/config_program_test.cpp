// --config of the program: streams, exit codes and the files that it leaves.
#include "../run_kann.hpp"

namespace kann::test {
namespace {

class ConfigProgramTest : public ProgramTest {};

/// What a check takes for granted is on its command line, whatever the file says.
TEST_F(ConfigProgramTest, TheCommandLineUndoesTheFile) {
  write_cloud("q.xyz", 20, 1);
  write_file("kann.toml", "k = 1\nradius = 1e-3\nperiodic = [2, 2, 2]\nmethod = \"shifted-sort\"\nwindow = 9\n");
  const Outcome o =
      run("--config kann.toml --data q.xyz --device cpu -k 3 --radius none --periodic none --exact -o a.csv");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(run("--data q.xyz --device cpu -k 3 -o b.csv").exit_code, 0);
  EXPECT_EQ(read_file("a.csv"), read_file("b.csv"));
}

/// --jobs does not go with --query: that of the command line wins.
TEST_F(ConfigProgramTest, JobsOfTheCommandLineWinOverQueriesOfTheFile) {
  write_cloud("q.xyz", 20, 1);
  write_cloud("r.xyz", 20, 2);
  write_file("queries.toml", "data = \"q.xyz\"\nquery = [\"a.xyz\", \"b.xyz\"]\ndevice = \"cpu\"\n");
  write_file("jobs.toml", "data = \"q.xyz\"\njobs = \"nope.tsv\"\ndevice = \"cpu\"\n");
  write_file("jobs.tsv", "r.xyz\n");
  const Outcome jobs = run("--config queries.toml --jobs jobs.tsv");
  EXPECT_EQ(jobs.exit_code, 0) << jobs.err;
  EXPECT_EQ(jobs.out, "r.knn.npz\n");
  const Outcome query = run("--config jobs.toml --query r.xyz -o r.csv");
  EXPECT_EQ(query.exit_code, 0) << query.err;
  EXPECT_EQ(query.out, "r.csv\n");
  write_file("both.toml", "data = \"q.xyz\"\nquery = \"a.xyz\"\njobs = \"jobs.tsv\"\n");
  EXPECT_EQ(run("--config both.toml").err,
            "kann: error: --jobs does not go with --query: the list names the queries\n");
}

TEST_F(ConfigProgramTest, FaultsAreUsage) {
  write_file("kann.toml", "k = 8\n\nouput = \"x\"\n");
  const std::pair<const char*, const char*> faults[] = {
      {"kann.toml", "kann.toml:3: unknown key 'ouput'; did you mean 'output'?"},
      {"nope.toml", "nope.toml: No such file or directory"}};
  for (const auto& [path, message] : faults) {
    const Outcome o = run(std::string("q.xyz --config ") + path);
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, "kann: error: " + std::string(message) + "\n");
  }
  EXPECT_EQ(files(), Names{"kann.toml"});
}

TEST_F(ConfigProgramTest, AFaultIsInTheReportThatTheFileAsksFor) {
  write_file("kann.toml", "report = \"r.json\"\nquiet = true\nk = 0\n");
  EXPECT_EQ(run("--config kann.toml").exit_code, 2);
  EXPECT_NE(read_file("r.json").find("kann.toml:3: k expects a whole number of at least 1, got '0'"),
            std::string::npos);
}

TEST_F(ConfigProgramTest, TheResultNeverReplacesTheFile) {
  write_cloud("q.xyz", 20, 1);
  const std::string text = "data = \"q.xyz\"\noutput-format = \"csv\"\nforce = true\n";
  write_file("kann.toml", text);
  const Outcome o = run("--config kann.toml -o kann.toml");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.err, "kann: error: kann.toml: is the input kann.toml; choose another --output\n");
  EXPECT_EQ(read_file("kann.toml"), text);
}

TEST_F(ConfigProgramTest, NoFileIsReadUnasked) {
  write_cloud("q.xyz", 20, 1);
  for (const char* name : {"kann.toml", ".kann.toml"}) write_file(name, "nonsense");
  EXPECT_EQ(run("--data q.xyz --device cpu").exit_code, 0);
}

}  // namespace
}  // namespace kann::test
