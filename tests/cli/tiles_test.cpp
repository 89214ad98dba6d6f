// --max-memory, as a user runs it: in tiles, or in pieces where it is enough for the data. That all have the bytes and
// the report of a search in memory is for tests/ways.
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "clouds.hpp"
#include "file_size_limit.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

class TilesTest : public ProgramTest {
 protected:
  TilesTest() : ProgramTest("--device cpu --threads 2 --force -o o.npz") {
    write_ply("p.ply", clusters(100'000, 3, 1));
    write_ply("q.ply", uniform(50'000, 3, 2));
  }

  void write_ply(const std::string& name, const Coordinates& c) { write_file(name, binary_ply(c)); }

  /// The text between `before` and the end of a refusal, such as "49.7 MB" as one word.
  static std::string named_in(const std::string& refusal, const std::string& before) {
    const std::size_t at = refusal.rfind(before);
    EXPECT_NE(at, std::string::npos) << refusal;
    std::string named = refusal.substr(std::min(refusal.size(), at + before.size()));
    std::erase_if(named, [](char c) { return c == ' ' || c == '\n'; });
    return named;
  }
};

TEST_F(TilesTest, SayHowManyQueriesTheyCanJudge) {
  write_ply("p.ply", clusters(300'000, 3, 1));
  const std::string refusal = error_of("p.ply -k5 --verify --max-memory 32M", 4);
  const std::string most = named_in(refusal, "; give --verify ");
  succeeds("p.ply -k5 --max-memory 32M --verify " + most);
  EXPECT_TRUE(has(error_of("p.ply -k5 --verify 9 -o n.npz --max-memory 13M", 4),
                  "13.6 MB is too little; this search needs at least "));
  EXPECT_EQ(files(), (Names{"o.npz", "p.ply", "q.ply"}));
}

/// Where all are equally near, the number decides; what is beyond a radius is not given. So not every tile is looked
/// at.
TEST_F(TilesTest, AQueryGoesWhereItMayFindNeighbours) {
  write_ply("same.ply", Coordinates(300'000, 1.5f));
  write_ply("p.ply", uniform(200'000, 3, 4));
  const auto visits = [&](const std::string& search) {
    succeeds(search + " --report r.json");
    EXPECT_GT(json_of().at("tiles").at("count"), 5);
    return json_of().at("tiles").at("visits").get<std::int64_t>();
  };
  EXPECT_LT(visits("same.ply --max-memory 17M"), 2 * 100'000);
  const std::string search = "p.ply -k 30 --max-memory 26M --radius ";
  const std::int64_t all = visits(search + "1"), some = visits(search + "0.005"), none = visits(search + "0");
  EXPECT_GT(all, 50'000);
  EXPECT_LT(some, all / 2);
  EXPECT_GT(some, 0);
  EXPECT_LT(none, some);
}

TEST_F(TilesTest, InputThatIsBadInMemoryIsBadInPiecesAndTiles) {
  const std::string whole = read_file("p.ply");
  write_file("cut.ply", whole.substr(0, whole.size() - 5));
  expect_refused("cut.ply --max-memory 20M", 3, "cut.ply: vertex count 100000 needs 1200000 bytes, file holds 1199995");
  Coordinates c = uniform(100'000, 3, 3);
  c[7] = NAN;
  write_ply("n.ply", c);
  expect_refused("p.ply n.ply --max-memory 18M", 3,
                 "n.ply: 1 of 100000 points have NaN or infinite coordinates (first: 2); use --invalid skip");
  EXPECT_TRUE(
      has(succeeds("p.ply n.ply --max-memory 18M --invalid skip").err, "(0 points and 1 query skipped as invalid)"));

  const std::string head =
      "ply\nformat binary_little_endian 1.0\nelement vertex 300000\nproperty double x\nproperty double "
      "y\nproperty double z\nend_header\n";
  std::vector<double> wide(900'000);
  wide[3 * 100'000] = 1e200;
  for (const bool has_nan : {false, true}) {
    if (has_nan) wide.back() = NAN;
    write_file("wide.ply",
               head + std::string(reinterpret_cast<const char*>(wide.data()), wide.size() * sizeof(double)));
    const std::string want = error_of("q.ply wide.ply", 3);
    EXPECT_TRUE(has(want, has_nan ? "1 of 300000 points have NaN" : "wider than squared distances"));
    EXPECT_EQ(error_of("q.ply wide.ply --max-memory 40M", 3), want);
  }
}

TEST_F(TilesTest, NoQueriesNeedLittleMemory) {
  write_ply("none.ply", {});
  write_ply("large.ply", uniform(400'000, 3, 9));
  for (const std::string memory : {"1T", "40M", "22M"}) {
    const std::string err = succeeds("large.ply none.ply --max-memory " + memory).err;
    EXPECT_TRUE(begins(err,
                       "kann: warning: none.ply has no points\nkann: 0 queries x 8 neighbours among 400000 points on "
                       "CPU ("));
    EXPECT_FALSE(has(err, "(0 threads)"));
  }
  succeeds("none.ply large.ply -k1 --max-memory 22M");
}

/// Clouds of two types, and points that are skipped, take more than others: no more than is planned for them.
TEST_F(TilesTest, TheMemoryThatIsPlannedForASearchInMemoryIsEnough) {
  if (k_is_sanitized) GTEST_SKIP() << "the memory of a sanitizer counts as the program's";
  std::string wide =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
      "property double z\nend_header\n";
  wide.append(72, '\0');
  write_file("wide.ply", wide);
  Coordinates c = uniform(1'500'000, 3, 6);
  for (std::size_t i = 0; i < c.size(); i += 999) c[i] = NAN;
  write_ply("nans.ply", c);
  for (const std::string data : {"wide.ply", "q.ply"})
    for (const std::string k : {"1", "8"}) {
      const std::string search = "--data " + data + " --invalid skip --report r.json -k " + k;
      const std::string refusal =
          error_of(search + " --query - --query-format ply --max-memory 1K", 4, {.stdin_text = read_file("nans.ply")});
      const double megabytes = std::stod(named_in(refusal, "the search needs about ")) + 1;  // of three digits
      succeeds(search + fmt::format(" --query nans.ply --max-memory {:.0f}MB", megabytes));
      EXPECT_FALSE(json_of().contains("tiles"));
      EXPECT_LE(json_of().at("memory_peak_bytes").at("host"), megabytes * 1e6) << data << " " << k;
    }
}

TEST_F(TilesTest, TheBudgetThatARefusalNamesIsEnough) {
  for (const int n : {20'000, 50'000, 100'000})
    for (const std::string k : {"1", "3", "8", "20"}) {
      write_ply("p.ply", uniform(n, 3, 4));
      succeeds("p.ply -k " + k + " --max-memory " +
               named_in(error_of("p.ply -k " + k + " --max-memory 1M", 4), "at least "));
    }
  const std::string picture = "p.ply -k 1 --picture p.png --picture-size 3000x3000 --report r.json --max-memory ";
  const std::string named = named_in(error_of(picture + "30MB", 4), "at least ");
  succeeds(picture + named);
  EXPECT_LE(json_of().at("memory_peak_bytes").at("host"), std::stod(named) * 1e6);
}

TEST_F(TilesTest, ADiskThatIsFullLeavesTheOldFile) {
  write_ply("many.ply", uniform(300'000, 3, 5));
  for (const std::string format : {"npz", "bin", "csv"}) {
    write_file("o", "old");
    const FileSizeLimit limit(4 << 20);
    EXPECT_EQ(error_of("q.ply many.ply -k7 -o o --max-memory 28M --output-format " + format, 4),
              "kann: error: o: File too large (old file kept)\n");
    EXPECT_EQ(read_file("o"), "old");
    EXPECT_EQ(files(), (Names{"many.ply", "o", "p.ply", "q.ply"}));
  }
}

TEST_F(TilesTest, SayWhyTheyCannotKeepToTheMemory) {
  expect_refused("p.ply --max-memory 10M", 4, "host memory: 10.5 MB is too little; this search needs at least 14.1 MB");
  expect_refused("p.ply --periodic 1,1 --max-memory 22M", 2,
                 "--periodic has 2 sides, but p.ply has 3 coordinates per point (need a side for each)");
  expect_refused("p.ply --verify --max-memory 23M", 4,
                 "host memory: 24.1 MB is too little to judge 100000 queries, which takes 24.6 MB; give --verify 3862");
  expect_refused(
      "p.ply -k1 --method shifted-sort --max-memory 20M", 4,
      "host memory: the search needs about 24.7 MB, --max-memory is 21 MB; --method shifted-sort searches in "
      "memory; leave it out for the exact answer");
  for (const std::string wrong : {"0", "100", "4Q", "G", "4GBB", "-1G", "4  G", "4 ", "inf"})
    expect_refused("p.ply --max-memory '" + wrong + "'", 2,
                   "--max-memory expects a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as "
                   "500M or 4GB, or at least 1000000 without, got '" +
                       wrong + "'");
  std::string lists =
      "ply\nformat binary_little_endian 1.0\nelement vertex 100000\nproperty float x\nproperty float y\nproperty float "
      "z\nproperty list uchar int l\nend_header\n";
  lists.append(100'000 * 13, '\0');
  write_file("l.ply", lists);
  expect_refused("p.ply l.ply --max-memory 20M", 4,
                 "host memory: the search needs about 30.2 MB, --max-memory is 21 MB; l.ply: PLY whose vertices have "
                 "lists can only be read as a whole");
  // How many cells a grid has is known when the data are in memory
  succeeds("l.ply --grid 1 -k1 --max-memory 100M");
  const std::string stream = "--data - --data-format ply --max-memory ";
  expect_refused(stream + "20M", 4,
                 "host memory: the search needs about 24.6 MB, --max-memory is 21 MB; a stream or a compressed file is "
                 "searched in memory",
                 {.stdin_text = read_file("p.ply")});
  succeeds(stream + "200M", {.stdin_text = read_file("p.ply")});
}

/// A file of 240 GB, of which nothing is on the disk.
TEST_F(TilesTest, AFolderWithoutSpaceForTemporaryFilesIsRefusedBefore) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (20000000000, 3), }";
  head.append(117 - head.size(), ' ') += '\n';
  write_file("huge.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head);
  std::error_code error;
  std::filesystem::resize_file(path("huge.npy"), 128 + std::uintmax_t{240'000'000'000}, error);
  if (error || std::filesystem::space(path(".")).available > 2'300'000'000'000) GTEST_SKIP() << "a larger disk";
  const std::string refusal = error_of("huge.npy --max-memory 4GB", 4);
  EXPECT_TRUE(begins(refusal, "kann: error: .: temporary files need at least 2.4 TB, "));
  EXPECT_TRUE(ends(refusal, " are free; --temp-folder takes another folder\n"));
  EXPECT_EQ(files(), (Names{"huge.npy", "p.ply", "q.ply"}));
}

}  // namespace
}  // namespace kann::test
