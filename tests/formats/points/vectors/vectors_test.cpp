// fvecs, fbin and KITTI's frames: what is in them, and what is wrong with them.
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// Each row of `dimension` numbers after its dimension.
std::string fvecs(std::int32_t dimension, const std::vector<float>& numbers) {
  std::string bytes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % static_cast<std::size_t>(dimension) == 0) bytes += bytes_of(dimension);
    bytes += bytes_of(numbers[i]);
  }
  return bytes;
}

std::string fbin(std::uint32_t count, std::uint32_t dimension, const std::string& rows) {
  return bytes_of(count) + bytes_of(dimension) + rows;
}

TEST(ReadVectors, TwoAndThreeDimensions) {
  const GoodFile fvecs_files[] = {{"Three", fvecs(3, {1, 2, 3, 4, 5, 6})},
                                  {"Two", fvecs(2, {1, 2, 3, 4, 5, 6}), "", k_points, 2}};
  const GoodFile fbin_files[] = {{"Three", fbin(2, 3, k_floats)},
                                 {"Two", fbin(3, 2, k_floats), "", k_points, 2},
                                 {"None", fbin(0, 3, ""), "", {}}};
  expect_good({"a.fvecs"}, fvecs_files);
  expect_good({"a.fbin"}, fbin_files);
}

TEST(ReadFbin, BytesAfterTheLastVectorAreAWarning) {
  EXPECT_EQ(points_in("a.fbin", fbin(1, 3, k_floats)), (Numbers{1, 2, 3}));
  EXPECT_EQ(warnings_in("a.fbin", fbin(1, 3, k_floats)), Lines{"a.fbin: 12 bytes after the last vector are not read"});
}

const std::string k_frame = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});

TEST(ReadKitti, ByNameAloneWhateverTheExtension) {
  for (const char* name : {"000000.bin", "frame", "a.ply", "a.kitti"})
    EXPECT_EQ(points_in(name, k_frame, {.format = PointFormat::kitti}), k_points) << name;
  EXPECT_EQ(point_format("kitti"), PointFormat::kitti);
  EXPECT_FALSE(point_format("bin"));
}

TEST(ReadKitti, ColumnsHaveNames) {
  const ReadOptions options{PointFormat::kitti, {"x", "y", "reflectance"}};
  EXPECT_EQ(points_in("a.bin", k_frame, options), (Numbers{1, 2, .5, 4, 5, .25}));
}

/// Rows of another dimension, in different blocks; the rest of large files is in ways_test.cpp.
TEST(ReadVectors, TheFirstWrongRowIsSaidOnAnyNumberOfThreads) {
  const std::size_t count = 3 * ((std::size_t{1} << 20) / 16) + 5;
  std::string wrong = fvecs(3, std::vector<float>(3 * count));
  for (const std::size_t row : {count / 3, count - 1}) wrong[16 * row] = '\2';
  for (const int threads : {1, 2, 5})
    EXPECT_EQ(refusal("a.fvecs", wrong, {.threads = threads}), "a.fvecs@byte " + std::to_string(16 * (count / 3)) +
                                                                   ": vector " + std::to_string(count / 3) +
                                                                   " has another dimension than the first, 3");
}

const std::string k_choose = "; choose among their numbers, e.g. with --columns 1,2,3";

const RefusedFile k_refused_fvecs[] = {
    {"FvecsCut", "abc", ": a dimension needs 4 bytes, file holds 3"},
    {"FvecsOfOne", fvecs(1, {1}), "@byte 0: the dimension of the vectors is 1 (need 2 or 3)"},
    {"FvecsOf128", fvecs(128, std::vector<float>(128)),
     "@byte 0: the dimension of the vectors is 128 (need 2 or 3)" + k_choose},
    {"FvecsNegative", bytes_of(-1) + k_floats, "@byte 0: the dimension of the vectors is 4294967295 (need 2 or 3)"},
    {"FvecsText", "1 2 3\n4 5 6\n", "@byte 0: the dimension of the vectors is 540155953 (need 2 or 3)"},
    {"FvecsShort", fvecs(3, {1, 2, 3}).substr(0, 15),
     ": vectors of dimension 3 need a multiple of 16 bytes, file holds 15"},
    {"FvecsMixed", fvecs(2, {1, 2}) + fvecs(3, {1, 2, 3}) + fvecs(2, {1, 2}) + "1234567",
     ": vectors of dimension 2 need a multiple of 12 bytes, file holds 47"},
    {"FvecsDiffers", fvecs(3, {1, 2, 3}) + bytes_of(2) + k_floats.substr(0, 12),
     "@byte 16: vector 1 has another dimension than the first, 3"},
};

const RefusedFile k_refused_fbin[] = {
    {"FbinCut", "abcdefg", ": the fbin header needs 8 bytes, file holds 7"},
    {"FbinOfNothing", fbin(2, 0, ""), "@byte 4: the dimension of the vectors is 0 (need 2 or 3)"},
    {"FbinOf96", fbin(1, 96, std::string(384, 'a')),
     "@byte 4: the dimension of the vectors is 96 (need 2 or 3)" + k_choose},
    {"FbinShort", fbin(20, 3, std::string(60, 'a')), ": point count 20 needs 240 bytes, file holds 60"},
    {"FbinHuge", fbin(4294967295u, 3, k_floats), ": point count 4294967295 needs 51539607540 bytes, file holds 24"},
};

const RefusedFile k_refused_kitti[] = {
    {"KittiShort", k_floats, ": KITTI's x, y, z and reflectance need a multiple of 16 bytes, file holds 24"},
};

TEST(VectorsRefused, SaysWhatIsWrong) {
  expect_refusals("a.fvecs", k_refused_fvecs);
  expect_refusals("a.fbin", k_refused_fbin);
  expect_refusals("a.bin", k_refused_kitti, {.format = PointFormat::kitti});
}

TEST(VectorsRefused, ColumnsOfHugeVectors) {
  EXPECT_EQ(refusal("a.fbin", fbin(1, 1'048'577, "abcd"), {.columns = {"1", "2"}}),
            "a.fbin@byte 4: the dimension of the vectors is 1048577 (need 2 to 1048576)");
}

}  // namespace
}  // namespace kann::formats
