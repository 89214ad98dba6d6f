// FileContents: what a file says beside its points, and all of its points in blocks.
#include "formats/file_contents.hpp"

#include "formats/points/las/las_support.hpp"
#include "formats/points/read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

class FileContentsTest : public testing::Test {
 protected:
  FileContents open(const std::string& name, const std::string& bytes) const {
    put_contents(folder_.file(name), bytes);
    return FileContents(folder_.file(name), {});
  }
  std::string format_of(const std::string& name, const std::string& bytes) const { return open(name, bytes).format(); }

  const TemporaryFolder folder_;
};

TEST_F(FileContentsTest, NamesTheVariantOfAFormat) {
  EXPECT_EQ(format_of("a.ply", ascii_ply("2", k_rows)), "PLY, ascii");
  EXPECT_EQ(format_of("a.ply", binary_ply("2", k_floats)), "PLY, binary_little_endian");
  EXPECT_EQ(format_of("a.las", las({.minor = 4})), "LAS 1.4, point format 0");
  EXPECT_EQ(format_of("a.xyz", k_rows), "text");
}

TEST_F(FileContentsTest, AllPointsComeInTheirOrder) {
  constexpr std::int64_t n = 3'000'000;  // several blocks
  std::string bytes;
  for (std::int64_t i = 0; i < n; ++i) bytes += bytes_of_all<float>({static_cast<float>(i), 1, 2});
  const FileContents file = open("a.ply", binary_ply(std::to_string(n), bytes));
  EXPECT_EQ(file.size(), n);
  EXPECT_EQ(file.described().points.size(), 0);
  std::int64_t next = 0, blocks = 0, wrong = 0;
  file.for_each_block([&](std::int64_t row, const Cloud& block) {
    EXPECT_EQ(row, next);
    ASSERT_EQ(block.attributes.size(), 3u);
    for (std::int64_t i = 0; i < block.points.size(); ++i)
      wrong +=
          block.points.at(i, 0) != static_cast<double>(row + i) || block.attributes[0].at(i) != block.points.at(i, 0);
    next += block.points.size();
    ++blocks;
  });
  EXPECT_EQ(next, n);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(blocks, 1);
}

TEST_F(FileContentsTest, WhatIsReadAsAWholeIsOneBlock) {
  const FileContents file =
      open("a.ply", ascii_ply("2", "1 2 3 1 7\n4 5 6 0\n", k_xyz + "property list uchar int l\n"));
  EXPECT_EQ(file.size(), 2);
  EXPECT_EQ(file.warnings().size(), 1u);
  int blocks = 0;
  file.for_each_block([&](std::int64_t row, const Cloud& block) {
    EXPECT_EQ(row, 0);
    EXPECT_EQ(coordinates_of(block.points), k_points);
    ++blocks;
  });
  EXPECT_EQ(blocks, 1);
}

TEST_F(FileContentsTest, NoPointsAreNoBlock) {
  const FileContents file = open("a.ply", binary_ply("0", ""));
  EXPECT_EQ(file.size(), 0);
  file.for_each_block([](std::int64_t, const Cloud&) { FAIL(); });
}

TEST_F(FileContentsTest, ThePlyCommentThatNamesASystemCounts) {
  const std::string plain = ascii_ply("2", k_rows);
  EXPECT_FALSE(open("a.ply", plain).described().system);
  const std::string at = "element";
  for (const std::string line : {"comment made by x\ncomment crs: EPSG:25832\n", "obj_info EPSG:25832\n"}) {
    std::string named = plain;
    named.insert(named.find(at), line);
    const auto system = open("a.ply", named).described().system;
    ASSERT_TRUE(system) << line;
    EXPECT_EQ(system->epsg, 25832);
  }
}

}  // namespace
}  // namespace kann::formats
