// kann check judges stored results from what they say of themselves, and no other clouds than theirs; --skip-existing
// with checks judges what is there.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <typeinfo>

#include "kann/io.hpp"

#include "formats/neighbors/reference_file.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

namespace fs = std::filesystem;

class CheckTest : public ProgramTest {
 protected:
  CheckTest() : ProgramTest("--device cpu --force") {
    write_cloud("m.xyz", 400, 1);
    write_cloud("q.xyz", 90, 2);
    fs::create_directory(path("out"));
  }

  /// Writes a result anew, as `change` leaves its rows and its meta.
  void tamper(const std::string& name, const std::function<void(Neighbors&, std::string&)>& change) const {
    formats::ReferenceFile file(path(name));
    Neighbors rows{file.queries(), file.k(), {}, {}};
    rows.ids.resize(static_cast<std::size_t>(rows.queries * rows.k));
    rows.distances.resize(rows.ids.size());
    file.read_ids(0, std::span(rows.ids));
    file.read_distances(0, rows.distances);
    std::string meta = file.meta();
    change(rows, meta);
    NeighborFile out(path(name), NeighborFormat::npz, true);
    out.write(rows, meta);
    out.commit();
  }

  /// Writes the result of a search of other data of the same name.
  void search_other(const std::string& output) const {
    write_cloud("other.xyz", 400, 9);
    fs::rename(path("m.xyz"), path("kept.xyz"));
    fs::rename(path("other.xyz"), path("m.xyz"));
    succeeds("m.xyz q.xyz -o " + output);
    fs::rename(path("m.xyz"), path("other.xyz"));
    fs::rename(path("kept.xyz"), path("m.xyz"));
  }
};

TEST_F(CheckTest, JudgesEveryKindOfSearch) {
  write_file("c.csv", "a;b;class\n1,5;2;1\n2;3;2\n;4;1\n4;4;1\n5;4;2\n");
  write_file("s.csv", "ra,dec\n359.9,1\n0.1,1\n10,89\n");
  for (const std::string search :
       {"m.xyz q.xyz", "m.xyz -k 3 --include-self", "m.xyz q.xyz --radius 0.1", "m.xyz q.xyz --periodic 1,1,1",
        "m.xyz --grid 0.25", "c.csv -k 2 --columns a,b --invalid skip --group class",
        "s.csv -k 1 --sky --unit arcsec"}) {
    succeeds(search + " -o r.npz");
    const Outcome o = run("check r.npz");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "r.npz: passed\n");
    EXPECT_TRUE(has(o.err, "kann: verify: "));
  }
}

TEST_F(CheckTest, AsksForTheRecallOfAnApproximateResult) {
  succeeds("m.xyz q.xyz --method shifted-sort --shifts 1 --window 2 -o r.npz");
  EXPECT_EQ(run("check r.npz").out, "r.npz: measured\n");
  EXPECT_EQ(run("check r.npz --min-recall 0.1").out, "r.npz: passed\n");
  succeeds("m.xyz q.xyz -o truth.npz");
  const Outcome o = run("check r.npz truth.npz --min-recall 0.99 --against truth.npz --json");
  EXPECT_EQ(o.exit_code, 1);
  const auto line = json::parse(o.out.substr(0, o.out.find('\n')));
  EXPECT_EQ(line["checks"][1]["name"], "compare-recall");
  EXPECT_EQ(line["checks"][1]["passed"], false);
  EXPECT_TRUE(has(o.err, "kann: r.npz: compare: 90 of 90 queries against truth.npz"));
}

/// The hash says which clouds are meant if they have moved with the result, or if two have the same name.
TEST_F(CheckTest, FindsTheCloudsOfTheResult) {
  succeeds("m.xyz q.xyz -o r.npz");
  fs::create_directory(path("moved"));
  for (const char* const name : {"m.xyz", "q.xyz", "r.npz"}) fs::rename(path(name), path("moved") / name);
  EXPECT_EQ(run("check moved/r.npz").out, "moved/r.npz: passed\n");
  write_cloud("m.xyz", 400, 7);
  EXPECT_EQ(run("check moved/r.npz").out, "moved/r.npz: passed\n");
  fs::remove(path("moved/m.xyz"));
  const Outcome o = run("check moved/r.npz");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, "moved/r.npz: failed\n");
  EXPECT_TRUE(has(o.err, "the result of a search with other data"));
  fs::create_directory(path("clouds"));
  for (const char* const name : {"m.xyz", "moved/q.xyz"})
    fs::rename(path(name), path("clouds") / fs::path(name).filename());
  succeeds("clouds/m.xyz clouds/q.xyz -o moved/c.npz");
  for (const char* const name : {"m.xyz", "q.xyz"}) fs::rename(path("clouds") / name, path(name));
  EXPECT_EQ(run("check moved/c.npz").out, "moved/c.npz: passed\n") << "by their names in the current folder";
  fs::remove(path("m.xyz"));
  const Outcome lost = run("check moved/r.npz --json");
  EXPECT_EQ(lost.err,
            "kann: error: moved/r.npz: its cloud m.xyz is neither there nor beside it; copy the result to the cloud's "
            "folder, or the cloud to the current one\n");
  EXPECT_EQ(json::parse(lost.out)["output"]["path"], "moved/r.npz");
}

TEST_F(CheckTest, RefusesWhatItCannotJudge) {
  succeeds("m.xyz q.xyz -k all --radius 0.1 -o all.npz");
  succeeds("m.xyz q.xyz -o r.bin");
  for (const auto& [name, message] : {std::pair<std::string, std::string>{"all.npz", "all.npz: "},
                                      {"r.bin", "r.bin: does not say what was searched; kann check reads the .npz"},
                                      {"nope.npz", "nope.npz: No such file"}}) {
    const Outcome o = run("check " + name);
    EXPECT_EQ(o.exit_code, 3) << o.err;
    EXPECT_TRUE(begins(o.err, "kann: error: " + message));
  }
  EXPECT_EQ(run("check").exit_code, 2);
  EXPECT_EQ(
      run("check all.npz --k 3").err,
      "kann: error: --k is no option of kann check, which takes --sample, --against, --min-recall, --threads, --json, "
      "--quiet, --verbose, --progress, --color, --help\n");
  EXPECT_EQ(run("m.xyz --sample 3").exit_code, 2);
}

/// Whatever is asked for, and also if the result is approximate.
TEST_F(CheckTest, NothingExcusesAFaultyRow) {
  const auto double_distances = [](Neighbors& rows, std::string&) {
    for (float& distance : rows.distances) distance *= 2;
  };
  const auto lose_neighbors = [](Neighbors& rows, std::string&) {
    std::ranges::fill(rows.ids, k_missing_id);
    std::ranges::fill(rows.distances, std::numeric_limits<float>::infinity());
  };
  const auto swap_neighbors = [](Neighbors& rows, std::string&) {
    std::swap(rows.ids[0], rows.ids[1]);
    std::swap(rows.distances[0], rows.distances[1]);
  };
  succeeds("m.xyz q.xyz -o truth.npz");
  for (const std::string method : {"exact", "shifted-sort"})
    for (const std::function<void(Neighbors&, std::string&)>& change :
         {std::function<void(Neighbors&, std::string&)>(double_distances), {swap_neighbors}, {lose_neighbors}}) {
      if (method != "exact" && change.target_type() == typeid(lose_neighbors))
        continue;  // its recall is 0, which is told
      succeeds("m.xyz q.xyz --method " + method + " -o r.npz");
      tamper("r.npz", change);
      for (const std::string more : {"", "--against truth.npz", "--min-recall 0"}) {
        const Outcome o = run("check r.npz " + more);
        EXPECT_EQ(o.exit_code, 1) << method << o.err;
        EXPECT_EQ(o.out, "r.npz: failed\n");
      }
    }
}

/// Rows of another length than the result says, and words in it that say more than how clouds are read.
TEST_F(CheckTest, DoesNotBelieveEverythingThatAResultSays) {
  succeeds("m.xyz q.xyz -k 2 -o r.npz");
  const auto with_meta = [&](const std::string& from, const std::string& to) {
    tamper("r.npz", [&](Neighbors&, std::string& meta) {
      ASSERT_TRUE(has(meta, from));
      meta.replace(meta.find(from), from.size(), to);
    });
  };
  with_meta("\"k\":2", "\"reading\":[\"--config=q.xyz\",\"--columns=1,2,3\"],\"k\":2");
  EXPECT_EQ(run("check r.npz").out, "r.npz: passed\n");
  with_meta("\"k\":2", "\"k\":3");
  EXPECT_EQ(run("check r.npz").err, "kann: error: r.npz: has 2 neighbours per query (need 3)\n");
  with_meta("\"k\":3", "\"k\":-3");
  const Outcome o = run("check r.npz");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_TRUE(begins(o.err, "kann: error: r.npz: says of itself what no search can be: --k expects"));
}

/// The rows that are there are judged, not made anew.
TEST_F(CheckTest, SkippedResultsAreJudged) {
  for (const std::string more : {"--picture p.png", "-o r.csv"})
    EXPECT_EQ(run("m.xyz q.xyz --skip-existing --verify " + more).exit_code, 2) << more;
  search_other("out/q.knn.npz");
  for (const std::string search : {"q.xyz -o out/q.knn.npz", "q.xyz m.xyz -o out/ --report r.jsonl"}) {
    const std::string words = "m.xyz --device cpu --skip-existing --verify --query " + search;
    const Outcome other = run(words);
    EXPECT_EQ(other.exit_code, 3) << other.err;
    EXPECT_TRUE(has(other.err, "the result of a search with other data"));
    fs::remove(path("out/q.knn.npz"));
    EXPECT_EQ(run(words).exit_code, 0);
    const auto written = fs::last_write_time(path("out/q.knn.npz"));
    const Outcome again = run(words);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(has(again.err, "verify: 90 of 90 queries"));
    EXPECT_EQ(fs::last_write_time(path("out/q.knn.npz")), written);
    search_other("out/q.knn.npz");
  }
}

}  // namespace
}  // namespace kann::test
