// Searches that are refused before the work, since they cannot keep to --max-memory or to the disk.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "tiles_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(TilesTest, SaysWhyItCannotKeepToTheMemory) {
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& message) {
    more.insert(more.end(), {"-o", "out.npz"});
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
  };
  refused({"--max-memory", "10M"}, 4, "host memory: 10.5 MB is too little; this search needs at least 14.1 MB");
  refused({"--exact", "--periodic", "1,1", "--max-memory", "22M"}, 2,
          "--periodic has 2 sides, but p.ply has 3 coordinates per point (need a side for each)");
  refused({"--exact", "--verify", "--max-memory", "23M"}, 4,
          "host memory: 24.1 MB is too little to judge 100000 queries, which takes 24.6 MB; give --verify 3862");
  refused({"-k1", "--method", "shifted-sort", "--max-memory", "20M"}, 4,
          "host memory: the search needs about 24.7 MB, --max-memory is 21 MB; --method shifted-sort searches in "
          "memory; leave it out for the exact answer");
  for (const char* wrong : {"0", "100", "4Q", "G", "4GBB", "-1G", "4  G", "4 ", "inf"})
    refused({"--max-memory", wrong}, 2,
            std::string("--max-memory expects a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as "
                        "500M or 4GB, or at least 1000000 without, got '") +
                wrong + "'");
  std::string lists =
      "ply\nformat binary_little_endian 1.0\nelement vertex 100000\nproperty float x\nproperty float y\nproperty float "
      "z\nproperty list uchar int l\nend_header\n";
  lists.append(100'000 * 13, '\0');
  write_file("l.ply", lists);
  refused(
      {"--query", "l.ply", "--exact", "--max-memory", "20M"}, 4,
      "host memory: the search needs about 30.2 MB, --max-memory is 21 MB; l.ply: PLY whose vertices have lists can "
      "only be read as a whole");
  EXPECT_EQ(files(), (std::vector<std::string>{"l.ply", "p.ply", "q.ply"}));
  // How many cells a grid has is known when the data are in memory
  const Outcome cells =
      run({"--data", "l.ply", "--grid", "1", "--device", "cpu", "-k1", "-o", "o.npz", "--max-memory", "100M"});
  EXPECT_EQ(cells.exit_code, 0) << cells.err;
}

/// A file of 240 GB, of which nothing is on the disk.
TEST_F(TilesTest, AFolderWithoutSpaceForTemporaryFilesIsRefusedBefore) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (20000000000, 3), }";
  head.append(117 - head.size(), ' ') += '\n';
  write_file("huge.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head);
  std::error_code error;
  std::filesystem::resize_file(path("huge.npy"), 128 + std::uintmax_t{240'000'000'000}, error);
  if (error || std::filesystem::space(path(".")).available > 2'300'000'000'000) GTEST_SKIP() << "a larger disk";
  const Outcome o = run({"--data", "huge.npy", "--exact", "--device", "cpu", "-o", "o.npz", "--max-memory", "4GB"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_TRUE(o.err.starts_with("kann: error: .: temporary files need at least 2.4 TB, ")) << o.err;
  EXPECT_TRUE(o.err.ends_with(" are free; --temp-folder takes another folder\n")) << o.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"huge.npy", "p.ply", "q.ply"}));
}

TEST_F(TilesTest, AStreamThatTakesMoreThanTheBudgetIsRefused) {
  const Settings settings{.stdin_text = read_file("p.ply")};
  const std::vector<std::string> stream = {
      "--data", "-", "--data-format", "ply", "--exact", "--device", "cpu", "--threads", "2", "-o", "o.npz"};
  auto tight = stream, wide = stream;
  tight.insert(tight.end(), {"--max-memory", "20M"});
  wide.insert(wide.end(), {"--max-memory", "200M"});
  const Outcome refused = run(tight, settings);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_EQ(refused.err,
            "kann: error: host memory: the search needs about 24.6 MB, --max-memory is 21 MB; a stream or a "
            "compressed file is searched in memory\n");
  EXPECT_EQ(run(wide, settings).exit_code, 0);
}

/// A file per format.
TEST_F(TilesTest, TheBudgetThatARefusalNamesIsEnough) {
  for (const int n : {20'000, 50'000, 100'000})
    for (const std::string k : {"1", "3", "8", "20"}) {
      write_ply("p.ply", uniform(n, 3, 4));
      const auto search = [&](const std::string& memory) {
        return run({"--data", "p.ply", "--exact", "-k", k, "-o", "o.npz", "--force", "--device", "cpu", "--max-memory",
                    memory});
      };
      const Outcome refused = search("1M");
      EXPECT_EQ(refused.exit_code, 4);
      const std::string before = "at least ";
      const std::size_t at = refused.err.rfind(before);
      ASSERT_NE(at, std::string::npos) << refused.err;
      std::string named = refused.err.substr(at + before.size());  // "49.7 MB\n"
      std::erase_if(named, [](char c) { return c == ' ' || c == '\n'; });
      const Outcome o = search(named);
      EXPECT_EQ(o.exit_code, 0) << named << ": " << o.err;
    }
}

}  // namespace
}  // namespace kann::test
