// What a run in tiles writes, warns of and reports is what one in memory does.
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class TilesReportTest : public ProgramTest {
 protected:
  template <class T>
  void write_ply(const std::string& name, const std::vector<T>& c, const std::string& tail = "") {
    const std::string type = sizeof(T) == sizeof(double) ? "double" : "float";
    std::string file = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(c.size() / 3);
    for (const char* axis : {"x", "y", "z"}) file += "\nproperty " + type + " " + axis;
    file += "\nend_header\n";
    file.append(reinterpret_cast<const char*>(c.data()), c.size() * sizeof(T));
    write_file(name, file + tail);
  }

  static std::vector<double> wide(const Coordinates& c, double scale) {
    std::vector<double> out;
    for (const float x : c) out.push_back(static_cast<double>(x) * scale);
    return out;
  }

  /// Without what takes time or memory, and what is of tiles alone.
  static json facts_of(json report) {
    for (const char* key : {"timing_s", "memory_peak_bytes", "tiles", "device", "options"}) report.erase(key);
    return report;
  }

  static std::vector<std::string> warnings_of(const std::string& err) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; (at = err.find("kann: warning: ", at)) != std::string::npos; ++at)
      lines.push_back(err.substr(at, err.find('\n', at) - at));
    return lines;
  }

  /// Runs in memory and in tiles; returns the report of the latter.
  json expect_the_same(std::vector<std::string> arguments, const std::vector<std::string>& outputs) {
    arguments.insert(arguments.end(), {"--exact", "--device", "cpu", "--force", "--report", "r.json"});
    std::vector<std::string> bytes[2], warnings[2];
    json reports[2];
    for (const bool in_tiles : {false, true}) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"--max-memory", in_tiles ? "18M" : "1T"});
      const Outcome o = run(all);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      for (const std::string& output : outputs) bytes[in_tiles].push_back(read_file(output));
      bytes[in_tiles].push_back(o.out);
      warnings[in_tiles] = warnings_of(o.err);
      reports[in_tiles] = json::parse(read_file("r.json"));
      EXPECT_EQ(reports[in_tiles].contains("tiles"), in_tiles);
    }
    for (std::size_t i = 0; i < bytes[0].size(); ++i)
      EXPECT_TRUE(bytes[0][i] == bytes[1][i]) << (i < outputs.size() ? outputs[i] : bytes[0][i] + bytes[1][i]);
    EXPECT_EQ(warnings[0], warnings[1]);
    EXPECT_EQ(facts_of(reports[0]), facts_of(reports[1]));
    return reports[1];
  }
};

TEST_F(TilesReportTest, OfRowsWithinARadius) {
  write_ply("p.ply", clusters(130'000, 3, 1));
  write_ply("q.ply", uniform(60'000, 3, 2));
  for (const char* radius : {"0.02", "0.3", "0"}) {
    const json report =
        expect_the_same({"--data", "p.ply", "--query", "q.ply", "-k5", "--radius", radius, "-o", "o.csv"}, {"o.csv"});
    EXPECT_TRUE(report.at("within_radius").is_number());
    expect_the_same({"--data", "p.ply", "-k3", "--radius", radius, "-o", "o.npz"}, {"o.npz"});
  }
}

/// Squares of such distances vanish: all are alike, and not all are within the radius.
TEST_F(TilesReportTest, OfTinyRadii) {
  std::vector<double> c = wide(uniform(100'000, 3, 3), 1e-160);
  for (std::size_t i = 0; i < c.size(); i += 9) c[i] = c[0], c[i + 1] = c[1], c[i + 2] = c[2];
  write_ply("p.ply", c);
  std::set<std::int64_t> within;
  for (const char* radius : {"0", "1e-163", "1e-161", "5e-161"})
    within.insert(expect_the_same({"--data", "p.ply", "-k3", "--radius", radius, "-o", "o.csv"}, {"o.csv"})
                      .at("within_radius")
                      .get<std::int64_t>());
  EXPECT_GE(within.size(), 3);
}

TEST_F(TilesReportTest, OfStatistics) {
  Coordinates c = clusters(130'000, 3, 4);
  c[7] = NAN;
  write_ply("p.ply", c);
  write_ply("q.ply", uniform(50'001, 3, 5));
  const std::vector<std::string> clouds = {"--data", "p.ply", "--query", "q.ply", "--invalid", "skip"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), clouds.begin(), clouds.end());
    return more;
  };
  const json report = expect_the_same(with({"-k", "19", "-o", "o.npy", "--stats"}), {"o.npy"});
  EXPECT_EQ(report.at("statistics").at("ranks").size(), 17);
  expect_the_same(with({"-k3", "--radius", "0.05", "--stats"}), {});
  expect_the_same({"--data", "q.ply", "--data", "p.ply", "--invalid", "skip", "--stats"}, {});
}

TEST_F(TilesReportTest, OfWarnings) {
  const Coordinates c = clusters(130'000, 3, 6);
  write_ply("tail.ply", c, "bytes");
  write_ply("other.npy", c);
  const json report =
      expect_the_same({"--data", "tail.ply", "--query", "other.npy", "--include-self", "-o", "o.csv"}, {"o.csv"});
  EXPECT_EQ(report.at("warnings").size(), 3);
  write_ply("far.ply", wide(c, 1e43));
  EXPECT_EQ(expect_the_same({"--data", "far.ply", "-k2", "-o", "o.csv"}, {"o.csv"}).at("warnings").size(), 1);
  EXPECT_EQ(
      expect_the_same({"--data", "far.ply", "-k2", "--radius", "1e38", "-o", "o.csv"}, {"o.csv"}).at("warnings").size(),
      0);
}

}  // namespace
}  // namespace kann::test
