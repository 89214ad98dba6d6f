// --plan says what the run then does, and does nothing itself.
#include <algorithm>
#include <sstream>
#include <sys/stat.h>

#include "clouds.hpp"
#include "plan_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(PlanTest, SaysWhatASearchInMemoryDoes) {
  EXPECT_EQ(expect_as_planned("--data p.ply -k 3 -o o.npz")["method"], "exact");
  EXPECT_EQ(expect_as_planned("--data p.ply --method shifted-sort -o o.npz")["method"], "shifted-sort");
  expect_as_planned("--data p.ply --query q.ply --max-memory 1T -o o.npz");
  expect_as_planned("--data p.ply -k 20 -o o.csv --columns x,y");
}

TEST_F(PlanTest, SaysWhatASearchInTilesDoes) {
  const json plan = expect_as_planned("--data u.ply --exact --max-memory 18M -o o.npz");
  EXPECT_GT(plan["tiles"]["count"], 1);
  EXPECT_LE(plan["memory_bytes"]["needed"], plan["memory_bytes"]["budget"]);
  expect_as_planned("--data u.ply -k 2 --max-memory 17M -o o.ply");
  expect_as_planned("--data p.ply --exact --max-memory 18M -o o.npz", false);
  expect_as_planned("--data u.ply -k all --radius 0.02 --max-memory 18M -o o.npz");
}

TEST_F(PlanTest, SaysWhatASearchInPiecesDoes) {
  write_ply("many.ply", uniform(300'000, 3, 6));
  const json plan = expect_as_planned("--data q.ply --query many.ply -k8 --max-memory 24M -o o.npz");
  EXPECT_GT(plan["tiles"]["pieces"], 1);
  EXPECT_EQ(plan["tiles"]["count"], 1);
}

/// A text does not say how many points it has: its size and its first rows do, roughly.
TEST_F(PlanTest, EstimatesTheSizeOfTexts) {
  write_cloud("t.xyz", 30'000, 7);
  const json plan = expect_as_planned("--data t.xyz -k 1 -o o.npz");
  EXPECT_EQ(plan["estimated"], true);
  EXPECT_NEAR(plan["data"]["points"].get<double>(), 30'000, 2000);
  EXPECT_TRUE(begins(run("--data t.xyz -k 1 --device cpu --threads 1 --plan").out, "data     t.xyz (about "));
  EXPECT_EQ(plan_of("--data p.ply")["estimated"], false);
  EXPECT_EQ(plan_of("--data p.ply --grid 0.1")["estimated"], true);
  EXPECT_GT(expect_as_planned("--data t.xyz --exact --max-memory 16M -o o.npz", false)["tiles"]["count"], 1);
}

TEST_F(PlanTest, SaysItInWords) {
  write_file("o.npz", "old");
  const Outcome o = run("p.ply -k 3 -o o.npz --max-memory 1G --device cpu --threads 2 --force --plan");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::size_t memory = o.out.find("memory "), output = o.out.find("output ");
  EXPECT_EQ(
      o.out.substr(0, memory),
      "data     p.ply (100000 points)\nk        3\nmethod   exact\ndevice   CPU (2 threads)\nsearch   in memory\n");
  EXPECT_TRUE(has(o.out, " at most, of 1.07 GB that may be taken\n"));
  EXPECT_EQ(o.out.substr(output), "output   o.npz (exists, and is replaced)\n");
  EXPECT_EQ(read_file("o.npz"), "old");
  const auto output_of = [&](const std::string& more) {
    const std::string text = run("p.ply --plan " + more).out;
    return text.substr(text.find("output "));
  };
  EXPECT_EQ(output_of("-o o.npz"), "output   o.npz (exists; --force replaces it)\n");
  EXPECT_EQ(output_of("-o o.npz --skip-existing"), "output   o.npz (exists)\n");
  EXPECT_EQ(output_of(""), "output   p.knn.npz\n");
  EXPECT_EQ(output_of("-o new/"), "output   new/p.knn.npz\n");
  EXPECT_EQ(output_of("-o a.npy --picture p.png"), "output   a.npy, a.distances.npy, p.png\n");
  EXPECT_EQ(output_of("--stats"), "output   none\n");
  EXPECT_EQ(output_of("-o - --output-format csv"), "output   stdout\n");
  EXPECT_EQ(files(), (Names{"o.npz", "p.ply", "q.ply", "u.ply"}));
}

TEST_F(PlanTest, SaysWhereTilesAndPiecesAre) {
  const auto search_of = [&](const std::string& arguments) {
    const std::string text = run("--device cpu --threads 2 --plan " + arguments).out;
    const std::size_t begin = text.find("search ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_TRUE(ends(search_of("--data u.ply --exact --max-memory 18M"), " tiles, or some more where points crowd"));
  write_ply("many.ply", uniform(300'000, 3, 6));
  EXPECT_TRUE(ends(search_of("--data q.ply --query many.ply -k8 --max-memory 24M"), " pieces of the queries"));
  write_ply("few.ply", uniform(2000, 3, 6));
  EXPECT_EQ(search_of("--data few.ply --query many.ply --radius 0.01 -kall --max-memory 18M"),
            "search   in 1 tile, or some more where points crowd");
  // As many cells as there are points would not fit; there are eight
  EXPECT_EQ(search_of("--data u.ply --grid 0.5 -k 200 --max-memory 18M"),
            "search   not known before the cells are counted");
}

TEST_F(PlanTest, ABatchHasALineAJob) {
  write_file("b.npz", "old");
  const Outcome o = run("--data p.ply --query q.ply nope.ply u.ply -o {stem}.npz -k 1 --device cpu --threads 1 --plan");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.err, "kann: error: nope.ply: No such file or directory\n");
  std::istringstream lines(o.out);
  std::string line;
  for (const char* const stem : {"q", "u"}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(begins(line, std::string(stem) + ".ply: exact on CPU (1 thread), in memory, "));
    EXPECT_TRUE(ends(line, std::string(" at most; output ") + stem + ".npz"));
  }
  EXPECT_FALSE(std::getline(lines, line));
  write_file("jobs", "p.ply\tq.ply\tb.npz\np.ply\tu.ply\tc.npz\n");
  const Outcome jobs = run("--jobs jobs --plan --json");
  EXPECT_EQ(jobs.exit_code, 0) << jobs.err;
  std::istringstream objects(jobs.out);
  for (const bool exists : {true, false}) {
    ASSERT_TRUE(std::getline(objects, line));
    EXPECT_EQ(json::parse(line)["outputs"][0]["exists"], exists);
  }
  EXPECT_EQ(files(), (Names{"b.npz", "jobs", "p.ply", "q.ply", "u.ply"}));
}

/// A device that cannot be used ends a batch, and its plan.
TEST_F(PlanTest, ADeviceThatIsNotThereIsOneError) {
  const Outcome o = run("--data p.ply --query q.ply u.ply -o {stem}.npz --device cuda:99 --plan");
  EXPECT_EQ(o.exit_code, 5);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(begins(o.err, "kann: error: q.ply: no CUDA device ("));
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1);
}

/// Nothing is read of a stream: somebody else may want what is in it.
TEST_F(PlanTest, StreamsAreNotTouched) {
  ASSERT_EQ(mkfifo(path("f.ply").c_str(), 0600), 0);
  for (const std::string data : {"f.ply", "- --data-format ply"}) {
    const Outcome o = run("--plan --device cpu --threads 1 --data " + data);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(has(o.out, "search   in memory\nmemory   not known before the points are read; "));
  }
}

TEST_F(PlanTest, NamesThePage) {
  const auto output = [&] {
    const Outcome o = run("--data p.ply -k 1 -o o.npz --html page.html --plan");
    return o.err + o.out.substr(std::min(o.out.size(), o.out.find("output ")));
  };
  EXPECT_EQ(output(), "output   o.npz, page.html\n");
  EXPECT_EQ(plan_of("--data p.ply --html page.html")["outputs"][1]["option"], "--html");
  write_file("page.html", "mine");
  EXPECT_EQ(output(), "output   o.npz, page.html (exists; --force replaces it)\n");
}

/// The memory of the statistics that are in them belongs to the plan, too.
TEST_F(PlanTest, ReportsAndPagesAreAmongItsFiles) {
  const std::string arguments = "--data p.ply -k3 -o o.npz --threads 2 --device cpu";
  const std::string more = arguments + " --report r.json --html r.html";
  const auto output_of = [&] {
    const std::vector<std::string> before = files();
    const Outcome o = run(more + " --plan");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(files(), before);
    return o.out.substr(o.out.find("output "));
  };
  EXPECT_EQ(output_of(), "output   o.npz, r.json, r.html\n");
  EXPECT_EQ(run(more).exit_code, 0);
  const std::string report = read_file("r.json"), page = read_file("r.html");
  EXPECT_EQ(output_of(),
            "output   o.npz (exists; --force replaces it), r.json (exists; --force replaces it), "
            "r.html (exists; --force replaces it)\n");
  const json plan = plan_of(arguments + " --report r.json");
  EXPECT_EQ(plan["outputs"][1], (json{{"option", "--report"}, {"path", "r.json"}, {"exists", true}}));
  const auto memory_of = [&](const std::string& asked) {
    const std::string text = run(arguments + " -k900 --plan " + asked).out;
    const std::size_t begin = text.find("memory ");
    return text.substr(begin, text.find(", of ", begin) - begin);  // what may be taken changes from run to run
  };
  EXPECT_EQ(memory_of("--report r.json"), memory_of("--stats"));
  EXPECT_NE(memory_of("--report r.json"), memory_of(""));
  EXPECT_EQ(run("--data nope.ply --plan --report r.json --html r.html").exit_code, 3);
  EXPECT_EQ(run("--data nope.ply --plan --report new.json").exit_code, 3);
  EXPECT_EQ(read_file("r.json"), report);
  EXPECT_EQ(read_file("r.html"), page);
  EXPECT_FALSE(std::filesystem::exists(path("new.json")));
}

}  // namespace
}  // namespace kann::test
