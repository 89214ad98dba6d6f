// --outliers, clouds as results, --transfer and --by, as a user runs them.
#include <cmath>
#include <filesystem>

#include "../clouds.hpp"
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
  EXPECT_EQ(succeeds("--transfer height --picture p.png --picture-by height").out, "p.png\n");
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

using TransferTest = AnswersTest;

TEST_F(TransferTest, AttributesOfTheDataAreTransferred) {
  const Table nearest = cloud("--transfer class,height");
  const Table mean = cloud("--transfer height,class,red --by mean");
  const Table each = cloud("--transfer height,class --by idw,mean");
  for (int i = 0; i < 20; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    EXPECT_EQ(nearest.at("class")[i], a / 4);
    EXPECT_EQ(nearest.at("height")[i], a * a + .5);
    EXPECT_DOUBLE_EQ(mean.at("height")[i], (a * a + b * b) / 2.0 + .5);
    EXPECT_EQ(mean.at("class")[i], a / 4)
        << "of whole numbers the most frequent is taken, and of a tie the nearest wins";
    EXPECT_EQ(mean.at("red")[i], 6 * a + 3) << "but colours are averaged, and stay whole";
    const double u = 1 / (.25 * .25), v = 1 / (.75 * .75);
    EXPECT_NEAR(each.at("height")[i], (u * (a * a + .5) + v * (b * b + .5)) / (u + v), 1e-9);
    EXPECT_EQ(each.at("class")[i], std::nearbyint((a / 4 + b / 4) / 2.0)) << "asked for by name";
  }
}

/// In a text cloud, z may happen to hold whole numbers only.
TEST_F(TransferTest, CoordinatesAreNeverVotedFor) {
  write_file("p.csv", "x,y,z\n0,0,1\n0,2,2\n2,0,3\n2,2,4\n");
  write_file("q.csv", "x,y\n1,0.5\n");
  for (const std::string columns : {"x,y", "1,2"})
    for (const std::string by : {"rbf", "mean", "idw"}) {
      const Outcome o = succeeds("--columns " + columns + " -k 4 --transfer z --by " + by +
                                 " -o out.csv --output-format cloud-csv --force --report r.json");
      EXPECT_FALSE(has(o.err, "warning"));
      EXPECT_EQ(json_of("r.json")["transfer"]["attributes"][0]["by"], by);
    }
}

TEST_F(TransferTest, MeansOfWholeNumbersAreRoundedInBinaryCloudsAlone) {
  write_file("p.csv", "x,y,z\n0,0,1\n0,2,2\n2,0,3\n2,2,4\n");
  write_file("q.csv", "x,y\n1,1\n");
  const auto warnings = [&](const std::string& name, const std::string& format) {
    return has(succeeds("--columns x,y --transfer z --by idw --force -o " + name + " --output-format " + format).err,
               "warning: z has whole numbers, to which its means are rounded; .npz and cloud-csv keep them\n");
  };
  EXPECT_TRUE(warnings("out.ply", "ply"));
  EXPECT_FALSE(warnings("out.npz", "npz"));
  EXPECT_FALSE(warnings("out.csv", "cloud-csv"));
  EXPECT_EQ(table_of(read_file("out.csv")).at("z")[0], 1.5);
}

TEST_F(TransferTest, AVoteInPlaceOfAnotherMethodIsSaid) {
  const auto warnings = [&](const std::string& names, const std::string& by) {
    const Outcome o = succeeds("--transfer " + names + " --by " + by + " -o out.npz --force --report r.json");
    const json report = json_of("r.json");
    for (const std::string line : report["warnings"]) EXPECT_TRUE(has(o.err, "kann: warning: " + line + "\n"));
    return report["warnings"].dump();
  };
  EXPECT_EQ(
      warnings("class,height,red", "rbf"),
      R"(["class has whole numbers, so queries get the most frequent one; --by class=rbf interpolates it",)"
      R"("--by rbf: 20 of 20 queries have neighbours that do not determine the polynomial (too few, on a line or )"
      R"(a plane); theirs has a lower degree"])");
  EXPECT_EQ(warnings("4", "mean"),
            R"(["class has whole numbers, so queries get the most frequent one; --by 4=mean averages it"])");
  for (const std::string by : {"nearest", "vote", "class=idw", "idw,class=vote"})
    EXPECT_EQ(warnings("height,class", by), "[]") << by;
}

TEST_F(TransferTest, NamesHaveTheirOwnMethods) {
  const Table t = cloud("--transfer height,class,red --by mean,class=mean,red=nearest");
  for (int i = 0; i < 20; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    EXPECT_DOUBLE_EQ(t.at("height")[i], (a * a + b * b) / 2.0 + .5);
    EXPECT_EQ(t.at("class")[i], std::nearbyint((a / 4 + b / 4) / 2.0));
    EXPECT_EQ(t.at("red")[i], 6 * a);
  }
}

/// Radial basis functions with a polynomial of degree 1 reproduce what is linear.
TEST_F(TransferTest, RadialBasisFunctionsReproduceAPlane) {
  std::string data = "x,y,z,h\n";
  for (int i = 0; i < 100; ++i)
    data += std::to_string(i % 10) + "," + std::to_string(i / 10) + "," + std::to_string(i * 7 % 13) + "," +
            std::to_string(2 * (i % 10) - 3 * (i / 10) + i * 7 % 13) + ".0\n";
  write_file("p.csv", data);
  write_file("q.csv", "x,y,z\n4.3,5.2,6.1\n2.7,3.9,5.5\n");
  const Table t = cloud("-k 20 --transfer h --by rbf");
  EXPECT_NEAR(t.at("h")[0], 2 * 4.3 - 3 * 5.2 + 6.1, 1e-9);
  EXPECT_NEAR(t.at("h")[1], 2 * 2.7 - 3 * 3.9 + 5.5, 1e-9);
}

/// A kernel that is nearly 1 at all neighbours has a system of which little is right.
TEST_F(TransferTest, ValuesFarFromThoseOfTheDataAreSaid) {
  std::string data = "x,y,z,h\n", queries = "x,y,z,i\n";
  Random random(7);
  const auto point = [&] {
    std::string text;
    for (int a = 0; a < 3; ++a) text += std::to_string(1e-3 * random.uniform()) + ",";
    return text;
  };
  for (int i = 0; i < 3000; ++i) data += point() + std::to_string(random.uniform()) + "\n";
  for (int i = 0; i < 300; ++i) queries += point() + "0\n";
  write_file("p.csv", data);
  write_file("q.csv", queries);
  const auto said = [&](const std::string& more) {
    return has(succeeds("-k 16 --transfer h --by rbf -o out.npz --force " + more).err,
               " of 300 values of h lie outside the range of the data's values by more than its width; try "
               "--rbf smoothing=1, another epsilon or --by idw\n");
  };
  EXPECT_TRUE(said("--rbf kernel=gaussian"));
  EXPECT_FALSE(said(""));
}

/// Coordinates, numbers and other cases are found in the same way, whether the data are the queries or not, and whether
/// all other attributes are read for a cloud or not.
TEST_F(TransferTest, NamesAreFoundInASelfQueryAsWithAQuery) {
  const auto values_of = [&](const std::string& more) {
    const Outcome o =
        run("--data p.csv --device cpu -k 1 --include-self --force -o out.csv --output-format cloud-csv " + more);
    EXPECT_EQ(o.exit_code, o.err.find("error") == std::string::npos ? 0 : 3) << o.err;
    return o.exit_code == 0 ? read_file("out.csv") : o.err;
  };
  const auto same = [&](const std::string& names) {
    const std::string self = values_of("--transfer " + names);
    std::string other = values_of("--query p.csv --transfer " + names);
    if (other.starts_with("kann: warning: --query p.csv is the data")) other.erase(0, other.find('\n') + 1);
    EXPECT_EQ(self, other) << names;
    return self;
  };
  const Table t = table_of(same("X,5,RED"));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(t.at("x_1")[i], i) << "beside the coordinate of that name";
    EXPECT_EQ(t.at("height")[i], i * i + .5);
    EXPECT_EQ(t.at("query_red")[i], 6 * i);
    EXPECT_EQ(t.at("red")[i], 6 * i);
  }
  EXPECT_EQ(same("class,CLASS"), "kann: error: p.csv: --transfer: 'class' and 'CLASS' are the same attribute\n");
  EXPECT_EQ(same("height,5"), "kann: error: p.csv: --transfer: 'height' and '5' are the same attribute\n");
  EXPECT_EQ(same("hieght"),
            "kann: error: p.csv: no column 'hieght' (it has x, y, z, class, height, red); did you mean 'height'?\n");
  EXPECT_EQ(same("7"), "kann: error: p.csv: no column 7; it has 6: x, y, z, class, height, red\n");
}

TEST_F(TransferTest, NamesInMessagesAreShownAsTheyAre) {
  write_file("p.csv", "x,y,z,größe,a\n0,0,0,1,2\n");
  EXPECT_EQ(error_of("--transfer grösse", 3),
            "kann: error: p.csv: no column 'grösse' (it has x, y, z, größe, a); did you mean 'größe'?\n");
  write_file("p.csv", "x,y,z,a\u202eb,a\u009b2J,a\xe9\n0,0,0,1,2,3\n");
  EXPECT_EQ(error_of("--transfer height", 3),
            "kann: error: p.csv: no column 'height' (it has x, y, z, a\\xe2\\x80\\xaeb, a\\xc2\\x9b2J, a\\xe9)\n");
}

TEST_F(TransferTest, TheReportNamesTheMethods) {
  succeeds("--transfer class,height,red --by mean -o r.npz --report r.json");
  EXPECT_EQ(json_of("r.json")["transfer"]["attributes"].dump(),
            R"([{"by":"vote","name":"class"},{"by":"mean","name":"height"},{"by":"mean","name":"red"}])");
}

TEST_F(TransferTest, ValuesThatAreLeftOutAreCounted) {
  write_file("p.csv", "x,y,z,height\n0,0,0,nan\n1,0,0,inf\n2,0,0,3\n");
  write_file("q.csv", "x,y,z\n0.5,0,0\n");
  EXPECT_TRUE(has(succeeds("--transfer height --by mean -o r.npz").err,
                  "kann: warning: 2 values of neighbours are NaN or infinite; they are left out\n"));
}

TEST_F(TransferTest, QueriesWithoutNeighboursAreToldApart) {
  EXPECT_TRUE(has(succeeds("--transfer height --radius .1 -o out.csv --output-format cloud-csv").err,
                  "kann: warning: 20 of 20 queries have no neighbour; what they get is NaN, or 0 in whole numbers"));
  EXPECT_TRUE(std::isnan(table_of(read_file("out.csv")).at("height")[3]));
}

/// Such as the source_id of a catalogue of stars.
TEST_F(TransferTest, WholeNumbersPast53BitsKeepTheirDigits) {
  write_file("big.csv", "x,y,z,big\n0,0,0,9007199254740993\n");
  const auto search = [&](const std::string& output) {
    return run("--data big.csv --query q.csv --device cpu -k1 --transfer big -o " + output).err;
  };
  EXPECT_FALSE(has(search("r.npz"), "2^53"));
  EXPECT_TRUE(has(read_file("r.npz"), std::string("\1\0\0\0\0\0\x20\0", 8))) << "2⁵³ + 1";
  EXPECT_FALSE(has(search("r.las"), "2^53"));
  EXPECT_TRUE(has(run("info r.las").out, "9007199254740993"));
  EXPECT_EQ(search("r.ply"),
            "kann: error: r.ply: attribute 'big' has 9007199254740993, which no type of PLY holds; write las or "
            "cloud-csv\n");
  EXPECT_EQ(run("--data big.csv --query big.csv --device cpu -k1 -o o.ply").exit_code, 3)
      << "also of the queries' own attributes";
}

}  // namespace
}  // namespace kann::test
