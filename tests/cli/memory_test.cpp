// What the parts of a search say to take of the host's memory, against what the system says that the program has taken.
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "formats/points/read_support.hpp"
#include "part.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

/// A cloud with `attributes` columns of floats beside the coordinates.
std::string cloud(std::size_t points, int dimensions, bool is_float64, int attributes, std::uint64_t seed) {
  const std::string type = is_float64 ? "double" : "float";
  std::string file = fmt::format("ply\nformat binary_little_endian 1.0\n{}element vertex {}\n",
                                 dimensions == 2 ? "comment dimensions 2\n" : "", points);
  for (int a = 0; a < dimensions; ++a) file += fmt::format("property {} {}\n", type, "xyz"[a]);
  for (int a = 0; a < attributes; ++a) file += fmt::format("property float a{}\n", a);
  file += "end_header\n";
  const auto put = [&](auto value) { file.append(reinterpret_cast<const char*>(&value), sizeof value); };
  Random r(seed);
  for (std::size_t i = 0; i < points; ++i) {
    for (int a = 0; a < dimensions; ++a) is_float64 ? put(r.uniform()) : put(static_cast<float>(r.uniform()));
    for (int a = 0; a < attributes; ++a) put(static_cast<float>(i % 1000));
  }
  return file;
}

class MemoryTest : public ProgramTest {
 protected:
  void write_clouds() {
    for (const int d : {2, 3})
      for (const bool is_float64 : {false, true}) {
        const std::string kind = fmt::format("{}{}.ply", d, is_float64 ? "d" : "f");
        write_file(kind, cloud(400'000, d, is_float64, 0, 1));
        write_file("q" + kind, cloud(400'000, d, is_float64, 0, 2));
      }
    write_file("few.ply", cloud(200'000, 3, false, 0, 4));
    write_file("a.ply", cloud(400'000, 3, false, 6, 3));
    write_file("qa.ply", cloud(400'000, 3, false, 2, 5));
    write_file("wide.ply", cloud(8'000, 3, false, 1500, 6));
    std::string text = "x,y,z";
    for (int c = 0; c < 700; ++c) text += fmt::format(",c{}", c);
    text += "\n";
    Random r(7);
    for (int i = 0; i < 8'000; ++i) {
      text += fmt::format("{},{},{}", r.uniform(), r.uniform(), r.uniform());
      for (int c = 0; c < 700; ++c) text += fmt::format(",{}", 100 + (i + c) % 900);
      text += "\n";
    }
    write_file("wide.csv", text);
  }
};

struct Charge {
  std::string search;
  double megabytes;  ///< of the budget
  std::string parts = "count";
};

TEST_F(MemoryTest, TheChargeIsWhatTheSystemReports) {
  if (k_is_sanitized) GTEST_SKIP() << "the memory of a sanitizer counts as the program's";
  Part part;
  write_clouds();
  std::vector<Charge> cases;
  for (const int d : {2, 3})
    for (const char type : {'f', 'd'})
      for (const int k : {1, 8, 30}) {
        const double megabytes = k == 1 ? 30 : 50;
        cases.push_back({fmt::format("--data {}{}.ply --exact -k{}", d, type, k), megabytes});
        cases.push_back({fmt::format("--data {0}{1}.ply --query q{0}{1}.ply --exact -k{2}", d, type, k), 40});
      }
  const std::vector<Charge> others = {
      {"--data 3f.ply --query q3d.ply --exact -k8", 45},
      {"--data few.ply --query q3f.ply --exact -k1", 45, "pieces"},
      {"--data few.ply --query q3f.ply --exact -k8", 50, "pieces"},
      {"--data few.ply --query q3f.ply --exact -k30", 100, "pieces"},
      {"--data few.ply --query q3d.ply --exact -k8", 80, "pieces"},
      {"--data 3f.ply --exact -k8 --invalid skip --radius .01 --stats", 50},
      {"--data 3f.ply --periodic 1,1,1 -k8", 55},
      {"--data 3f.ply --query q3f.ply --periodic 1,1,1 -k1", 45},
      {"--data a.ply --query qa.ply --exact -k8 --transfer a0,a1,a2,a3 --by mean", 55},
      {"--data a.ply --query qa.ply --exact -k8 --transfer a0,a1,a2,a3 --by mean", 90, "pieces"},
      {"--data a.ply --exact -k8 --transfer a0,a5 --by rbf --outliers 5,1", 50},
      {"--data a.ply --query qa.ply --exact -k8 --output-format ply", 55},
      {"--data 3f.ply --exact -k8 --picture p.png --picture-size 1500x1000", 70},
      {"--data 3f.ply --exact -k1 --output-format csv", 32},
      {"--data 3f.ply --exact -k8 --verify 500", 50},
      {"--data wide.ply --exact -k1 --output-format ply", 40},
      {"--data wide.csv --exact -k1 --output-format cloud-csv", 30},
  };
  cases.insert(cases.end(), others.begin(), others.end());
  for (const Charge& c : cases) {
    if (!part.takes_next()) continue;
    std::string command = c.search + " --device cpu --threads 2 --force -o o --report r.json";
    if (c.search.find("--output-format") == std::string::npos) command += " --output-format npz";
    const Outcome o = run(command + fmt::format(" --max-memory {}MB", c.megabytes));
    ASSERT_EQ(o.exit_code, 0) << c.search << o.err;
    const json report = json_of();
    ASSERT_TRUE(report.contains("tiles")) << c.search;
    const json& tiles = report.at("tiles");
    EXPECT_GE(tiles.value(c.parts, 0), 1) << c.search;
    const double charged = tiles.at("charged_bytes"), budget = tiles.at("budget_bytes");
    const double peak = report.at("memory_peak_bytes").at("host");
    const std::string what =
        fmt::format("{} in {} MB: charged {:.1f} MB, peak {:.1f} MB", c.search, c.megabytes, charged / 1e6, peak / 1e6);
    EXPECT_EQ(budget, c.megabytes * 1e6) << what;
    EXPECT_LE(charged, budget) << what;
    constexpr double allowance = 1e6;  // what is too small to be charged differs from run to run
    EXPECT_LE(peak, charged + allowance) << what;
    EXPECT_LE(charged, 1.5 * peak) << what;
  }
}

/// A search that is made in memory, since it is said to fit.
struct InMemory {
  std::string file;
  std::string contents;
  std::string more = {};
};

/// The first lines of a text, which are longer than the rest.
std::string text_with_long_head() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{:.50f} {:.50f} {:.50f}\n", i * 1e-3, i * 1e-4, i * 1e-5);
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{} {} {}\n", i % 10, i / 10 % 10, i / 100 % 10);
  return text;
}

/// An array whose points have `bytes` of other fields.
std::string npy_with_fields(int points, int bytes) {
  Random r(8);
  std::string rows;
  for (int i = 0; i < points; ++i) {
    for (int a = 0; a < 3; ++a) rows += bytes_of(static_cast<float>(r.uniform()));
    rows.append(static_cast<std::size_t>(bytes), '\0');
  }
  const std::string rest = bytes > 0 ? fmt::format(", ('rest', '|S{}')", bytes) : "";
  return npy_array("[('x', '<f4'), ('y', '<f4'), ('z', '<f4')" + rest + "]", fmt::format("({},)", points), rows);
}

/// What the head or the size of a file cannot tell: how many points are in it, and how much reading them takes.
TEST_F(MemoryTest, ASearchInMemoryKeepsToTheBudget) {
  if (k_is_sanitized) GTEST_SKIP() << "the memory of a sanitizer counts as the program's";
  const std::string plain = cloud(20'000, 3, false, 0, 9);
  const std::vector<InMemory> cases = {
      {"head.xyz", text_with_long_head()},
      {"zeros.npz", npz_of_zeros(2000 * 12 * 258)},
      {"fields.npy", npy_with_fields(50'000, 400)},
      {"others.npz", zip({{.name = "points.npy", .content = npy_with_fields(20'000, 0)},
                          {.name = "more.npy", .content = npy_with_fields(20'000, 800)}})},
      {"lists.ply", plain, " -k500 --threads 8"},
      {"statistics.ply", plain, " -k40 --threads 16"},
      {"periodic.ply", plain, " -k8 --periodic 1,1,1"},
  };
  for (const InMemory& c : cases) {
    write_file(c.file, c.contents);
    const std::string command = c.file + " --device cpu --threads 2 -o o.npz --force --report r.json" + c.more;
    ASSERT_EQ(run(command).exit_code, 0) << c.file;
    const double whole = json_of().at("memory_peak_bytes").at("host");
    bool is_in_memory = false;
    for (double megabytes = 14; !is_in_memory; megabytes *= 1.1) {
      ASSERT_LT(megabytes * 1e6, 2 * whole) << c.file << " is not searched in memory";
      if (run(command + fmt::format(" --max-memory {}MB", megabytes)).exit_code != 0) continue;
      const json report = json_of();
      is_in_memory = !report.contains("tiles");
      EXPECT_LE(report.at("memory_peak_bytes").at("host"), megabytes * 1e6) << c.file << " in " << megabytes << " MB";
    }
  }
}

}  // namespace
}  // namespace kann::test
