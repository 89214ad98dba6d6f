// Queries in pieces, as a user runs it: --max-memory is enough for the data.
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "file_size_limit.hpp"
#include "part.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class PiecesTest : public ProgramTest {
 protected:
  PiecesTest() {
    write_file("q.ply", binary_ply(uniform(50'000, 3, 2)));
    write_file("many.ply", binary_ply(uniform(300'000, 3, 5)));
  }

  Outcome search(std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"--data", "q.ply", "--query", "many.ply", "--device", "cpu", "--threads", "2", "--force"});
    return run(more);
  }
};

/// Rows that are written as they are found, and those that are kept for others to look at.
TEST_F(PiecesTest, TheBytesAreThoseOfASearchInMemory) {
  Part part;
  for (const std::string format : {"npz", "npy", "bin", "ibin", "ivecs", "fbin", "fvecs", "csv"}) {
    if (!part.takes_next()) continue;
    const auto result = [&](std::vector<std::string> more, bool is_in_pieces) {
      more.insert(more.end(), {"-k7", "--output-format", format, "-o", "o"});
      const Outcome o = search(more);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_EQ(o.err.find(" pieces: read ") != std::string::npos, is_in_pieces) << o.err;
      std::string bytes = read_file("o");
      if (format == "npy") bytes += read_file("o.distances.npy");
      return bytes;
    };
    const std::string want = result({}, false);
    for (const char* memory : {"36M", "28M"}) {
      EXPECT_TRUE(result({"--max-memory", memory}, true) == want) << format << memory;
      EXPECT_TRUE(result({"--max-memory", memory, "--report", "r.json"}, true) == want) << format << memory;
    }
  }
  for (const std::string& name : files())
    EXPECT_TRUE((std::set<std::string>{"many.ply", "o", "o.distances.npy", "q.ply", "r.json"}.contains(name))) << name;
}

TEST_F(PiecesTest, TheReportIsThatOfASearchInMemory) {
  Part part;
  for (const char* radius : {"none", ".02"}) {
    if (!part.takes_next()) continue;
    std::string bytes;
    const auto report = [&](const char* memory) {
      const Outcome o =
          search({"--radius", radius, "-k7", "-o", "o.npz", "--report", "r.json", "--max-memory", memory});
      EXPECT_EQ(o.exit_code, 0) << o.err;
      bytes = read_file("o.npz");
      return json::parse(read_file("r.json"));
    };
    const json want = report("1T");
    const std::string want_bytes = bytes;
    const json got = report("28M");
    EXPECT_TRUE(bytes == want_bytes) << radius;
    EXPECT_FALSE(want.contains("tiles"));
    EXPECT_EQ(got.at("tiles").at("count"), 1);
    EXPECT_GT(got.at("tiles").at("pieces"), 1);
    for (const char* key : {"method", "warnings", "statistics", "within_radius", "full_rows"})
      EXPECT_EQ(got.value(key, json()), want.value(key, json())) << key << " " << radius;
  }
}

TEST_F(PiecesTest, NoQueriesNeedLittleMemory) {
  write_file("none.ply", binary_ply({}));
  write_file("large.ply", binary_ply(uniform(400'000, 3, 9)));
  for (const char* memory : {"1T", "40M", "22M"}) {
    const Outcome o = run({"--data", "large.ply", "--query", "none.ply", "--exact", "--device", "cpu", "--force", "-o",
                           "o.npz", "--max-memory", memory});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(
        o.err.starts_with("kann: warning: none.ply has no points\nkann: 0 queries x 8 neighbours among 400000 "
                          "points on CPU ("))
        << o.err;
    EXPECT_EQ(o.err.find("(0 threads)"), std::string::npos) << o.err;
  }
  const Outcome o = run({"--data", "none.ply", "--query", "many.ply", "-k1", "--exact", "--device", "cpu", "--force",
                         "-o", "o.npz", "--max-memory", "22M"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
}

/// Clouds of two types, and points that are skipped, take more than others: no more than is planned for them.
TEST_F(PiecesTest, TheMemoryThatIsPlannedIsEnough) {
  if (k_is_sanitized) GTEST_SKIP() << "the memory of a sanitizer counts as the program's";
  std::string wide =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
      "property double z\nend_header\n";
  wide.append(72, '\0');
  write_file("wide.ply", wide);
  Coordinates c = uniform(1'500'000, 3, 6);
  for (std::size_t i = 0; i < c.size(); i += 999) c[i] = NAN;
  write_file("nans.ply", binary_ply(c));
  for (const char* data : {"wide.ply", "q.ply"})
    for (const char* k : {"1", "8"}) {
      const std::vector<std::string> search = {"--data",   data,  "--exact", "-k",    k,         "--invalid", "skip",
                                               "--device", "cpu", "-o",      "o.npz", "--force", "--report",  "r.json"};
      std::vector<std::string> asks = search, takes = search;
      asks.insert(asks.end(), {"--query", "-", "--query-format", "ply", "--max-memory", "1K"});
      takes.insert(takes.end(), {"--query", "nans.ply"});
      const std::string refusal = run(asks, {.stdin_text = read_file("nans.ply")}).err;
      const std::string before = "the search needs about ";
      const std::size_t at = refusal.find(before);
      ASSERT_NE(at, std::string::npos) << refusal;
      const double megabytes = std::stod(refusal.substr(at + before.size())) + 1;  // of three digits
      takes.insert(takes.end(), {"--max-memory", fmt::format("{:.0f}MB", megabytes)});
      EXPECT_EQ(run(takes).exit_code, 0);
      const json report = json::parse(read_file("r.json"));
      EXPECT_FALSE(report.contains("tiles"));
      EXPECT_LE(report.at("memory_peak_bytes").at("host"), megabytes * 1e6) << data << " " << k;
    }
}

TEST_F(PiecesTest, TheErrorIsThatOfASearchInMemory) {
  std::string head =
      "ply\nformat binary_little_endian 1.0\nelement vertex 300000\nproperty double x\nproperty double "
      "y\nproperty double z\nend_header\n";
  std::vector<double> c(900'000);
  c[3 * 100'000] = 1e200;
  for (const bool has_nan : {false, true}) {
    if (has_nan) c.back() = NAN;
    std::string file = head;
    file.append(reinterpret_cast<const char*>(c.data()), c.size() * sizeof(double));
    write_file("wide.ply", file);
    const auto error = [&](const char* memory) {
      const Outcome o = run({"--data", "q.ply", "--query", "wide.ply", "--exact", "--device", "cpu", "-o", "o.npz",
                             "--max-memory", memory});
      EXPECT_EQ(o.exit_code, 3);
      return o.err;
    };
    const std::string want = error("1T");
    EXPECT_NE(want.find(has_nan ? "1 of 300000 points have NaN" : "wider than squared distances"), std::string::npos);
    EXPECT_EQ(error("40M"), want);
  }
}

TEST_F(PiecesTest, ADiskThatIsFullLeavesTheOldFile) {
  for (const char* format : {"npz", "bin", "csv"}) {
    write_file("o", "old");
    const FileSizeLimit limit(4 << 20);
    const Outcome o = search({"--exact", "-k7", "-o", "o", "--output-format", format, "--max-memory", "28M"});
    EXPECT_EQ(o.exit_code, 4) << o.err;
    EXPECT_EQ(o.err, "kann: error: o: File too large (old file kept)\n") << format;
    EXPECT_EQ(read_file("o"), "old");
    EXPECT_EQ(files(), (std::vector<std::string>{"many.ply", "o", "q.ply"}));
  }
}

}  // namespace
}  // namespace kann::test
