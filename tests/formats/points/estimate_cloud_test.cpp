// What the head of a file says of its points, against the file as it is read.
#include <limits>
#include <sys/stat.h>

#include "formats/points/numpy/npz_support.hpp"
#include "formats/points/pcd/pcd_support.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::filesystem::path k_shared = KANN_SHARED_DATA;

std::optional<CloudEstimate> estimate(const std::string& name, const std::string& bytes,
                                      const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  return estimate_cloud(folder.file(name), options);
}

std::string text_rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i % 97) + ".25 1." + std::to_string(i % 89) + " -3.5\n";
  return text;
}

TEST(EstimateCloud, IsTheCountOfAHeader) {
  if (!std::filesystem::is_directory(k_shared)) GTEST_SKIP() << k_shared << " is missing: no real clouds to read";
  int looked_at = 0;
  for (const auto& entry : std::filesystem::directory_iterator(k_shared)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".ply" && entry.path().extension() != ".las") continue;
    const auto estimated = estimate_cloud(path);
    ASSERT_TRUE(estimated) << path;
    const Points points = read_points(path).points;
    EXPECT_EQ(estimated->points, points.size()) << path;
    EXPECT_EQ(estimated->dimensions, points.dimensions) << path;
    EXPECT_EQ(estimated->is_float64, !is_float32(points)) << path;
    ++looked_at;
  }
  EXPECT_GE(looked_at, 8);
}

TEST(EstimateCloud, OfTextIsByTheLengthOfItsLines) {
  for (const int rows : {1, 2, 1'000, 20'000}) {
    const auto estimated = estimate("a.xyz", text_rows(rows));
    ASSERT_TRUE(estimated);
    EXPECT_NEAR(static_cast<double>(estimated->points), rows, .1 * rows) << rows;
  }
  EXPECT_EQ(estimate("a.xyz", "1 2 3")->points, 1);
  EXPECT_EQ(estimate("a.xyz", "1 2 3\n4 5 6\n")->dimensions, 3);
  EXPECT_EQ(estimate("a.xyz", "1 2\n4 5\n")->dimensions, 2);
  EXPECT_TRUE(estimate("a.xyz", "1 2\n4 5\n")->is_float64);
}

TEST(EstimateCloud, OfArraysIsTheirNumberOfRows) {
  const std::string rows(12 * 100, '\0');
  EXPECT_EQ(estimate("a.fbin", bytes_of(100u) + bytes_of(3u) + rows)->points, 100);
  EXPECT_EQ(estimate("a.fbin", bytes_of(150u) + bytes_of(2u) + rows)->dimensions, 2);
  std::string vectors;
  for (int i = 0; i < 100; ++i) vectors += bytes_of(3) + std::string(12, '\0');
  EXPECT_EQ(estimate("a.fvecs", vectors)->points, 100);
  EXPECT_EQ(estimate("a.bin", std::string(1'600, '\0'), {PointFormat::kitti})->points, 100);
}

/// It is longer than the 64 KiB that are read of other files.
TEST(EstimateCloud, ReadsTheHeaderOfThousandsOfColumns) {
  std::string header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\n";
  for (const char* axis : {"x", "y", "z"}) header += std::string("property float ") + axis + "\n";
  constexpr int columns = 4000;
  for (int c = 0; c < columns; ++c) header += "property uchar a_column_of_many_" + std::to_string(c) + "\n";
  header += "end_header\n";
  ASSERT_GT(header.size(), 100'000u);
  const auto estimated = estimate("a.ply", header + std::string(3 * (12 + columns), '\0'));
  ASSERT_TRUE(estimated);
  EXPECT_EQ(estimated->points, 3);
  EXPECT_EQ(estimated->held_bytes, 0);
}

TEST(EstimateCloud, FilesAreNotHeld) {
  const std::string header =
      "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\n";
  const std::string text = header + "DATA ascii\n1 2 3\n4 5 6\n";
  EXPECT_EQ(estimate("a.pcd", text)->held_bytes, 0);
  EXPECT_EQ(estimate("a.pcd", header + "DATA binary\n" + std::string(24, '\0'))->held_bytes, 0);
}

/// Their size says nothing of the points in them, or of what reading them takes.
TEST(EstimateCloud, CountsWhatIsDecompressed) {
  const std::string file = npz_of_zeros(1'200'000);
  const auto npz = estimate("a.npz", file);
  ASSERT_TRUE(npz);
  EXPECT_NEAR(static_cast<double>(npz->points), 100'000, 200);
  EXPECT_NEAR(npz->held_bytes, static_cast<double>(file.size()) + 1.2e6, 2e3);
  const std::string header =
      "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1000\nHEIGHT 1\nPOINTS 1000\n"
      "DATA binary_compressed\n";
  const std::string compressed = lzf_literals(std::string(12'000, '\0'));
  const auto pcd = estimate("a.pcd", header + compressed_body(compressed, 12'000));
  ASSERT_TRUE(pcd);
  EXPECT_EQ(pcd->points, 1000);
  EXPECT_EQ(pcd->held_bytes, static_cast<double>(compressed.size()) + 12'000);
}

TEST(EstimateCloud, ArraysAreNotHeld) {
  const std::string rows(2 * 20, '\0');
  const std::string fields = npy_array("[('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('a', '<f8')]", "(2,)", rows);
  EXPECT_EQ(estimate("a.npy", fields)->held_bytes, 0);
  EXPECT_EQ(estimate("a.npy", npy_array("'<f4'", "(2, 3)", std::string(24, '\0')))->held_bytes, 0);
}

/// A line that is longer than the head counts as one.
TEST(EstimateCloud, OfTextWithoutAWholeLineIsByItsHead) {
  std::string line = "1 2 3";
  for (int c = 0; c < 50'000; ++c) line += " 4";
  const auto estimated = estimate("a.xyz", line + "\n" + line + "\n");
  if (estimated) EXPECT_GE(estimated->points, 2);
}

/// The memory that a forecast is for is not there: the file is too small.
TEST(EstimateCloud, BelievesNoCountThatTheFileCannotHold) {
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 18446744073709551615\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n";
  EXPECT_FALSE(estimate("a.ply", header));
  EXPECT_FALSE(estimate("a.fbin", bytes_of(std::numeric_limits<std::uint32_t>::max()) + bytes_of(3u)));
}

TEST(EstimateCloud, SaysNothingOfWhatIsNoCloud) {
  const TemporaryFolder folder;
  EXPECT_FALSE(estimate_cloud("-", {{PointFormat::ply}}));
  EXPECT_FALSE(estimate_cloud(folder.file("missing.ply")));
  EXPECT_FALSE(estimate_cloud(folder.file("")));
  EXPECT_FALSE(estimate("a.ply", ""));
  EXPECT_FALSE(estimate("a.ply", "ply\nnonsense\n"));
  EXPECT_FALSE(estimate("a.laz", "LASF"));
  EXPECT_FALSE(estimate("a.unknown", "\1\2\3"));
  // It would wait for a writer, and take the first bytes away
  ASSERT_EQ(mkfifo(folder.file("fifo.ply").c_str(), 0600), 0);
  EXPECT_FALSE(estimate_cloud(folder.file("fifo.ply")));
}

}  // namespace
}  // namespace kann::formats
