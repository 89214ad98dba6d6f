// --outliers, --transfer and clouds as results, as a user runs them.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

/// The columns of a CSV file of numbers, by name.
using Table = std::map<std::string, std::vector<double>>;

Table table_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line, cell;
  std::vector<std::string> names;
  Table table;
  std::getline(lines, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    for (const std::string& name : names) {
      std::getline(cells, cell, ',');
      table[name].push_back(std::stod(cell));
    }
  }
  return table;
}

class AnswersTest : public ProgramTest {
 protected:
  AnswersTest() {
    // A line along x, where point i has the class i / 4 and the height i²; the queries are between the points
    std::string data = "x,y,z,class,height,red\n", query = "x,y,z,mark\n";
    for (int i = 0; i < 40; ++i)
      data += std::to_string(i) + ",0,0," + std::to_string(i / 4) + "," + std::to_string(i * i) + ".5," +
              std::to_string(6 * i) + "\n";
    for (int i = 0; i < 20; ++i) query += std::to_string(2 * i) + ".25,0,0," + std::to_string(100 + i) + "\n";
    write_file("p.csv", data);
    write_file("q.csv", query);
  }

  Outcome kann(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--data", "p.csv", "--query", "q.csv", "--device", "cpu", "-k", "2", "--exact"});
    return run(more);
  }
  Table cloud(std::vector<std::string> more) const {
    more.insert(more.end(), {"-o", "out.csv", "--output-format", "cloud-csv", "--force"});
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "out.csv\n");
    return table_of(read_file("out.csv"));
  }
  std::string error_of(const std::vector<std::string>& more, int code) const {
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    return o.err;
  }
};

TEST_F(AnswersTest, ACloudHasItsOwnAttributesAndWhatWasFound) {
  const Table t = cloud({});
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

TEST_F(AnswersTest, AttributesOfTheDataAreTransferred) {
  const Table nearest = cloud({"--transfer", "class,height"});
  const Table mean = cloud({"--transfer", "height,class,red", "--by", "mean"});
  const Table each = cloud({"--transfer", "height,class", "--by", "idw,mean"});
  for (int i = 0; i < 20; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    EXPECT_EQ(nearest.at("class")[i], a / 4);
    EXPECT_EQ(nearest.at("height")[i], a * a + .5);
    EXPECT_DOUBLE_EQ(mean.at("height")[i], (a * a + b * b) / 2.0 + .5);
    EXPECT_EQ(mean.at("class")[i], a / 4) << "whole numbers are voted for, and of a tie the nearest wins";
    EXPECT_EQ(mean.at("red")[i], 6 * a + 3) << "but colours are averaged, and stay whole";
    const double u = 1 / (.25 * .25), v = 1 / (.75 * .75);
    EXPECT_NEAR(each.at("height")[i], (u * (a * a + .5) + v * (b * b + .5)) / (u + v), 1e-9);
    EXPECT_EQ(each.at("class")[i], std::nearbyint((a / 4 + b / 4) / 2.0)) << "asked for by name";
  }
}

/// Of a text cloud, z may happen to hold whole numbers only.
TEST_F(AnswersTest, CoordinatesAreNeverVotedFor) {
  write_file("p.csv", "x,y,z\n0,0,1\n0,2,2\n2,0,3\n2,2,4\n");
  write_file("q.csv", "x,y\n1,0.5\n");
  for (const std::string columns : {"x,y", "1,2"})
    for (const std::string by : {"rbf", "mean", "idw"}) {
      const Outcome o = kann({"--columns", columns, "-k", "4", "--transfer", "z", "--by", by, "-o", "out.csv",
                              "--output-format", "cloud-csv", "--force", "--report", "r.json"});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_EQ(o.err.find("warning"), std::string::npos) << o.err;
      EXPECT_EQ(json::parse(read_file("r.json"))["transfer"]["attributes"][0]["by"], by);
    }
}

TEST_F(AnswersTest, AVoteInPlaceOfAnotherMethodIsSaid) {
  const auto warnings = [&](const std::string& names, const std::string& by) {
    const Outcome o = kann({"--transfer", names, "--by", by, "-o", "out.npz", "--force", "--report", "r.json"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const json report = json::parse(read_file("r.json"));
    for (const std::string line : report["warnings"])
      EXPECT_NE(o.err.find("kann: warning: " + line + "\n"), std::string::npos) << o.err;
    return report["warnings"].dump();
  };
  EXPECT_EQ(
      warnings("class,height,red", "rbf"),
      R"(["class has whole numbers and is voted for; --by class=rbf interpolates it",)"
      R"("--by rbf: 20 of 20 queries have neighbours that do not determine the polynomial (too few, on a line or )"
      R"(a plane); theirs has a lower degree"])");
  EXPECT_EQ(warnings("4", "mean"), R"(["class has whole numbers and is voted for; --by 4=mean averages it"])");
  for (const std::string by : {"nearest", "vote", "class=idw", "idw,class=vote"})
    EXPECT_EQ(warnings("height,class", by), "[]") << by;
}

TEST_F(AnswersTest, NamesHaveTheirOwnMethods) {
  const Table t = cloud({"--transfer", "height,class,red", "--by", "mean,class=mean,red=nearest"});
  for (int i = 0; i < 20; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    EXPECT_DOUBLE_EQ(t.at("height")[i], (a * a + b * b) / 2.0 + .5);
    EXPECT_EQ(t.at("class")[i], std::nearbyint((a / 4 + b / 4) / 2.0));
    EXPECT_EQ(t.at("red")[i], 6 * a);
  }
}

/// Radial basis functions with a polynomial of degree 1 reproduce what is linear.
TEST_F(AnswersTest, RadialBasisFunctionsReproduceAPlane) {
  std::string data = "x,y,z,h\n";
  for (int i = 0; i < 100; ++i)
    data += std::to_string(i % 10) + "," + std::to_string(i / 10) + "," + std::to_string(i * 7 % 13) + "," +
            std::to_string(2 * (i % 10) - 3 * (i / 10) + i * 7 % 13) + ".0\n";
  write_file("p.csv", data);
  write_file("q.csv", "x,y,z\n4.3,5.2,6.1\n2.7,3.9,5.5\n");
  const Table t = cloud({"-k", "20", "--transfer", "h", "--by", "rbf"});
  EXPECT_NEAR(t.at("h")[0], 2 * 4.3 - 3 * 5.2 + 6.1, 1e-9);
  EXPECT_NEAR(t.at("h")[1], 2 * 2.7 - 3 * 3.9 + 5.5, 1e-9);
}

TEST_F(AnswersTest, AnOwnAttributeOfThatNameIsKept) {
  write_file("q.csv", "x,y,z,height,nn_id\n1,0,0,7,8\n");
  const Table t = cloud({"--transfer", "height"});
  EXPECT_EQ(t.at("query_height")[0], 7);
  EXPECT_EQ(t.at("height")[0], 1.5);
  EXPECT_EQ(t.at("query_nn_id")[0], 8);
  EXPECT_EQ(t.at("nn_id")[0], 1);
}

/// Coordinates, numbers and other cases are found in the same way, whether the data are the queries or not, and whether
/// all other attributes are read for a cloud or not.
TEST_F(AnswersTest, NamesAreFoundInASelfQueryAsWithAQuery) {
  const auto values_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--data", "p.csv", "--device", "cpu", "-k", "1", "--include-self", "--force"});
    more.insert(more.end(), {"-o", "out.csv", "--output-format", "cloud-csv"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, o.err.find("error") == std::string::npos ? 0 : 3) << o.err;
    return o.exit_code == 0 ? read_file("out.csv") : o.err;
  };
  const auto same = [&](const std::string& names) {
    const std::string self = values_of({"--transfer", names});
    EXPECT_EQ(self, values_of({"--query", "p.csv", "--transfer", names})) << names;
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

/// A packed rgb of PCD is three attributes under one name; the method of each name goes to all that it stands for.
TEST_F(AnswersTest, APackedColourIsThreeAttributes) {
  write_file("c.pcd",
             "VERSION 0.7\nFIELDS x y z rgb a\nSIZE 4 4 4 4 4\nTYPE F F F U F\nCOUNT 1 1 1 1 1\nWIDTH 2\nHEIGHT 1\n"
             "POINTS 2\nDATA ascii\n0 0 0 66051 5\n1 0 0 460809 7\n");  // 0x010203, 0x070809
  const auto kann = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--data", "c.pcd", "--query", "q.csv", "--device", "cpu", "-k", "2", "--force"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o;
  };
  kann({"--transfer", "rgb,a", "--by", "nearest,mean", "-o", "out.csv", "--output-format", "cloud-csv"});
  const Table t = table_of(read_file("out.csv"));
  EXPECT_EQ(t.at("red")[0], 1);
  EXPECT_EQ(t.at("green")[0], 2);
  EXPECT_EQ(t.at("blue")[0], 3);
  EXPECT_EQ(t.at("a")[0], 6);
  kann({"--transfer", "rgb", "--picture", "a.png", "--picture-by", "rgb"});
  kann({"--transfer", "red,green,blue", "--picture", "b.png", "--picture-by", "rgb"});
  EXPECT_EQ(read_file("a.png"), read_file("b.png"));
}

TEST_F(AnswersTest, OutliersAreFlaggedOrLeftOut) {
  std::string query = "x,y,z,mark\n";
  for (int i = 0; i < 50; ++i)
    query += std::to_string(i % 39) + ".5," + (i == 7 ? "90" : "0") + ",0," + std::to_string(i) + "\n";
  write_file("q.csv", query);
  const Table flagged = cloud({"--outliers", "2,3", "--report", "r.json"});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(flagged.at("outlier")[i], i == 7);
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["outliers"]["count"], 1);
  EXPECT_EQ(report["outliers"]["k"], 2);
  const Table left = cloud({"--outliers", "2,3", "--drop-outliers"});
  ASSERT_EQ(left.at("mark").size(), 49u);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(left.at("mark")[i], i < 7 ? i : i + 1);
  const Outcome o = run({"--data", "p.csv", "--device", "cpu", "--outliers", "12,1", "-o", "o.ply"});
  EXPECT_NE(o.err.find(" x 12 neighbours "), std::string::npos) << "brings --k 12: " << o.err;
  EXPECT_NE(o.err.find("outlier"), std::string::npos) << o.err;
}

/// Without a mean distance, there is no limit that could be said.
TEST_F(AnswersTest, OutliersOfNoNeighboursAtAll) {
  const auto summary_of = [&](const std::string& cloud) {
    write_file("few.csv", cloud);
    const Outcome o = run({"--data", "few.csv", "--device", "cpu", "-k", "1", "--outliers", "1,1", "--radius", "1",
                           "-o", "few.npz", "--force", "--report", "r.json"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(json::parse(read_file("r.json"))["outliers"]["threshold"].is_null());
    return o.err;
  };
  const std::string why = " (no query has neighbours at a finite distance)\n";
  EXPECT_TRUE(summary_of("x,y,z\n0,0,0\n9,0,0\n").ends_with("; 2 outliers" + why));
  EXPECT_TRUE(summary_of("x,y,z\n0,0,0\n").ends_with("; 1 outlier" + why));
  EXPECT_TRUE(summary_of("x,y,z\n").ends_with("; 0 outliers" + why));
}

TEST_F(AnswersTest, NamesInMessagesAreShownAsTheyAre) {
  write_file("p.csv", "x,y,z,größe,a\n0,0,0,1,2\n");
  EXPECT_EQ(error_of({"--transfer", "grösse"}, 3),
            "kann: error: p.csv: no column 'grösse' (it has x, y, z, größe, a); did you mean 'größe'?\n");
  write_file("p.csv", "x,y,z,a\u202eb,a\u009b2J,a\xe9\n0,0,0,1,2,3\n");
  EXPECT_EQ(error_of({"--transfer", "height"}, 3),
            "kann: error: p.csv: no column 'height' (it has x, y, z, a\\xe2\\x80\\xaeb, a\\xc2\\x9b2J, a\\xe9)\n");
}

TEST_F(AnswersTest, TheReportNamesTheMethods) {
  const Outcome o = kann({"--transfer", "class,height,red", "--by", "mean", "-o", "r.npz", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const json attributes = json::parse(read_file("r.json"))["transfer"]["attributes"];
  EXPECT_EQ(attributes.dump(),
            R"([{"by":"vote","name":"class"},{"by":"mean","name":"height"},{"by":"mean","name":"red"}])");
}

TEST_F(AnswersTest, ValuesThatAreLeftOutAreCounted) {
  write_file("p.csv", "x,y,z,height\n0,0,0,nan\n1,0,0,inf\n2,0,0,3\n");
  write_file("q.csv", "x,y,z\n0.5,0,0\n");
  EXPECT_NE(error_of({"--transfer", "height", "--by", "mean", "-o", "r.npz"}, 0)
                .find("kann: warning: 2 values of neighbours are NaN or infinite; they are left out\n"),
            std::string::npos);
}

TEST_F(AnswersTest, QueriesWithoutNeighboursAreToldApart) {
  const Outcome o = kann({"--transfer", "height", "--radius", ".1", "-o", "out.csv", "--output-format", "cloud-csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_NE(
      o.err.find("kann: warning: 20 of 20 queries have no neighbour; what they get is NaN, or 0 in whole numbers"),
      std::string::npos)
      << o.err;
  EXPECT_TRUE(std::isnan(table_of(read_file("out.csv")).at("height")[3]));
}

/// A class of 300 fits no byte: LAS has it under another name, and says so.
TEST_F(AnswersTest, LasSaysWhichNamesAreTaken) {
  write_file("big.csv", "x,y,z,classification\n0,0,0,300\n9,0,0,2\n");
  EXPECT_EQ(run({"--data", "p.csv", "--query", "q.csv", "--device", "cpu", "-o", "b.las"}).exit_code, 0);
  for (const std::string query : {"q.csv", "b.las"}) {
    const Outcome o = run({"--data", "big.csv", "--query", query, "--device", "cpu", "-k1", "--transfer",
                           "classification", "-o", "c.las", "--force"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_NE(o.err.find("kann: warning: c.las: attribute 'classification' is called 'classification_1': LAS has a "
                         "field of its name that does not hold it, or the name is too long\n"),
              std::string::npos)
        << query << ": " << o.err;
  }
  write_file("far.csv", "x,y,z\n0,0,0\n1e12,0,0\n");
  const Outcome far = run({"--data", "far.csv", "--device", "cpu", "-k1", "-o", "far.las"});
  EXPECT_NE(far.err.find("kann: warning: far.las: x is rounded to 1000: int32 holds no finer steps"), std::string::npos)
      << far.err;
}

TEST_F(AnswersTest, OtherFormatsSayItToo) {
  for (const std::string format : {"ply", "cloud-csv"})
    EXPECT_NE(
        error_of({"--columns", "y,x", "--transfer", "x", "-o", "c", "--output-format", format, "--force"}, 0)
            .find("kann: warning: c: attribute 'x' is called 'x_1': a coordinate or an attribute before it has its "
                  "name\n"),
        std::string::npos);
}

/// Text has them as float64; PLY of our own as int64 has none, so a structured array of NumPy.
TEST_F(AnswersTest, WholeNumbersPast53BitsAreSaid) {
  std::string header =
      "{'descr': [('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('big', '<i8')], 'fortran_order': False, "
      "'shape': (1,), }";
  header.resize(245, ' ');
  header += '\n';
  std::string npy("\x93NUMPY\x01\x00\xf6\x00", 10);
  npy += header + std::string(24, '\0') + std::string("\x01\0\0\0\0\0\x20\0", 8);  // 2⁵³ + 1
  write_file("big.npy", npy);
  const auto search = [&](const std::string& output) {
    return run({"--data", "big.npy", "--query", "q.csv", "--device", "cpu", "-k1", "--transfer", "big", "-o", output})
        .err;
  };
  EXPECT_NE(search("r.npz").find("kann: warning: attr_big has whole numbers past 2^53, which float64 rounds; a cloud "
                                 "keeps them"),
            std::string::npos);
  EXPECT_EQ(search("r.las").find("2^53"), std::string::npos);
}

TEST_F(AnswersTest, SkipExistingMakesWhatIsMissingAlone) {
  std::filesystem::create_directory(path("out"));
  write_file("out/q.ply", "precious");
  const auto batch = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--data",         "p.csv",           "--query",   "q.csv",
                                          "p.csv",          "--device",        "cpu",       "-o",
                                          "out/{stem}.ply", "--skip-existing", "--picture", "out/{stem}.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Outcome o = batch({});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("out/q.ply"), "precious");
  EXPECT_TRUE(read_file("out/q.png").starts_with("\x89PNG"));
  EXPECT_TRUE(read_file("out/p.ply").starts_with("ply\n"));
  const std::string picture = read_file("out/p.png");
  std::filesystem::remove(path("out/p.ply"));
  write_file("out/p.png", "old");
  EXPECT_EQ(batch({}).exit_code, 0);
  EXPECT_EQ(read_file("out/p.png"), "old");
  EXPECT_TRUE(read_file("out/p.ply").starts_with("ply\n"));
}

TEST_F(AnswersTest, WithAPictureAloneNoResultIsWritten) {
  const Outcome o = kann({"--transfer", "height", "--picture", "p.png", "--picture-by", "height"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "p.png\n");
  EXPECT_EQ(kann({"--outliers", "2,1", "--picture", "o.png", "--picture-by", "outlier"}).exit_code, 0);
  EXPECT_EQ(kann({"--outliers", "2,1", "--stats"}).exit_code, 0);
  EXPECT_EQ(files(), (std::vector<std::string>{"o.png", "p.csv", "p.png", "q.csv"}));
}

TEST_F(AnswersTest, RefusesWhatDoesNotGoTogether) {
  const auto usage = [&](const std::vector<std::string>& more, const std::string& message) {
    EXPECT_EQ(error_of(more, 2), "kann: error: " + message + "\n");
  };
  usage({"--transfer", "height", "-o", "r.csv"},
        "r.csv: has no place for --transfer; write .npz, .ply, .las or --output-format cloud-csv");
  usage({"--outliers", "2,1", "-o", "r.bin"},
        "r.bin: has no place for --outliers; write .npz, .ply, .las or --output-format cloud-csv");
  usage({"--outliers", "3,1"}, "--outliers 3 needs as many neighbours: --k 3");
  usage({"--outliers", "3"},
        "--outliers expects K,SIGMA: a whole number of at least 1, and a number of at least 0, got '3'");
  usage({"--outliers", "2,-1"},
        "--outliers expects K,SIGMA: a whole number of at least 1, and a number of at least 0, got '2,-1'");
  usage({"--drop-outliers"}, "--drop-outliers needs --outliers K,SIGMA");
  usage({"--outliers", "2,1", "--drop-outliers"},
        "q.knn.npz: is no cloud, from which --drop-outliers could leave points out; write .ply, .las or "
        "--output-format cloud-csv");
  usage({"--transfer", "height", "--stats"},
        "--transfer: no result is written, and no picture shows it; give --output, or --picture-by NAME");
  usage({"--outliers", "2,1", "--drop-outliers", "--stats"}, "--drop-outliers needs --output: no result is written");
  usage({"--by", "mean"}, "--by needs --transfer NAME");
  usage({"--transfer", "height", "--by", "median"}, "--by expects nearest, mean, idw, vote or rbf, got 'median'");
  usage({"--transfer", "height", "--by", "mean,vote"},
        "--by has 2 methods for 1 names of --transfer; give one, or one for each");
  usage({"--transfer", "height,height"}, "--transfer names 'height' twice");
  usage({"--transfer", "height", "--rbf-degree", "2"},
        "--rbf-kernel, --rbf-degree, --rbf-smoothing and --rbf-epsilon need --by rbf");
  usage({"--transfer", "height", "--by", "rbf", "--rbf-degree", "3"},
        "--rbf-degree expects a whole number from -1 to 2, got '3'");
  usage({"--transfer", "height", "--by", "rbf", "--rbf-epsilon", "0"},
        "--rbf-epsilon expects a positive number, got '0'");
  usage({"--transfer", "height", "--by", "rbf", "--periodic", "9,9,9"},
        "--by rbf does not go with --periodic; take idw");
  usage({"--transfer", "height", "--by", "rbf", "-k", "65"}, "--by rbf takes at most 64 neighbours: --k 64");
  EXPECT_EQ(error_of({"--transfer", "hieght"}, 3).find("kann: error: p.csv: "), 0u);
  EXPECT_NE(error_of({"--transfer", "hieght"}, 3).find("did you mean 'height'?"), std::string::npos);
}

}  // namespace
}  // namespace kann::test
