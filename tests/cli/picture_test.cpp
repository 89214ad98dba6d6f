// --picture and --stats: what is shown of a search, beside its result or alone.

#include "run_kann.hpp"

namespace kann::test {
namespace {

class PictureTest : public ProgramTest {
 protected:
  PictureTest() : ProgramTest("--data p.xyz --query q.xyz --device cpu -k 2") {
    write_cloud("p.xyz", 300, 1);
    write_cloud("q.xyz", 200, 2);
  }

  /// Width and height of a PNG file, by its first chunk (PNG 1.2, section 11.2.2).
  std::pair<int, int> size_of(const std::string& name) const {
    const std::string bytes = read_file(name);
    EXPECT_TRUE(begins(bytes, "\x89PNG\r\n\x1a\n")) << name;
    const auto number = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
    };
    return {number(16), number(20)};
  }
};

TEST_F(PictureTest, AloneItIsTheResult) {
  EXPECT_EQ(succeeds("--picture p.png").out, "p.png\n");
  EXPECT_EQ(files(), (Names{"p.png", "p.xyz", "q.xyz"}));
  EXPECT_EQ(size_of("p.png"), std::pair(1600, 1200));
}

TEST_F(PictureTest, HasTheSizeAndTheViewThatWereAskedFor) {
  succeeds("--picture a.png --picture-size 640");
  EXPECT_EQ(size_of("a.png"), std::pair(640, 480));
  succeeds("--picture b.png --picture-size 300x500 --view top");
  EXPECT_EQ(size_of("b.png"), std::pair(300, 500));
  succeeds("--picture c.png --picture-size 300x500 --view 0,0,1");
  succeeds("--picture d.png --picture-size 300x500 --view front");
  EXPECT_NE(read_file("b.png"), read_file("d.png"));
}

TEST_F(PictureTest, BesideAResultItIsAnotherFileAndInTheReport) {
  EXPECT_EQ(kann("--picture p.png -o r.npz --report r.json --picture-by density").out, "r.npz\n");
  const json report = json_of("r.json");
  EXPECT_EQ(report["picture"]["path"], "p.png");
  EXPECT_EQ(report["picture"]["drawn"].get<int>() + report["picture"]["outside"].get<int>(), 200);
  EXPECT_EQ(report["picture"]["left_out"], 0);
}

TEST_F(PictureTest, IsColouredByAttributes) {
  write_file("q.xyz", "x y z tone red green blue\n0 0 0 1 255 0 0\n1 0 0 2 0 255 0\n0 1 0 3 0 0 255\n");
  succeeds("--picture a.png --picture-by tone");
  succeeds("--picture b.png --picture-by rgb");
  EXPECT_NE(read_file("a.png"), read_file("b.png"));
  const auto of_itself = [&](const std::string& picture, const std::string& more) {
    EXPECT_EQ(run("q.xyz --device cpu -k 1 --include-self --picture " + picture + " " + more).exit_code, 0);
    return read_file(picture);
  };
  EXPECT_EQ(of_itself("d.png", "--picture-by tone --transfer TONE -o a.ply"), read_file("a.png"));
  EXPECT_EQ(of_itself("e.png", "--picture-by rgb --transfer Red -o b.ply"), read_file("b.png"));
  EXPECT_TRUE(has(error_of("--picture c.png --picture-by tune", 3), "did you mean 'tone'?"));
}

/// The letters of the legend are those of ASCII.
TEST_F(PictureTest, OfAnAttributeWhoseNameTheLegendCannotShow) {
  write_file("q.xyz", "x y z größe\n0 0 0 1\n1 0 0 2\n0 1 0 3\n");
  succeeds("--picture a.png --picture-by größe");
  write_file("q.xyz", "x y z gr??e\n0 0 0 1\n1 0 0 2\n0 1 0 3\n");
  succeeds("--picture b.png --picture-by gr??e");
  EXPECT_EQ(read_file("a.png"), read_file("b.png"));
}

TEST_F(PictureTest, ColoursAreByTheRangeAndTheScaleThatAreAskedFor) {
  const auto picture = [&](const std::string& more) { return written("--picture a.png --force " + more, "a.png"); };
  EXPECT_NE(picture("--color-range 0.01,100"), picture(""));
  EXPECT_EQ(picture("--color-range 0.01,100"), picture("--color-range 1e-2,1e2 --color-scale linear"));
  EXPECT_NE(picture("--color-range 0.01,100"), picture("--color-range 1e-2,1e2 --color-scale log"));
}

/// Their mean distance and their density say what the distance says.
TEST_F(PictureTest, OfOneNeighbourHasNoMeansNorDensities) {
  for (const std::string by : {"mean_distance", "density"}) {
    expect_refused("-k 1 --picture p.png --picture-by " + by, 2,
                   "--picture-by " + by +
                       " of one neighbour says what nn_distance says; give --picture-by distance, or --k 2 or more");
    succeeds("--picture p.png --picture-by " + by + " --force");
  }
  const auto header = [&](const std::string& more) {
    const Outcome o = succeeds("-o o.csv --output-format cloud-csv --force --json " + more);
    const std::string text = read_file("o.csv");
    return text.substr(0, text.find('\n')) + (json::parse(o.out)["statistics"].contains("density") ? " density" : "");
  };
  EXPECT_EQ(header("-k 1"), "x,y,z,nn_id,nn_distance");
  EXPECT_EQ(header("-k 2"), "x,y,z,nn_id,nn_distance,mean_distance,density density");
}

TEST_F(PictureTest, AFieldAcrossTheMeridianIsWhole) {
  const auto picture = [&](const std::string& west) {
    write_file("s.csv", "ra,dec,mag\n" + west + ".75,1,3\n" + west + ".5,2,4\n0.25,1,5\n0.5,2.5,6\n");
    const Outcome o = run("--data s.csv --sky --device cpu -k 1 --picture s.png --picture-by mag --force");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("s.png");
  };
  EXPECT_EQ(picture("359"), picture("719"));
  EXPECT_NE(picture("359"), picture("179"));
}

TEST_F(PictureTest, RefusesWhatItCannotDraw) {
  expect_refused("--picture p.jpg", 2, "--picture expects a file that ends with .png, got 'p.jpg'");
  for (const auto& [option, value] : {std::pair<std::string, std::string>{"--view", "top"},
                                      {"--picture-by", "rgb"},
                                      {"--picture-size", "640"},
                                      {"--color-scale", "log"},
                                      {"--color-range", "0,1"}})
    expect_refused(option + " " + value, 2, option + " needs --picture FILE.png or --html FILE.html");
  expect_refused("--picture p.png --color-range 2,1", 2,
                 "--color-range expects A,B: two numbers, the second one larger, got '2,1'");
  expect_refused("--picture p.png --color-range 0,1 --color-scale log", 2,
                 "--color-range expects positive numbers for --color-scale log");
  expect_refused("--picture p.png --view 0,0,0", 2,
                 "--view expects auto, top, front, iso or X,Y,Z, the direction from the cloud to the eye, got '0,0,0'");
  for (const std::string size : {"8x600", "100x", "x100", "x", "", "10x10x10", "640 ", "16385"})
    expect_refused(
        "--picture p.png --picture-size '" + size + "'", 2,
        "--picture-size expects WIDTH or WIDTHxHEIGHT, each a whole number from 16 to 16384, got '" + size + "'");
  expect_refused("--picture p.png --picture-by ''", 2,
                 "--picture-by expects distance, mean_distance, density, outlier, cluster, rgb or the name of an "
                 "attribute, got ''");
  expect_refused("--picture x.png -o x.png --output-format csv", 2,
                 "x.png: is the result too; choose another --picture");
}

TEST_F(PictureTest, IsProtectedAsAResultIs) {
  write_file("p.png", "old");
  expect_refused("--picture p.png", 2, "p.png: File exists; use --force to replace it");
  write_file("in.png", read_file("q.xyz"));
  const Outcome input = run("p.xyz in.png --query-format xyz --device cpu --picture in.png --force");
  EXPECT_EQ(input.err, "kann: error: in.png: is the input in.png; choose another --picture\n");
  expect_refused("--picture no/p.png", 4, "no/p.png: No such file or directory; make the folder no first");
  expect_refused("--data nope.xyz --picture p.png --force", 3, "nope.xyz: No such file or directory");
}

TEST_F(PictureTest, ABatchHasOnePerJob) {
  const Outcome o = succeeds("--query p.xyz --picture pictures/{stem}.png");
  const std::string p = "pictures/p.png\n", q = "pictures/q.png\n";
  EXPECT_TRUE(o.out == p + q || o.out == q + p) << o.out;  // jobs are reported as they end
  EXPECT_EQ(size_of("pictures/q.png"), std::pair(1600, 1200));
  expect_refused("--query p.xyz --picture p.png", 2,
                 "--picture p.png is one file for many pictures; give a pattern ({stem}.png)");
  EXPECT_EQ(error_of("--query p.xyz -o out/ --html {stem}.html", 2),
            "kann: error: --html {stem}.html is about the whole batch: one file, without a pattern\n");
  expect_refused("--query q.xyz --picture pictures/{stem}.png --force", 2,
                 "q.xyz: pictures/q.png is the output of q.xyz, too; choose another --picture, such as '{index}.png'");
  const std::string beside = "--query p.xyz --picture pictures/{stem}.png -o out/ --skip-existing";
  EXPECT_TRUE(has(succeeds(beside).err, "2 done, 0 skipped")) << "a picture without its result is made again";
  EXPECT_TRUE(has(succeeds(beside).err, "0 done, 2 skipped"));
}

TEST_F(PictureTest, OfNoPointAndOfOne) {
  write_file("q.xyz", "x y z\n");
  succeeds("--picture none.png");
  EXPECT_EQ(size_of("none.png"), std::pair(1600, 1200));
  write_file("q.xyz", "1 2 3\n");
  succeeds("--picture one.png");
  EXPECT_TRUE(has(succeeds("--picture far.png --radius 0").err,
                  "far.png: 1 of 1 points left out: they have no neighbour, or NaN or infinite coordinates "
                  "or values\n"));
}

class StatsTest : public ProgramTest {
 protected:
  StatsTest() : ProgramTest("--data pts.csv --device cpu -k 2 --query q.csv") {
    write_file("pts.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n");
    write_file("q.csv", "x,y\n0,0\n9,0\n");
  }

  static constexpr const char* k_table =
      "distances per rank: exact\n"
      "rank  queries  mean  deviation      rms  median  p95  p99  max\n"
      "   1        2     3    4.24264  4.24264       0    6    6    6\n"
      "   2        2   4.5    4.94975  5.70088       1    8    8    8\n"
      "points per unit of area: median 0.63662, 5 % below 0.00994718, 5 % above 0.63662\n";
};

/// Alone it writes no file: the table is the result.
TEST_F(StatsTest, AloneTheTableIsTheResult) {
  const Outcome o = succeeds("--stats");
  EXPECT_EQ(o.out, k_table);
  EXPECT_TRUE(begins(o.err, "kann: 2 queries x 2 neighbours among 4 points, 2-D (x, y), on CPU"));
  EXPECT_EQ(files(), (Names{"pts.csv", "q.csv"}));
  EXPECT_EQ(kann("--stats -q").out, k_table);
}

/// Standard output has the table, so the pictures are named elsewhere.
TEST_F(StatsTest, PicturesBesideTheTableAreNamed) {
  const Outcome o = kann("--stats --picture p.png");
  EXPECT_EQ(o.out, k_table);
  EXPECT_TRUE(has(o.err, "kann: picture: p.png\n"));
}

TEST_F(StatsTest, BesideAResultTheTableIsAMessage) {
  const Outcome o = kann("--stats -o nn.csv");
  EXPECT_EQ(o.out, "nn.csv\n");
  for (const std::string line :
       {"distances per rank: exact\n", "rank  queries", "   1        2     3", "points per unit of area: median"})
    EXPECT_TRUE(has(o.err, "kann: " + line));
  EXPECT_TRUE(has(kann("-o nn.csv --force -v").err, "kann: rank  queries"));
  EXPECT_FALSE(has(kann("-o nn.csv --force").err, "rank"));
  EXPECT_EQ(kann("--stats --output-format csv --force").out, "q.knn.csv\n");
}

TEST_F(StatsTest, EveryReportHasThem) {
  const json report = json::parse(succeeds("--stats --json").out);
  EXPECT_EQ(report["output"], nullptr);
  EXPECT_EQ(report["statistics"]["empty_rows"], 0);
  EXPECT_EQ(report["statistics"]["ranks"][1],
            json::parse(R"({"rank":2,"queries":2,"mean":4.5,"median":1.0,"p95":8.0,"p99":8.0,"max":8.0,
                            "deviation":4.949747468305833,"rms":5.70087712549569})"));
  kann("-o nn.csv --report r.json -q");
  EXPECT_EQ(json_of("r.json")["statistics"], report["statistics"]);
}

TEST_F(StatsTest, SayWhichQueriesHaveNoNeighbor) {
  EXPECT_EQ(kann("--stats --radius 1").out,
            "distances per rank: exact\n"
            "rank  queries  mean  deviation  rms  median  p95  p99  max\n"
            "   1        1     0          0    0       0    0    0    0\n"
            "   2        1     1          0    1       1    1    1    1\n"
            "points per unit of area: median 0.63662, 5 % below 0.63662, 5 % above 0.63662\n"
            "1 query without a neighbour\n");
  const Outcome none = kann("--stats --radius 0 --data q.csv");
  EXPECT_TRUE(has(none.out, "   2        0     -          -"));
  EXPECT_FALSE(has(none.out, "points per unit"));
  EXPECT_TRUE(has(none.out, "\n2 queries with no neighbour but at their own place\n"));
}

/// In a batch, each table is below the name of its queries.
TEST_F(StatsTest, ABatchNamesTheQueries) {
  const Outcome o = kann("--query nope.csv q.csv --stats");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, std::string("q.csv\n") + k_table + "q.csv\n" + k_table);
  EXPECT_TRUE(has(o.err, "kann: batch: 2 done, 0 skipped, 1 failed"));
}

TEST_F(StatsTest, ChecksGoOn) {
  EXPECT_TRUE(has(succeeds("--stats --verify").err, "2 identical"));
  expect_refused("--stats --skip-existing", 2,
                 "--skip-existing needs --output with --stats or --picture: no result is written");
  error_of("--stats", 4, {.stdout_path = ""});
  succeeds("--picture p.png", {.stdout_path = ""});
  EXPECT_TRUE(
      ends(error_of("--stats", 4, {.stdout_path = "/dev/full"}), "kann: error: stdout: No space left on device\n"));
}

}  // namespace
}  // namespace kann::test
