// --json and --report of the program: one object, after success and failure, that never replaces another file.
#include <filesystem>
#include <unistd.h>

#include "../file_size_limit.hpp"
#include "../run_kann.hpp"

namespace kann::test {
namespace {

/// A folder with the cloud pts.xyz (300 points).
class PublishReportTest : public ProgramTest {
 protected:
  PublishReportTest() { write_cloud("pts.xyz", 300, 1); }
};

TEST_F(PublishReportTest, WithJsonStdoutCarriesTheReportOnly) {
  const json j = json::parse(
      written("--data pts.xyz --device cpu --threads 1 --json -k4 --method shifted-sort --window 20 --verify"));
  EXPECT_EQ(j["version"], 1);
  json data = j["data"];
  EXPECT_EQ(data["hash"].get<std::string>().size(), 16u);
  data.erase("hash");
  EXPECT_EQ(data, json::parse(R"({"path":"pts.xyz","points":300,"dimensions":3,"skipped":0})"));
  EXPECT_EQ(j["query"], j["data"]);
  EXPECT_EQ(j["self_query"], true);
  EXPECT_EQ(j["k"], 4);
  EXPECT_EQ(j["shifts"], 3);
  EXPECT_EQ(j["window"], 20);
  EXPECT_EQ(j["device"], json::parse(R"({"name":"CPU","kind":"cpu","threads":1})"));
  EXPECT_EQ(j["output"]["path"], "pts.knn.npz");
  EXPECT_EQ(j["verify"]["queries"], 300);
  EXPECT_GT(j["verify"]["recall"], 0.9);
  const json& t = j["timing_s"];
  EXPECT_GT(t["search"], 0.0);
  EXPECT_GE(t["total"], t["read"].get<double>() + t["search"].get<double>() + t["write"].get<double>());
  EXPECT_FALSE(j.contains("error"));
}

TEST_F(PublishReportTest, TheMethodIsThatOfTheSearch) {
  std::string flat;
  for (int i = 0; i < 300; ++i) flat += std::to_string(i * 7919 % 997) + " " + std::to_string(i * 6271 % 883) + "\n";
  write_file("flat.xyz", flat);
  const auto report = [&](const std::string& arguments) {
    return json::parse(written("--device cpu --json --force " + arguments));
  };
  for (const std::string cloud : {"pts.xyz", "flat.xyz"}) {
    for (const std::string k : {"1", "8", "16", "17", "100"}) {
      const json j = report("--data " + cloud + " --k " + k);
      EXPECT_EQ(j["method"], "exact") << k;
      EXPECT_TRUE(j["shifts"].is_null() && j["window"].is_null() && !j.contains("sample")) << k;
    }
    const json j = report("--data " + cloud + " --k 30 --method shifted-sort");
    EXPECT_EQ(j["method"], "shifted-sort");
    EXPECT_EQ(j["shifts"], 3);
    EXPECT_GT(j["window"], 15);
    EXPECT_TRUE(j.contains("sample"));
  }
  const json j = report("--data pts.xyz --method shifted-sort --shifts 1 --window 5");
  EXPECT_EQ(j["shifts"], 1);
  EXPECT_EQ(j["window"], 5);
}

// Up to 1,024 queries, the sample are all; --verify finds their recall with nanoflann.
TEST_F(PublishReportTest, TheRecallOfTheSampleIsThatOfVerify) {
  write_cloud("queries.xyz", 700, 5);
  write_file("holes.xyz", read_file("pts.xyz") + "nan 0 0\n" + read_file("queries.xyz"));
  write_cloud("data.xyz", 4000, 6);
  for (const std::string more : {"", "--window 3", "--shifts 1", "--shifts 1 --window 1 -k 1", "-k 30"})
    for (const std::string query : {"queries.xyz ", "holes.xyz "}) {
      const json j =
          json::parse(written("data.xyz --invalid skip --method shifted-sort --json --verify --device cpu "
                              "--force --query " +
                              query + more));
      EXPECT_EQ(j["sample"]["queries"], query[0] == 'q' ? 700 : 1000);
      EXPECT_EQ(j["sample"]["recall"], j["verify"]["recall"]) << more << " " << query;
      if (more == "--window 3") {
        EXPECT_LT(j["sample"]["recall"], 0.9);
      }
    }
}

TEST_F(PublishReportTest, TheFileIsTheSameAsStdout) {
  const Outcome o = kann("--data pts.xyz --device cpu --json --report r.json");
  json printed = json::parse(o.out), written = json_of("r.json");
  for (json* j : {&printed, &written}) {
    for (const char* key : {"total", "other"}) (*j)["timing_s"].erase(key);
    j->erase("memory_peak_bytes");
  }
  EXPECT_EQ(printed, written);
  EXPECT_EQ(files(), (Names{"pts.knn.npz", "pts.xyz", "r.json"}));
}

TEST_F(PublishReportTest, FailuresAreReported) {
  const json nope = {{"kind", "bad_input"}, {"message", "nope.ply: No such file or directory"}, {"exit_code", 3}};
  const json typing = {
      {"kind", "usage"}, {"message", "unknown option '--ouput'; did you mean '--output'?"}, {"exit_code", 2}};
  const json number = {
      {"kind", "usage"}, {"message", "--k expects a whole number of at least 1, got '0'"}, {"exit_code", 2}};
  for (const auto& [words, error] : {std::pair<std::string, json>{"--data nope.ply", nope},
                                     {"--ouput x", typing},
                                     {"--data pts.xyz --k 0", number}}) {
    const Outcome o = kann(words + " --json --report r.json");
    EXPECT_EQ(o.exit_code, error["exit_code"]);
    EXPECT_EQ(o.err, "kann: error: " + error["message"].get<std::string>() + "\n");
    EXPECT_EQ(json::parse(o.out)["error"], error);
    EXPECT_EQ(json_of("r.json")["error"], error);
    std::filesystem::remove(path("r.json"));
  }
}

TEST_F(PublishReportTest, AFailedCheckReportsTheRecall) {
  const Outcome o = kann(
      "--data pts.xyz --device cpu --method shifted-sort --shifts 1 --window 1 --verify 100 --min-recall 1 --json");
  EXPECT_EQ(o.exit_code, 1);
  const json j = json::parse(o.out);
  EXPECT_EQ(j["verify"]["queries"], 100);
  EXPECT_LT(j["verify"]["recall"], 1.0);
  EXPECT_EQ(j["error"]["kind"], "check_failed");
  EXPECT_EQ(j["output"]["path"], "pts.knn.npz");
}

/// Whatever it is: only --force replaces it, and nothing does after a typing error.
TEST_F(PublishReportTest, AFileIsReplacedWithForceAlone) {
  const std::string cloud = read_file("pts.xyz");
  write_file("notes.txt", "keep me");
  for (const std::string search : {"--data pts.xyz --report pts.xyz --force", "--data pts.xyz --html pts.xyz --force",
                                   "--dta pts.xyz --report pts.xyz --force", "--data pts.xyz --report notes.txt",
                                   "--data pts.xyz --html notes.txt", "--data pts.xyz --report ./same.npz -o same.npz",
                                   "--data nope.ply --report notes.txt"}) {
    error_of(search, 2);
    EXPECT_EQ(files(), (Names{"notes.txt", "pts.xyz"}));
  }
  EXPECT_EQ(read_file("pts.xyz"), cloud);
  EXPECT_EQ(read_file("notes.txt"), "keep me");
  const std::string report = "--data pts.xyz --device cpu --report notes.txt";
  expect_refused(report, 2, "notes.txt: File exists; use --force to replace it");
  expect_refused(report + " --skip-existing", 2,
                 "notes.txt: exists, and is no report or page; choose another --report");
  for (const std::string option : {" --force", " --skip-existing"}) {  // what exists is reported anew
    succeeds(report + option);
    EXPECT_EQ(json_of("notes.txt")["version"], 1) << option;
  }
  const std::string jobs = "pts.xyz\t\tj.npz\n";  // what a list on standard input names is not known before
  error_of("--jobs - --report pts.xyz --force", 2, {.stdin_text = jobs});
  EXPECT_EQ(read_file("pts.xyz"), cloud);
}

TEST_F(PublishReportTest, ARefusedOutputLeavesAnEarlierReport) {
  const std::string search = "--data pts.xyz --device cpu -o a.npz --json --report ";
  succeeds(search + "r.json");
  const std::string good = read_file("r.json");
  const Outcome o = kann(search + "r.json");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(json::parse(o.out)["error"]["message"], "r.json: File exists; use --force to replace it");
  EXPECT_EQ(read_file("r.json"), good);
  error_of(search + "new.json", 2);
  EXPECT_EQ(json_of("new.json")["error"]["message"], "a.npz: File exists; use --force to replace it");
}

TEST_F(PublishReportTest, AFailureNamesTheInputs) {
  const Outcome o = kann("--data pts.xyz --query nope.xyz --json");
  EXPECT_EQ(o.exit_code, 3);
  const json j = json::parse(o.out);
  EXPECT_EQ(j["data"], json::parse(R"({"path":"pts.xyz","points":300,"dimensions":3,"skipped":null})"));
  EXPECT_EQ(j["query"], json::parse(R"({"path":"nope.xyz","points":null,"dimensions":null,"skipped":null})"));
}

TEST_F(PublishReportTest, StdoutIsNoFileForIt) {
  for (const std::string name : {"-", "/dev/stdout"})
    expect_refused("--data pts.xyz --report " + name, 2,
                   "--report expects a file, got '" + name + "'; --json prints the report on stdout");
}

TEST_F(PublishReportTest, AReportThatCannotBeWrittenAfterTheResultSaysThatTheResultIsWhole) {
  const std::string error = error_of("--data pts.xyz --device cpu -o a.npz --report /dev/full", 4);
  EXPECT_TRUE(has(error, "kann: error: /dev/full: No space left on device; the result is whole: a.npz\n"));
  EXPECT_EQ(error.find("error", error.find("error") + 1), error.npos) << error;
}

TEST_F(PublishReportTest, ARunThatCannotReplaceAnEarlierReportSaysSo) {
  const std::string arguments = "--data pts.xyz --device cpu --stats --report r.json --force";
  const auto error_with_files_up_to = [&](rlim_t bytes) {
    succeeds(arguments);
    const FileSizeLimit limit(bytes);
    return error_of(arguments, 4);
  };
  EXPECT_EQ(error_with_files_up_to(500), "kann: error: r.json: File too large (old file kept)\n");  // before the search
  EXPECT_FALSE(json_of("r.json").contains("error"));
  const std::string after_search = error_with_files_up_to(1500);
  EXPECT_TRUE(ends(after_search, "kann: error: r.json: File too large (old file kept)\n"));
  EXPECT_EQ(json_of("r.json")["error"]["kind"], "unfinished");
  EXPECT_EQ(files(), (Names{"pts.xyz", "r.json"}));
}

TEST_F(PublishReportTest, AReportThatCannotBeWrittenFailsBeforeTheSearch) {
  std::filesystem::create_directory(path("folder"));
  for (const auto& [report, reason] :
       {std::pair<std::string, std::string>{"no/such/r.json",
                                            "No such file or directory; make the folder no/such first"},
        {"no/", "No such file or directory"},
        {".", "Is a directory"},
        {"folder", "Is a directory"},
        {"folder/", "Is a directory"}})
    expect_refused("--data pts.xyz --report " + report, 4, report + ": " + reason);
}

TEST_F(PublishReportTest, AReportInAReadOnlyFolderFailsBeforeTheSearch) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to every folder";
  std::filesystem::create_directory(path("folder"));
  std::filesystem::permissions(path("folder"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Outcome o = kann("--data pts.xyz --report folder/r.json");
  std::filesystem::permissions(path("folder"), std::filesystem::perms::owner_all);
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(o.err, "kann: error: folder/r.json: Permission denied\n");
  EXPECT_EQ(files(), (Names{"folder", "pts.xyz"}));
}

TEST_F(PublishReportTest, TheReportMayGoToADevice) { succeeds("--data pts.xyz --device cpu --report /dev/null"); }

}  // namespace
}  // namespace kann::test
