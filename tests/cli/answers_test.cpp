// --outliers, and clouds as results, as a user runs them.
#include <cmath>
#include <filesystem>

#include "answers_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(AnswersTest, ACloudHasItsOwnAttributesAndWhatWasFound) {
  const Table t = cloud("");
  ASSERT_EQ(t.size(), 8u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(t.at("x")[i], 2 * i + .25);
    EXPECT_EQ(t.at("mark")[i], 100 + i);
    EXPECT_EQ(t.at("nn_id")[i], 2 * i);
    EXPECT_EQ(t.at("nn_distance")[i], .25);
    EXPECT_EQ(t.at("mean_distance")[i], .5);
    EXPECT_NEAR(t.at("density")[i], 2 / (4 * M_PI / 3 * .75 * .75 * .75), 1e-12);
  }
}

TEST_F(AnswersTest, AnOwnAttributeOfThatNameIsKept) {
  write_file("q.csv", "x,y,z,height,nn_id\n1,0,0,7,8\n");
  const Table t = cloud("--transfer height");
  EXPECT_EQ(t.at("query_height")[0], 7);
  EXPECT_EQ(t.at("height")[0], 1.5);
  EXPECT_EQ(t.at("nn_id_1")[0], 8);
  EXPECT_EQ(t.at("nn_id")[0], 1);
}

/// A packed rgb of PCD is three attributes under one name; the method of each name goes to all that it stands for.
TEST_F(AnswersTest, APackedColourIsThreeAttributes) {
  write_file("c.pcd",
             "VERSION 0.7\nFIELDS x y z rgb a\nSIZE 4 4 4 4 4\nTYPE F F F U F\nCOUNT 1 1 1 1 1\nWIDTH 2\nHEIGHT 1\n"
             "POINTS 2\nDATA ascii\n0 0 0 66051 5\n1 0 0 460809 7\n");  // 0x010203, 0x070809
  const auto colours = [&](const std::string& more) {
    EXPECT_EQ(run("--data c.pcd --query q.csv --device cpu -k 2 --force " + more).exit_code, 0) << more;
  };
  colours("--transfer rgb,a --by nearest,mean -o out.csv --output-format cloud-csv");
  const Table t = table_of(read_file("out.csv"));
  EXPECT_EQ(t.at("red")[0], 1);
  EXPECT_EQ(t.at("green")[0], 2);
  EXPECT_EQ(t.at("blue")[0], 3);
  EXPECT_EQ(t.at("a")[0], 6);
  kann("--transfer rgb --picture a.png --picture-by rgb");
  kann("--transfer red,green,blue --picture b.png --picture-by rgb");
  EXPECT_EQ(read_file("a.png"), read_file("b.png"));
}

TEST_F(AnswersTest, OutliersAreFlaggedOrLeftOut) {
  std::string query = "x,y,z,mark\n";
  for (int i = 0; i < 50; ++i)
    query += std::to_string(i % 39) + ".5," + (i == 7 ? "90" : "0") + ",0," + std::to_string(i) + "\n";
  write_file("q.csv", query);
  const Table flagged = cloud("--outliers 2,3 --report r.json");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(flagged.at("outlier")[i], i == 7);
  const json report = json_of("r.json");
  EXPECT_EQ(report["outliers"]["count"], 1);
  EXPECT_EQ(report["outliers"]["k"], 2);
  const Table left = cloud("--outliers 2,3 --keep 'outlier = 0'");
  ASSERT_EQ(left.at("mark").size(), 49u);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(left.at("mark")[i], i < 7 ? i : i + 1);
  const Outcome o = run("--data p.csv --device cpu --outliers 12,1 -o o.ply");
  EXPECT_TRUE(has(o.err, " x 12 neighbours ")) << "brings --k 12";
  EXPECT_TRUE(has(o.err, "outlier"));
}

/// Without a mean distance, there is no limit that could be said.
TEST_F(AnswersTest, OutliersOfNoNeighboursAtAll) {
  const auto summary_of = [&](const std::string& cloud) {
    write_file("few.csv", cloud);
    const Outcome o =
        run("--data few.csv --device cpu -k 1 --outliers 1,1 --radius 1 -o few.npz --force --report r.json");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(json_of("r.json")["outliers"]["threshold"].is_null());
    return o.err;
  };
  const std::string why = " (no query has neighbours at a finite distance)\n";
  EXPECT_TRUE(ends(summary_of("x,y,z\n0,0,0\n9,0,0\n"), "; 2 outliers" + why));
  EXPECT_TRUE(ends(summary_of("x,y,z\n0,0,0\n"), "; 1 outlier" + why));
  EXPECT_TRUE(ends(summary_of("x,y,z\n"), "; 0 outliers" + why));
}

/// A class of 300 fits no byte: LAS has it under another name, and says so.
TEST_F(AnswersTest, LasSaysWhichNamesAreTaken) {
  write_file("big.csv", "x,y,z,classification\n0,0,0,300\n9,0,0,2\n");
  succeeds("-o b.las");
  for (const std::string query : {"q.csv", "b.las"}) {
    const Outcome o =
        run("--data big.csv --query " + query + " --device cpu -k1 --transfer classification -o c.las --force");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(has(o.err,
                    "kann: warning: c.las: attribute 'classification' is called 'classification_1': LAS has a "
                    "field of its name that does not hold it, or the name is too long\n"))
        << query;
  }
  write_file("far.csv", "x,y,z\n0,0,0\n1e12,0,0\n");
  const Outcome far = run("--data far.csv --device cpu -k1 -o far.las");
  EXPECT_TRUE(has(far.err, "kann: warning: far.las: x is rounded to 1000: int32 holds no finer steps"));
}

TEST_F(AnswersTest, OtherFormatsSayItToo) {
  for (const std::string format : {"ply", "cloud-csv"})
    EXPECT_TRUE(has(succeeds("--columns y,x --transfer x -o c --force --output-format " + format).err,
                    "kann: warning: c: attribute 'x' is called 'x_1': a coordinate or an attribute before it has its "
                    "name\n"));
}

TEST_F(AnswersTest, SkipExistingMakesWhatIsMissingAlone) {
  std::filesystem::create_directory(path("out"));
  write_file("out/q.ply", "precious");
  const std::string batch = "--query p.csv -o out/{stem}.ply --skip-existing --picture out/{stem}.png";
  succeeds(batch);
  EXPECT_EQ(read_file("out/q.ply"), "precious");
  EXPECT_TRUE(begins(read_file("out/q.png"), "\x89PNG"));
  EXPECT_TRUE(begins(read_file("out/p.ply"), "ply\n"));
  std::filesystem::remove(path("out/p.ply"));
  write_file("out/p.png", "old");
  succeeds(batch);
  EXPECT_EQ(read_file("out/p.png"), "old");
  EXPECT_TRUE(begins(read_file("out/p.ply"), "ply\n"));
}

TEST_F(AnswersTest, WithAPictureAloneNoResultIsWritten) {
  const Outcome o = succeeds("--transfer height --picture p.png --picture-by height");
  EXPECT_EQ(o.out, "p.png\n");
  succeeds("--outliers 2,1 --picture o.png --picture-by outlier");
  succeeds("--outliers 2,1 --stats");
  EXPECT_EQ(files(), (Names{"o.png", "p.csv", "p.png", "q.csv"}));
}

TEST_F(AnswersTest, TextHasEmptyCellsAndNamesOfItsOwn) {
  write_file("a.csv", "x,y,id,data_id,f\n0,0,1,2,\n1,0,4,5,1.5\n");
  write_file("b.csv", "x,y\n1,0\n0,0\n99,9\n");
  const auto text = [&](const std::string& more) {
    const Outcome o = run("a.csv b.csv -k 1 --radius 3 --device cpu --force -o t.csv " + more);
    return o.exit_code == 0 ? read_file("t.csv") : o.err;
  };
  EXPECT_EQ(text("--transfer id,data_id"),
            "query,rank,id,distance,data_data_id,data_id\n0,0,1,0,4,5\n1,0,0,0,1,2\n2,0,-1,inf,,\n");
  EXPECT_EQ(text("--transfer f --attributes f"), "f\n1.5\n\"\"\n\"\"\n");  // no line is blank
  EXPECT_EQ(text("--attributes query=1,id=column_1"),
            "kann: error: t.csv: --attributes: two columns would be called 'column_1'\n");
  EXPECT_EQ(text("--output-per-rank --attributes id"),
            "kann: error: --output-per-rank does not go with --attributes: pairs are written by one rank\n");
}

TEST_F(AnswersTest, RefusesWhatDoesNotGoTogether) {
  const auto usage = [&](const std::string& more, const std::string& message) { expect_refused(more, 2, message); };
  usage("--outliers 2,1 -o r.bin",
        "r.bin: has no place for --outliers; write .npz, .csv, .tsv, .ply, .las or --output-format cloud-csv");
  usage("--outliers 3,1", "--outliers 3 needs as many neighbours: --k 3");
  usage("--outliers 3",
        "--outliers expects K,SIGMA: a whole number of at least 1, and a number of at least 0, got '3'");
  usage("--outliers 2,-1",
        "--outliers expects K,SIGMA: a whole number of at least 1, and a number of at least 0, got '2,-1'");
  usage("--keep 'x > 1'",
        "q.knn.npz: has no place for --keep; write .csv, .tsv, .ply, .las or --output-format cloud-csv");
  usage("--transfer height --stats",
        "--transfer: no result is written, and no picture shows it; give --output, or --picture-by NAME");
  usage("--keep 'x > 1' --stats", "--keep needs --output with --stats or --picture: no result is written");
  usage("--by mean", "--by needs --transfer NAME");
  usage("--transfer height --by median", "--by expects nearest, mean, idw, vote or rbf, got 'median'");
  usage("--transfer height --by mean,vote", "--by has 2 methods for 1 names of --transfer; give one, or one for each");
  usage("--transfer height,height", "--transfer names 'height' twice");
  usage("--transfer height --rbf degree=2", "--rbf needs --by rbf");
  for (const auto& [value, message] : std::vector<std::pair<std::string, std::string>>{
           {"degree=3", " degree expects a whole number from -1 to 2, got '3'"},
           {"kernel=cubic,epsilon=0", " epsilon expects a positive number, got '0'"},
           {"kernel", " kernel expects thin_plate_spline, cubic, linear or gaussian, got ''"},
           {"smoothing=-1", " smoothing expects a finite number of at least 0, got '-1'"},
           {"degree=1,degree=2", " expects each name once, got 'degree=1,degree=2'"},
           {"neighbors=9",
            " expects NAME=VALUE between commas with the names kernel, degree, smoothing or epsilon, got "
            "'neighbors=9'"},
           {"''", " expects NAME=VALUE between commas with the names kernel, degree, smoothing or epsilon, got ''"}})
    usage("--transfer height --by rbf --rbf " + value, "--rbf" + message);
  usage("--transfer height --by rbf --periodic 9,9,9",
        "--by rbf does not go with --periodic: its distances are straight; take --by idw");
  usage("--transfer height --by rbf -k 65", "--by rbf takes at most 64 neighbours: --k 64");
}

}  // namespace
}  // namespace kann::test
