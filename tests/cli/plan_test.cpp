// --plan says what the run then does, or refuses what it refuses in the same words, and does nothing itself.
#include <algorithm>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "clouds.hpp"
#include "formats/las/laz.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

class PlanTest : public ProgramTest {
 protected:
  PlanTest() : ProgramTest("--data p.ply --device cpu --threads 2 --force") {
    write_ply("p.ply", clusters(100'000, 3, 1));
    write_ply("q.ply", uniform(50'000, 3, 2));
    write_ply("u.ply", uniform(120'000, 3, 5));
  }

  void write_ply(const std::string& name, const Coordinates& c) { write_file(name, binary_ply(c)); }

  static std::vector<std::string> with(Command command, const Command& more) {
    command.words.insert(command.words.end(), more.words.begin(), more.words.end());
    return command.words;
  }

  json plan_of(const Command& command) const {
    const std::vector<std::string> before = files();
    const Outcome o = run(with(command, "--plan --json"));
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(files(), before);
    return json::parse(o.out);
  }

  /// Compares a plan with the report of the run. Where points crowd, there are more tiles than the plan says.
  json expect_as_planned(const std::string& search, bool is_uniform = true) {
    const std::string command = "--threads 2 --device cpu --force " + search;
    const json plan = plan_of(command);
    const Outcome o = run(command + " --json");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const json report = json::parse(o.out);
    for (const char* const key : {"k", "radius", "method", "device"}) EXPECT_EQ(plan[key], report[key]) << key;
    EXPECT_EQ(plan["data"]["path"], report["data"]["path"]);
    EXPECT_EQ(plan["query"]["path"], report["query"]["path"]);
    if (!plan["estimated"]) {
      EXPECT_EQ(plan["data"]["points"], report["data"]["points"]);
      EXPECT_EQ(plan["query"]["points"], report["query"]["points"]);
    }
    EXPECT_EQ(plan["outputs"][0]["path"], report["output"]["path"]);
    if (!k_is_sanitized) {
      EXPECT_LE(report["memory_peak_bytes"]["host"], plan["memory_bytes"]["needed"]);
    }
    EXPECT_EQ(plan["tiles"].is_null(), !report.contains("tiles"));
    if (plan["tiles"].is_null()) return plan;
    EXPECT_EQ(plan["tiles"].value("pieces", 0), report["tiles"].value("pieces", 0));
    if (is_uniform)
      EXPECT_EQ(plan["tiles"]["count"], report["tiles"]["count"]);
    else
      EXPECT_LE(plan["tiles"]["count"], report["tiles"]["count"]);
    EXPECT_LE(report["tiles"]["charged_bytes"], plan["memory_bytes"]["needed"]);
    EXPECT_EQ(plan["memory_bytes"]["budget"], report["tiles"]["budget_bytes"]);
    EXPECT_LE(plan["tiles"]["temporary_bytes"].get<double>(), 1.1 * report["tiles"]["temporary_bytes"].get<double>());
    return plan;
  }
};

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

class PlanRefusals : public PlanTest {
 protected:
  /// What becomes of the plan, and of the run.
  Outcome refused(const std::string& command) const {
    const Outcome plan = run(command + " --plan"), done = run(command);
    EXPECT_EQ(plan.exit_code, done.exit_code) << command;
    EXPECT_EQ(plan.err, done.err);
    return plan;
  }
};

/// What the run would refuse is refused.
TEST_F(PlanRefusals, RefusesWhatTheRunRefuses) {
  write_file("cut.ply", read_file("p.ply").substr(0, 50));
  write_file("empty.ply", "");
  EXPECT_EQ(refused("nope.ply").exit_code, 3);
  EXPECT_EQ(refused("cut.ply").exit_code, 3);
  EXPECT_EQ(refused("empty.ply").exit_code, 3);
  EXPECT_EQ(refused("p.ply -o p.ply --force").exit_code, 2);
  EXPECT_EQ(refused("p.ply --max-memory 1M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --method shifted-sort --max-memory 17M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --group x --max-memory 14M --device cpu").exit_code, 4);
  EXPECT_EQ(refused("p.ply --group nope").exit_code, 3);
  EXPECT_EQ(refused("p.ply --sky").exit_code, 3);
  EXPECT_EQ(refused("p.ply --periodic 1,1").exit_code, 2);
  for (const std::string more : {"", " --plan"})  // the memory that the message names changes
    EXPECT_EQ(run("p.ply -k 5000000000" + more).exit_code, 4);
}

TEST_F(PlanRefusals, ProtectsFilesFromReportsAsTheRunDoes) {
  EXPECT_EQ(refused("p.ply -o o.npz --report p.ply").err,
            "kann: error: p.ply: is the input p.ply; choose another --report\n");
  EXPECT_EQ(refused("p.ply -o o.npz --report no/r.json").err,
            "kann: error: no/r.json: No such file or directory; make the folder no first\n");
  EXPECT_EQ(run("p.ply --query q.ply u.ply -o new/ --report r.json --plan").exit_code, 0);
  EXPECT_EQ(files(), (Names{"p.ply", "q.ply", "u.ply"}));
}

/// Neither makes a folder that is missing, but for one that ends with a slash.
TEST_F(PlanRefusals, RefusesOutputsAsTheRunDoes) {
  const auto refusal = [&](const std::string& more) {
    return refused("u.ply -k1 --device cpu --threads 1 " + more).err;
  };
  write_file("file", "");
  write_file("empty.npz", "");
  std::filesystem::create_directory(path("folder.png"));
  const std::string missing = ": No such file or directory; make the folder no first\n";
  const std::string in_tiles = " --max-memory 18M";
  EXPECT_EQ(refusal("-o no/o.npz"), "kann: error: no/o.npz" + missing);
  EXPECT_EQ(refusal("--picture no/p.png --max-memory 1M"), "kann: error: no/p.png" + missing);
  EXPECT_EQ(refusal("--html no/p.html"), "kann: error: no/p.html" + missing);
  EXPECT_EQ(refusal("-o file/o.npz"), "kann: error: file/o.npz: Not a directory\n");
  EXPECT_EQ(refusal("--picture folder.png"), "kann: error: folder.png: Is a directory\n");
  EXPECT_EQ(refusal("--compare nope.npz"), "kann: error: nope.npz: No such file or directory\n");
  EXPECT_EQ(refusal("--compare empty.npz"),
            "kann: error: empty.npz: no directory at the end of the archive: the file is cut off or no ZIP\n");
  EXPECT_EQ(refusal("--temp-folder no" + in_tiles),
            "kann: error: no: No such file or directory; --temp-folder takes another folder\n");
  EXPECT_EQ(refusal("--temp-folder file" + in_tiles),
            "kann: error: file: Not a directory; --temp-folder takes another folder\n");
  if (!formats::has_laszip()) {
    EXPECT_EQ(refusal("-o o.laz"), "kann: error: o.laz: LAZ is not written, as this build has no LASzip; write las\n");
  }
  if (geteuid() != 0) {
    std::filesystem::create_directory(path("closed"));
    std::filesystem::permissions(path("closed"), std::filesystem::perms::owner_read);
    EXPECT_EQ(refusal("-o closed/o.npz"), "kann: error: closed/o.npz: Permission denied\n");
    EXPECT_EQ(refusal("-o closed/new/"), "kann: error: closed/new: Permission denied\n");
    EXPECT_EQ(refusal("--temp-folder closed" + in_tiles),
              "kann: error: closed: Permission denied; --temp-folder takes another folder\n");
  }
  for (const std::string& more : {std::string(), in_tiles})
    EXPECT_EQ(run("u.ply -k1 --device cpu -o new/sub/ --plan" + more).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

/// The first rows of a text tell its columns, and so does the header of a cloud whose points are read as a whole.
TEST_F(PlanRefusals, RefusesColumnsAsTheRunDoes) {
  const auto refusal = [&](const std::string& command) {
    const std::string message = refused(command).err;
    return message.substr(0, message.find(';'));
  };
  write_file("t.csv", "x,y,z,kind,v\n0,0,0,oak,1\n1,1,1,elm,2\n");
  write_file("stars.csv", "id,ra,dec\n1,10,20\n2,11,21\n");
  write_file("four.xyz", "1 2 3 4\n5 6 7 8\n");
  write_file("short.csv", "x,y,z\n0,0,0\n1\n");
  write_file("flat.csv", "x,y\n0,0\n1,1\n");
  write_file("a.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
             "property list uchar int l\nend_header\n1 2 3 1 4\n");
  write_file("a.pcd",
             "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n"
             "DATA ascii\n1 2 3\n");
  EXPECT_EQ(refusal("t.csv --group kin"), "kann: error: t.csv: no column 'kin' (it has x, y, z, kind, v)");
  EXPECT_EQ(refusal("t.csv --columns a,b"), "kann: error: t.csv: --columns: no column 'a'");
  EXPECT_EQ(refusal("t.csv --transfer kind -o o.npz"), "kann: error: t.csv:2: column 4 is not a number: 'oak'");
  EXPECT_EQ(refusal("t.csv --transfer v,5 -o o.npz"),
            "kann: error: t.csv: --transfer: 'v' and '5' are the same attribute\n");
  EXPECT_TRUE(refusal("t.csv --picture-by nope --picture p.png").starts_with("kann: error: t.csv: no column 'nope'"));
  EXPECT_EQ(refusal("stars.csv"),
            "kann: error: stars.csv: 'ra' and 'dec' are angles, and distances are those of a plane");
  EXPECT_EQ(refusal("p.ply --query flat.csv"), "kann: error: flat.csv: points have 2 coordinates (p.ply has 3)");
  EXPECT_TRUE(refusal("flat.csv --features normals")
                  .starts_with("kann: error: flat.csv: points of 2 coordinates have no shapes in"));
  EXPECT_EQ(refusal("four.xyz"), "kann: error: four.xyz:1: row has 4 columns without names");
  EXPECT_EQ(refusal("short.csv"), "kann: error: short.csv:3: row has 1 column (need 3, as in the header in line 1)\n");
  EXPECT_EQ(refusal("a.ply --group l"), "kann: error: a.ply: property 'l' is a list");
  EXPECT_TRUE(refusal("a.pcd --group l").starts_with("kann: error: a.pcd: no field 'l'"));
  EXPECT_EQ(run("t.csv --group kind --plan").exit_code, 0);
  EXPECT_EQ(run("stars.csv --sky --plan").exit_code, 0);
}

/// The message of a run, which has read what is before an element, may count fewer bytes for it.
TEST_F(PlanRefusals, CountsThatTheFileCannotHold) {
  const std::string many = "9223372036854775807", fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
  const auto pcd = [&](const std::string& points, const std::string& data) {
    return "VERSION .7\n" + fields + "WIDTH " + points + "\nHEIGHT 1\nPOINTS " + points + "\nDATA " + data;
  };
  const auto ply = [](const std::string& format, const std::string& elements, const std::string& body) {
    return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n" + body;
  };
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n",
                    list = "property list uchar int v\n";
  write_file("a.pcd", pcd(many, "ascii\n1 2 3\n"));
  write_file("sizes.pcd", pcd("2147483648", "binary_compressed\n" + std::string(600, '\0')));
  write_file("ratio.pcd", pcd("300000000", "binary_compressed\n" + std::string("\xf4\1\0\0\0\xa4\x93\xd6", 8) +
                                               std::string(500, '\0')));
  write_file("short.pcd", pcd("2", "binary_compressed\nabc"));
  write_file("a.ply", ply("ascii", "element vertex 1099511627776\n" + xyz, "1 2 3\n"));
  write_file("lists.ply",
             ply("binary_little_endian", "element vertex 1099511627776\n" + xyz + list, std::string(13, '\0')));
  write_file("faces.ply", ply("ascii", "element vertex 1\n" + xyz + "element face 1099511627776\n" + list, "1 2 3\n"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a.pcd", ": point count " + many + " needs at least 55340232221128654841 bytes, file holds 6"},
      {"sizes.pcd", "@byte 129: point count 2147483648 needs 25769803776 decompressed bytes, the file says 0"},
      {"ratio.pcd", ": 500 bytes of LZF cannot hold 3600000000"},
      {"short.pcd", ": the sizes of the points need 8 bytes, file holds 3"},
      {"a.ply", ": vertex count 1099511627776 needs at least 6597069766655 bytes, file holds 6"},
      {"lists.ply", ": vertex count 1099511627776 needs at least 14293651161088 bytes, file holds 13"}};
  for (const std::string more : {"", " --max-memory 60M --device cpu"})
    for (const auto& [name, message] : cases) {
      const Outcome o = refused(name + more);
      EXPECT_EQ(o.exit_code, 3) << name;
      EXPECT_EQ(o.err, "kann: error: " + name + message + "\n");
    }
  const Outcome faces = run("faces.ply --plan");
  EXPECT_EQ(faces.exit_code, run("faces.ply").exit_code);
  EXPECT_EQ(faces.err,
            "kann: error: faces.ply: face count 1099511627776 needs at least 2199023255551 bytes, file holds 1\n");
}

}  // namespace
}  // namespace kann::test
