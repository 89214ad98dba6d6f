// --max-memory, as a user runs it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "tiles_fixture.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

TEST_F(TilesTest, TheBytesAreThoseOfASearchInMemory) {
  for (const char* format : {"npz", "csv", "ivecs"})
    for (const bool is_self : {false, true}) {
      std::vector<std::string> arguments = {"--exact", "-k5", "--output-format", format};
      if (!is_self) arguments.insert(arguments.end(), {"--query", "q.ply"});
      const auto result = [&](const std::string& memory) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"-o", memory, "--max-memory", memory, "--report", "r.json"});
        const Outcome o = kann(all);
        EXPECT_EQ(o.exit_code, 0) << o.err;
        EXPECT_EQ(o.err.find(" tiles: read ") == std::string::npos, memory == "1T") << o.err;
        return read_file(memory);
      };
      const std::string want = result("1T");
      EXPECT_FALSE(json::parse(read_file("r.json")).contains("tiles"));
      for (const char* memory : {"17M", "18M"}) {
        EXPECT_TRUE(result(memory) == want) << format << " " << memory;
        const json tiles = json::parse(read_file("r.json")).at("tiles");
        EXPECT_GT(tiles.at("count"), 1);
        EXPECT_GT(tiles.at("visits"), 0);
        EXPECT_GT(tiles.at("temporary_bytes"), 0);
        const json& seconds = tiles.at("timing_s");
        for (const char* step : {"survey", "order", "search", "points", "neighbors", "rows"})
          EXPECT_GT(seconds.at(step), 0) << step;
        double parts = 0;
        for (const char* part : {"points", "neighbors", "rows"}) parts += seconds.at(part).get<double>();
        EXPECT_NEAR(parts, seconds.at("search").get<double>(), 1e-6);
      }
    }
  EXPECT_EQ(files(), (std::vector<std::string>{"17M", "18M", "1T", "p.ply", "q.ply", "r.json"}));
}

/// Codes and kinds are text, and the last name is no number as all before it.
TEST_F(TilesTest, ThereMayBeATableWithText) {
  const char* const kinds[] = {"oak", "\"elm, old\"", "\"\"\"ash\"\"\"", ""};
  const Coordinates data = uniform(60'000, 3, 1), queries = uniform(30'000, 3, 2);
  std::string trees = "code,x,y,z,kind\n", sensors = "name,x,y,z\n";
  for (std::size_t i = 0; i < data.size(); i += 3)
    trees += fmt::format("{:08},{},{},{},{}\n", i % 7001, data[i], data[i + 1], data[i + 2], kinds[i % 4]);
  for (std::size_t i = 0; i < queries.size(); i += 3)
    sensors += fmt::format("{}{},{},{},{}\n", i, i + 3 < queries.size() ? "" : "x", queries[i], queries[i + 1],
                           queries[i + 2]);
  write_file("trees.csv", trees);
  write_file("sensors.csv", sensors);
  for (const char* const join : {"left", "anti"}) {
    const auto table = [&](const std::string& memory) {
      const Outcome o =
          run({"--data", "trees.csv", "--query", "sensors.csv", "--device", "cpu", "--threads", "2", "--force",
               "--join", join, "--radius", ".02", "-k", "3", "-o", "o.csv", "--max-memory", memory});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_EQ(o.err.find(" pieces: read ") == std::string::npos, memory == "1T") << o.err;
      return read_file("o.csv");
    };
    const std::string want = table("1T");
    EXPECT_TRUE(table("28M") == want) << join;
    if (std::string(join) == "left") EXPECT_NE(want.find("89997x,"), std::string::npos);
  }
}

TEST_F(TilesTest, PairsAreChosenInMemory) {
  for (const char* const match : {"mutual", "one-to-one"}) {
    const Outcome o = kann({"--match", match, "--query", "q.ply", "-o", "o.csv", "--max-memory", "17M"});
    EXPECT_EQ(o.exit_code, 4);
    EXPECT_TRUE(o.err.ends_with("--max-memory is 17.8 MB; --match is not made in tiles\n")) << o.err;
  }
}

/// For 4 neighbours, the exact search is the default.
TEST_F(TilesTest, TheDefaultIsThatOfTheNeighboursThatAreAskedFor) {
  const auto result = [&](const std::string& memory) {
    const Outcome o = kann({"-k4", "-o", "o.npz", "--max-memory", memory});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("o.npz");
  };
  const std::string want = result("1T");
  EXPECT_TRUE(result("18M") == want);
}

TEST_F(TilesTest, ThereMayBeAPeriodicBox) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--query", "q.ply"}, {"--radius", ".02"}}) {
    const auto result = [&](const std::string& memory) {
      std::vector<std::string> all = {"--periodic", "1,.8,0", "-k5", "-o", "o.csv", "--report", "r.json"};
      all.insert(all.end(), more.begin(), more.end());
      all.insert(all.end(), {"--max-memory", memory});
      const Outcome o = kann(all);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      const json report = json::parse(read_file("r.json"));
      EXPECT_EQ(report.contains("tiles"), memory != "1T") << o.err;
      return std::tuple(read_file("o.csv"), report.value("within_radius", json()), report.at("warnings"));
    };
    EXPECT_EQ(result("23M"), result("1T"));
  }
}

TEST_F(TilesTest, JudgeTheSampleOfASearchInMemory) {
  write_ply("p.ply", clusters(300'000, 3, 1));
  for (const bool is_self : {false, true}) {
    const auto judged = [&](const std::string& memory) {
      std::vector<std::string> all = {"--exact", "-k5"};
      if (!is_self) all.insert(all.end(), {"--query", "q.ply"});
      all.insert(all.end(), {"--verify", "300", "-o", "o.npz", "--max-memory", memory, "--report", "r.json"});
      const Outcome o = kann(all);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      const std::size_t line = o.err.find("kann: verify: 300 of ");
      EXPECT_NE(line, std::string::npos) << o.err;
      json report = json::parse(read_file("r.json"));
      EXPECT_EQ(report.contains("tiles"), memory != "1T");
      return std::pair(line == std::string::npos ? "" : o.err.substr(line), report.at("verify"));
    };
    EXPECT_EQ(judged("32M"), judged("1T"));
  }
}

TEST_F(TilesTest, SayHowManyQueriesTheyCanJudge) {
  write_ply("p.ply", clusters(300'000, 3, 1));
  const Outcome all = kann({"--exact", "-k5", "--verify", "-o", "o.npz", "--max-memory", "32M"});
  EXPECT_EQ(all.exit_code, 4);
  const std::string give = "; give --verify ";
  const std::size_t at = all.err.find(give);
  ASSERT_NE(at, std::string::npos) << all.err;
  const std::string most = std::to_string(std::stoi(all.err.substr(at + give.size())));
  EXPECT_EQ(kann({"--exact", "-k5", "--verify", most, "-o", "o.npz", "--max-memory", "32M"}).exit_code, 0);
  const Outcome none = kann({"--exact", "-k5", "--verify", "9", "-o", "n.npz", "--max-memory", "13M"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_NE(none.err.find("13.6 MB is too little; this search needs at least "), std::string::npos) << none.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"o.npz", "p.ply", "q.ply"}));
}

TEST_F(TilesTest, TakeFormatsWhoseRowsCanBeFound) {
  const Coordinates c = clusters(100'000, 3, 6);
  const std::size_t n = c.size() / 3;
  const auto floats = [](const float* from, std::size_t count) {
    return std::string(reinterpret_cast<const char*>(from), count * sizeof(float));
  };
  const auto word = [](std::size_t value) {
    const auto bytes = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  };
  const std::string count = std::to_string(n), all = floats(c.data(), c.size());
  std::string text, csv = "class,z,y,x\n", vectors, frame, columns;
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("{} {} {}\n", c[3 * i], c[3 * i + 1], c[3 * i + 2]);
    csv += fmt::format("{},{},{},{}\n", i % 5, c[3 * i], c[3 * i + 1], c[3 * i + 2]);
    vectors += word(3) + floats(&c[3 * i], 3);
    frame += floats(&c[3 * i], 3) + word(0);
  }
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < n; ++i) columns += floats(&c[3 * i + a], 1);
  std::string head = "{'descr': '<f4', 'fortran_order': True, 'shape': (" + count + ", 3), }\n";
  const std::string ply = "\nelement vertex " + count + "\nproperty float x\nproperty float y\nproperty float z\n",
                    face =
                        "element face 1\nproperty list "
                        "uchar int i\n";
  const std::string pcd = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH " + count +
                          "\nHEIGHT 1\nPOINTS " + count + "\nDATA ";
  write_file("a.xyz", text);
  write_file("b.csv", csv);
  write_file("c.fvecs", vectors);
  write_file("d.fbin", word(n) + word(3) + all);
  write_file("e.kitti", frame);
  write_file("f.npy", std::string("\x93NUMPY\1\0", 8) + static_cast<char>(head.size()) + '\0' + head + columns);
  write_file("g.ply", "ply\nformat ascii 1.0" + ply + face + "end_header\n" + text + "3 0 1 2\n");
  write_file("h.ply", "ply\nformat binary_little_endian 1.0" + ply + face + "end_header\n" + all + '\1' + word(7));
  write_file("i.pcd", pcd + "ascii\n" + text);
  write_file("j.pcd", pcd + "binary\n" + all);
  for (const std::string& file : files()) {
    if (file.size() == 5 && (file == "p.ply" || file == "q.ply")) continue;
    const auto result = [&](const std::string& memory) {
      std::vector<std::string> arguments = {"--data", file,       "--exact", "-k3",     "-o",
                                            "o.csv",  "--device", "cpu",     "--force", "--max-memory",
                                            memory,   "--report", "r.json"};
      if (file == "e.kitti") arguments.insert(arguments.end(), {"--data-format", "kitti"});
      const Outcome o = run(arguments);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      return read_file("o.csv");
    };
    const std::string want = result("1T");
    const json in_memory = json::parse(read_file("r.json"));
    EXPECT_TRUE(result("17M") == want) << file;
    const json in_tiles = json::parse(read_file("r.json"));
    EXPECT_GT(in_tiles.at("tiles").at("count"), 1) << file;
    EXPECT_EQ(in_tiles.at("data"), in_memory.at("data"));
  }
}

/// Where all are equally near, the number decides, and not every tile is looked at.
TEST_F(TilesTest, IdenticalPointsVisitFewTiles) {
  write_ply("same.ply", Coordinates(300'000, 1.5f));
  const auto result = [&](const std::string& memory) {
    const Outcome o = run({"--data", "same.ply", "--exact", "-o", "o.npz", "--force", "--device", "cpu", "--max-memory",
                           memory, "--report", "r.json"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("o.npz");
  };
  const std::string want = result("1T");
  EXPECT_TRUE(result("17M") == want);
  const json tiles = json::parse(read_file("r.json")).at("tiles");
  EXPECT_GT(tiles.at("count"), 5);
  EXPECT_LT(tiles.at("visits"), 2 * 100'000);
}

/// What is beyond the radius is not given, so that no tile is looked at for it.
TEST_F(TilesTest, ARadiusBoundsWhereAQueryGoes) {
  write_ply("p.ply", uniform(200'000, 3, 4));
  const auto visits = [&](const std::string& radius) {
    const auto result = [&](const std::string& memory) {
      const Outcome o = run({"--data", "p.ply", "--exact", "-k", "30", "--radius", radius, "-o", "o.npz", "--force",
                             "--device", "cpu", "--max-memory", memory, "--report", "r.json"});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      return read_file("o.npz");
    };
    const std::string want = result("1T");
    EXPECT_TRUE(result("26M") == want) << radius;
    return json::parse(read_file("r.json")).at("tiles").at("visits").get<std::int64_t>();
  };
  const std::int64_t all = visits("1"), some = visits("0.005"), none = visits("0");
  EXPECT_GT(all, 50'000);
  EXPECT_LT(some, all / 2);
  EXPECT_GT(some, 0);
  EXPECT_LT(none, some);
}

TEST_F(TilesTest, SaysThatThereAreFewerPointsThanNeighbours) {
  write_ply("few.ply", uniform(100, 3, 4));
  write_ply("many.ply", uniform(200'000, 3, 5));
  const Outcome o = run({"--data", "few.ply", "--query", "many.ply", "-k", "110", "--exact", "--device", "cpu", "-o",
                         "o.npz", "--max-memory", "60M"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_NE(o.err.find("kann: warning: k=110 but few.ply has 100 points; missing neighbours are id -1, distance inf\n"),
            std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find(" pieces: "), std::string::npos) << o.err;
}

/// Queries on a sphere around the data, which only their distances tell from queries among these.
TEST_F(TilesTest, WarnOfQueriesThatAreFarAway) {
  Coordinates far = uniform(50'000, 3, 6);
  for (std::size_t i = 0; i < far.size(); i += 3) {
    const float x = far[i] - .5f, y = far[i + 1] - .5f, z = far[i + 2] - .5f;
    const float scale = 1000 / std::sqrt(x * x + y * y + z * z + 1e-9f);
    far[i] = x * scale, far[i + 1] = y * scale, far[i + 2] = z * scale;
  }
  write_ply("far.ply", far);
  for (const char* memory : {"1G", "32M", "19M"}) {
    const Outcome o = kann({"--query", "far.ply", "-k", "20", "-o", "o.npz", "--max-memory", memory});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_NE(o.err.find("nearly all points of far.ply are farther from p.ply than this is wide"), std::string::npos)
        << memory << ": " << o.err;
  }
  EXPECT_EQ(kann({"-k", "20", "--query", "q.ply", "-o", "o.npz", "--max-memory", "19M"}).err.find("nearly all"),
            std::string::npos);
}

TEST_F(TilesTest, AFileThatIsCutIsBadInput) {
  const std::string whole = read_file("p.ply");
  write_file("cut.ply", whole.substr(0, whole.size() - 5));
  const Outcome o = run({"--data", "cut.ply", "--exact", "--device", "cpu", "-o", "o.npz", "--max-memory", "20M"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.err, "kann: error: cut.ply: vertex count 100000 needs 1200000 bytes, file holds 1199995\n");
}

TEST_F(TilesTest, InvalidPointsAreRefusedOrSkipped) {
  Coordinates c = uniform(100'000, 3, 3);
  c[7] = NAN;
  write_ply("n.ply", c);
  const std::vector<std::string> tiled = {"--query", "n.ply", "--exact", "-o", "o.npz", "--max-memory", "18M"};
  EXPECT_EQ(kann(tiled).err,
            "kann: error: n.ply: 1 of 100000 points have NaN or infinite coordinates (first: 2); use --invalid skip\n");
  std::vector<std::string> skips = tiled;
  skips.insert(skips.end(), {"--invalid", "skip"});
  const Outcome o = kann(skips);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_NE(o.err.find("(0 points and 1 query skipped as invalid)"), std::string::npos) << o.err;
  const std::string want = read_file("o.npz");
  skips.back() = "skip";
  skips[6] = "1T";
  EXPECT_EQ(kann(skips).exit_code, 0);
  EXPECT_TRUE(read_file("o.npz") == want);
}

}  // namespace
}  // namespace kann::test
