// --picture, as a user runs it.
#include <nlohmann/json.hpp>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

class PictureTest : public ProgramTest {
 protected:
  PictureTest() {
    write_cloud("p.xyz", 300, 1);
    write_cloud("q.xyz", 200, 2);
  }

  Outcome kann(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--data", "p.xyz", "--query", "q.xyz", "--device", "cpu", "-k", "2"});
    return run(more);
  }
  /// Width and height of a PNG file, by its first chunk (PNG 1.2, section 11.2.2).
  std::pair<int, int> size_of(const std::string& name) const {
    const std::string bytes = read_file(name);
    EXPECT_TRUE(bytes.starts_with("\x89PNG\r\n\x1a\n")) << name;
    const auto number = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
    };
    return {number(16), number(20)};
  }
};

TEST_F(PictureTest, AloneItIsTheResult) {
  const Outcome o = kann({"--picture", "p.png"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "p.png\n");
  EXPECT_EQ(files(), (Names{"p.png", "p.xyz", "q.xyz"}));
  EXPECT_EQ(size_of("p.png"), std::pair(1600, 1200));
}

TEST_F(PictureTest, HasTheSizeAndTheViewThatWereAskedFor) {
  EXPECT_EQ(kann({"--picture", "a.png", "--picture-size", "640"}).exit_code, 0);
  EXPECT_EQ(size_of("a.png"), std::pair(640, 480));
  EXPECT_EQ(kann({"--picture", "b.png", "--picture-size", "300x500", "--view", "top"}).exit_code, 0);
  EXPECT_EQ(size_of("b.png"), std::pair(300, 500));
  EXPECT_EQ(kann({"--picture", "c.png", "--picture-size", "300x500", "--view", "0,0,1"}).exit_code, 0);
  EXPECT_EQ(kann({"--picture", "d.png", "--picture-size", "300x500", "--view", "front"}).exit_code, 0);
  EXPECT_NE(read_file("b.png"), read_file("d.png"));
}

TEST_F(PictureTest, BesideAResultItIsAnotherFileAndInTheReport) {
  const Outcome o = kann({"--picture", "p.png", "-o", "r.npz", "--report", "r.json", "--picture-by", "density"});
  EXPECT_EQ(o.out, "r.npz\n");
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["picture"]["path"], "p.png");
  EXPECT_EQ(report["picture"]["drawn"].get<int>() + report["picture"]["outside"].get<int>(), 200);
  EXPECT_EQ(report["picture"]["left_out"], 0);
}

TEST_F(PictureTest, IsColouredByAttributes) {
  write_file("q.xyz", "x y z tone red green blue\n0 0 0 1 255 0 0\n1 0 0 2 0 255 0\n0 1 0 3 0 0 255\n");
  EXPECT_EQ(kann({"--picture", "a.png", "--picture-by", "tone"}).exit_code, 0);
  EXPECT_EQ(kann({"--picture", "b.png", "--picture-by", "rgb"}).exit_code, 0);
  EXPECT_NE(read_file("a.png"), read_file("b.png"));
  const auto of_itself = [&](const std::string& picture, const Names& more) {
    Names arguments = {"--data", "q.xyz", "--device", "cpu", "-k", "1", "--include-self", "--picture", picture};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments).exit_code, 0);
    return read_file(picture);
  };
  EXPECT_EQ(of_itself("d.png", {"--picture-by", "tone", "--transfer", "TONE", "-o", "a.ply"}), read_file("a.png"));
  EXPECT_EQ(of_itself("e.png", {"--picture-by", "rgb", "--transfer", "Red", "-o", "b.ply"}), read_file("b.png"));
  const Outcome o = kann({"--picture", "c.png", "--picture-by", "tune"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_NE(o.err.find("did you mean 'tone'?"), std::string::npos) << o.err;
}

/// The letters of the legend are those of ASCII.
TEST_F(PictureTest, OfAnAttributeWhoseNameTheLegendCannotShow) {
  write_file("q.xyz", "x y z größe\n0 0 0 1\n1 0 0 2\n0 1 0 3\n");
  EXPECT_EQ(kann({"--picture", "a.png", "--picture-by", "größe"}).exit_code, 0);
  write_file("q.xyz", "x y z gr??e\n0 0 0 1\n1 0 0 2\n0 1 0 3\n");
  EXPECT_EQ(kann({"--picture", "b.png", "--picture-by", "gr??e"}).exit_code, 0);
  EXPECT_EQ(read_file("a.png"), read_file("b.png"));
}

TEST_F(PictureTest, ColoursAreByTheRangeAndTheScaleThatAreAskedFor) {
  const auto picture = [&](Names more) {
    more.insert(more.end(), {"--picture", "a.png", "--force"});
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("a.png");
  };
  const std::string plain = picture({});
  EXPECT_NE(picture({"--color-range", "0.01,100"}), plain);
  EXPECT_EQ(picture({"--color-range", "0.01,100"}), picture({"--color-range", "1e-2,1e2", "--color-scale", "linear"}));
  EXPECT_NE(picture({"--color-range", "0.01,100"}), picture({"--color-range", "1e-2,1e2", "--color-scale", "log"}));
}

/// Their mean distance and their density say what the distance says.
TEST_F(PictureTest, OfOneNeighbourHasNoMeansNorDensities) {
  for (const std::string by : {"mean_distance", "density"}) {
    const Outcome o = run({"--data", "p.xyz", "-k", "1", "--picture", "p.png", "--picture-by", by});
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.err,
              "kann: error: --picture-by " + by +
                  " of one neighbour says what nn_distance says; give --picture-by distance, or --k 2 or more\n");
    EXPECT_EQ(kann({"--picture", "p.png", "--picture-by", by, "--force"}).exit_code, 0);
  }
  const auto header = [&](const Names& more) {
    Names arguments = {"--data", "p.xyz", "--query",         "q.xyz",     "--device", "cpu",
                       "-o",     "o.csv", "--output-format", "cloud-csv", "--force",  "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome o = run(arguments);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const std::string text = read_file("o.csv");
    return text.substr(0, text.find('\n')) + (json::parse(o.out)["statistics"].contains("density") ? " density" : "");
  };
  EXPECT_EQ(header({"-k", "1"}), "x,y,z,nn_id,nn_distance");
  EXPECT_EQ(header({"-k", "2"}), "x,y,z,nn_id,nn_distance,mean_distance,density density");
}

TEST_F(PictureTest, AFieldAcrossTheMeridianIsWhole) {
  const auto picture = [&](const std::string& west) {
    write_file("s.csv", "ra,dec,mag\n" + west + ".75,1,3\n" + west + ".5,2,4\n0.25,1,5\n0.5,2.5,6\n");
    const Outcome o = run({"--data", "s.csv", "--sky", "--device", "cpu", "-k", "1", "--picture", "s.png",
                           "--picture-by", "mag", "--force"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("s.png");
  };
  EXPECT_EQ(picture("359"), picture("719"));
  EXPECT_NE(picture("359"), picture("179"));
}

TEST_F(PictureTest, RefusesWhatItCannotDraw) {
  const auto error_of = [&](const Names& more) {
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, 2) << o.err;
    return o.err;
  };
  EXPECT_EQ(error_of({"--picture", "p.jpg"}),
            "kann: error: --picture expects a file that ends with .png, got 'p.jpg'\n");
  for (const auto& [option, value] : {std::pair{"--view", "top"},
                                      {"--picture-by", "rgb"},
                                      {"--picture-size", "640"},
                                      {"--color-scale", "log"},
                                      {"--color-range", "0,1"}})
    EXPECT_EQ(error_of({option, value}),
              std::string("kann: error: ") + option + " needs --picture FILE.png or --html FILE.html\n");
  EXPECT_EQ(error_of({"--picture", "p.png", "--color-range", "2,1"}),
            "kann: error: --color-range expects A,B: two numbers, the second one larger, got '2,1'\n");
  EXPECT_EQ(error_of({"--picture", "p.png", "--color-range", "0,1", "--color-scale", "log"}),
            "kann: error: --color-range expects positive numbers for --color-scale log\n");
  EXPECT_EQ(error_of({"--picture", "p.png", "--view", "0,0,0"}),
            "kann: error: --view expects auto, top, front, iso or X,Y,Z, the direction from the cloud to the eye, got "
            "'0,0,0'\n");
  for (const std::string size : {"8x600", "100x", "x100", "x", "", "10x10x10", "640 ", "16385"})
    EXPECT_EQ(error_of({"--picture", "p.png", "--picture-size", size}),
              "kann: error: --picture-size expects WIDTH or WIDTHxHEIGHT, each a whole number from 16 to 16384, got '" +
                  size + "'\n");
  EXPECT_EQ(
      error_of({"--picture", "p.png", "--picture-by", ""}),
      "kann: error: --picture-by expects distance, mean_distance, density, outlier, cluster, rgb or the name of an "
      "attribute, got ''\n");
  EXPECT_EQ(error_of({"--picture", "x.png", "-o", "x.png", "--output-format", "csv"}),
            "kann: error: x.png: is the result too; choose another --picture\n");
}

TEST_F(PictureTest, IsProtectedAsAResultIs) {
  const auto error_of = [&](Names more, int code) {
    more.insert(more.begin(), {"--data", "p.xyz", "--device", "cpu"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    return o.err;
  };
  write_file("p.png", "old");
  EXPECT_NE(error_of({"--picture", "p.png"}, 2).find("p.png: File exists; use --force to replace it"),
            std::string::npos);
  EXPECT_EQ(read_file("p.png"), "old");
  write_file("in.png", read_file("q.xyz"));
  EXPECT_EQ(error_of({"--query", "in.png", "--query-format", "xyz", "--picture", "in.png", "--force"}, 2),
            "kann: error: in.png: is the input in.png; choose another --picture\n");
  EXPECT_EQ(error_of({"--picture", "no/p.png"}, 4),
            "kann: error: no/p.png: No such file or directory; make the folder no first\n");
  EXPECT_EQ(error_of({"--query", "nope.xyz", "--picture", "p.png", "--force"}, 3),
            "kann: error: nope.xyz: No such file or directory\n");
  EXPECT_EQ(read_file("p.png"), "old");
}

TEST_F(PictureTest, ABatchHasOnePerJob) {
  const Outcome o = kann({"--query", "p.xyz", "--picture", "pictures/{stem}.png"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::string p = "pictures/p.png\n", q = "pictures/q.png\n";
  EXPECT_TRUE(o.out == p + q || o.out == q + p) << o.out;  // jobs are reported as they end
  EXPECT_EQ(size_of("pictures/q.png"), std::pair(1600, 1200));
  const Outcome one = kann({"--query", "p.xyz", "--picture", "p.png"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_EQ(one.err, "kann: error: --picture p.png is one file for many pictures; give a pattern ({stem}.png)\n");
  const Outcome twice = kann({"--query", "q.xyz", "--picture", "pictures/{stem}.png", "--force"});
  EXPECT_EQ(twice.err,
            "kann: error: q.xyz: pictures/q.png is the output of q.xyz, too; choose another --picture, such as "
            "'{index}.png'\n");
  const Outcome again = kann({"--query", "p.xyz", "--picture", "pictures/{stem}.png", "-o", "out/", "--skip-existing"});
  EXPECT_EQ(again.exit_code, 0) << again.err;  // a picture without its result is made again
  EXPECT_NE(again.err.find("2 done, 0 skipped"), std::string::npos) << again.err;
  const Outcome skipped =
      kann({"--query", "p.xyz", "--picture", "pictures/{stem}.png", "-o", "out/", "--skip-existing"});
  EXPECT_NE(skipped.err.find("0 done, 2 skipped"), std::string::npos) << skipped.err;
}

TEST_F(PictureTest, OfNoPointAndOfOne) {
  write_file("q.xyz", "x y z\n");
  EXPECT_EQ(kann({"--picture", "none.png"}).exit_code, 0);
  EXPECT_EQ(size_of("none.png"), std::pair(1600, 1200));
  write_file("q.xyz", "1 2 3\n");
  EXPECT_EQ(kann({"--picture", "one.png"}).exit_code, 0);
  const Outcome far = kann({"--picture", "far.png", "--radius", "0"});
  EXPECT_EQ(far.exit_code, 0);
  EXPECT_NE(far.err.find("far.png: 1 of 1 points left out: they have no neighbour, or NaN or infinite coordinates "
                         "or values\n"),
            std::string::npos)
      << far.err;
}

}  // namespace
}  // namespace kann::test
