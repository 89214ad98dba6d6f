// fvecs, fbin and KITTI's frames: what is in them, and what is wrong with them.
#include "formats/points/read_support.hpp"

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

TEST(ReadFvecs, TwoAndThreeDimensions) {
  const Cloud cloud = read_bytes("a.fvecs", fvecs(3, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_TRUE(is_float32(cloud.points));
  EXPECT_TRUE(cloud.warnings.empty());
  const Cloud flat = read_bytes("a.fvecs", fvecs(2, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(flat.points.dimensions, 2);
  EXPECT_EQ(coordinates_of(flat.points), k_points);
}

TEST(ReadFbin, TwoAndThreeDimensions) {
  EXPECT_EQ(coordinates_of(read_bytes("a.fbin", fbin(2, 3, k_floats)).points), k_points);
  const Cloud flat = read_bytes("a.fbin", fbin(3, 2, k_floats));
  EXPECT_EQ(flat.points.dimensions, 2);
  EXPECT_EQ(coordinates_of(flat.points), k_points);
  EXPECT_EQ(read_bytes("a.fbin", fbin(0, 3, "")).points.size(), 0);
}

TEST(ReadFbin, BytesAfterTheLastVectorAreAWarning) {
  const Cloud cloud = read_bytes("a.fbin", fbin(1, 3, k_floats));
  EXPECT_EQ(cloud.points.size(), 1);
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_TRUE(cloud.warnings[0].ends_with("a.fbin: 12 bytes after the last vector are not read")) << cloud.warnings[0];
}

TEST(ReadKitti, ByNameAloneWhateverTheExtension) {
  const std::string frame = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});
  for (const char* name : {"000000.bin", "frame", "a.ply", "a.kitti"})
    EXPECT_EQ(coordinates_of(read_bytes(name, frame, {.format = PointFormat::kitti}).points), k_points) << name;
  EXPECT_EQ(point_format("kitti"), PointFormat::kitti);
  EXPECT_FALSE(point_format("bin"));
}

TEST(ReadKitti, ColumnsHaveNames) {
  const std::string frame = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});
  const ReadOptions options{PointFormat::kitti, {"x", "y", "reflectance"}};
  EXPECT_EQ(coordinates_of(read_bytes("a.bin", frame, options).points), (std::vector<double>{1, 2, .5, 4, 5, .25}));
}

TEST(ReadVectors, LargeFilesAreReadTheSameOnAnyNumberOfThreads) {
  constexpr std::size_t per_block = (std::size_t{1} << 20) / 16;
  for (const std::size_t count : {per_block - 1, per_block, per_block + 1, 3 * per_block + 5}) {
    std::vector<float> numbers;
    for (std::size_t i = 0; i < 3 * count; ++i) numbers.push_back(static_cast<float>(i));
    const std::vector<double> expected(numbers.begin(), numbers.end());
    const std::string bytes = fvecs(3, numbers);
    std::string wrong = bytes;
    const std::size_t first = count / 3, second = count - 1;  // in different blocks
    for (const std::size_t row : {first, second}) wrong[16 * row] = '\2';
    for (const int threads : {1, 2, 5}) {
      EXPECT_TRUE(coordinates_of(read_bytes("a.fvecs", bytes, {.threads = threads}).points) == expected) << count;
      EXPECT_EQ(refusal("a.fvecs", wrong, {.threads = threads}), "a.fvecs@byte " + std::to_string(16 * first) +
                                                                     ": vector " + std::to_string(first) +
                                                                     " has another dimension than the first, 3");
    }
  }
}

struct VectorsCase {
  const char* name;
  const char* file;
  std::string bytes;
  std::string expected;
};
void PrintTo(const VectorsCase& c, std::ostream* out) { *out << c.name; }

class VectorsRefused : public testing::TestWithParam<VectorsCase> {};

TEST_P(VectorsRefused, SaysWhatIsWrong) {
  const VectorsCase& c = GetParam();
  const bool is_kitti = std::string(c.file).ends_with(".bin");
  const ReadOptions options{is_kitti ? std::optional(PointFormat::kitti) : std::nullopt};
  EXPECT_EQ(refusal(c.file, c.bytes, options), c.file + c.expected);
}

const std::string k_choose = "; choose among their numbers, e.g. with --columns 1,2,3";

INSTANTIATE_TEST_SUITE_P(
    All, VectorsRefused,
    testing::Values(
        VectorsCase{"FvecsCut", "a.fvecs", "abc", ": a dimension needs 4 bytes, file holds 3"},
        VectorsCase{"FvecsOfOne", "a.fvecs", fvecs(1, {1}), "@byte 0: the dimension of the vectors is 1 (need 2 or 3)"},
        VectorsCase{"FvecsOf128", "a.fvecs", fvecs(128, std::vector<float>(128)),
                    "@byte 0: the dimension of the vectors is 128 (need 2 or 3)" + k_choose},
        VectorsCase{"FvecsNegative", "a.fvecs", bytes_of(-1) + k_floats,
                    "@byte 0: the dimension of the vectors is 4294967295 (need 2 or 3)"},
        VectorsCase{"FvecsText", "a.fvecs", "1 2 3\n4 5 6\n",
                    "@byte 0: the dimension of the vectors is 540155953 (need 2 or 3)"},
        VectorsCase{"FvecsShort", "a.fvecs", fvecs(3, {1, 2, 3}).substr(0, 15),
                    ": vectors of dimension 3 need a multiple of 16 bytes, file holds 15"},
        VectorsCase{"FvecsMixed", "a.fvecs", fvecs(2, {1, 2}) + fvecs(3, {1, 2, 3}) + fvecs(2, {1, 2}) + "1234567",
                    ": vectors of dimension 2 need a multiple of 12 bytes, file holds 47"},
        VectorsCase{"FvecsDiffers", "a.fvecs", fvecs(3, {1, 2, 3}) + bytes_of(2) + k_floats.substr(0, 12),
                    "@byte 16: vector 1 has another dimension than the first, 3"},
        VectorsCase{"FbinCut", "a.fbin", "abcdefg", ": the fbin header needs 8 bytes, file holds 7"},
        VectorsCase{"FbinOfNothing", "a.fbin", fbin(2, 0, ""),
                    "@byte 4: the dimension of the vectors is 0 (need 2 or 3)"},
        VectorsCase{"FbinOf96", "a.fbin", fbin(1, 96, std::string(384, 'a')),
                    "@byte 4: the dimension of the vectors is 96 (need 2 or 3)" + k_choose},
        VectorsCase{"FbinShort", "a.fbin", fbin(20, 3, std::string(60, 'a')),
                    ": point count 20 needs 240 bytes, file holds 60"},
        VectorsCase{"FbinHuge", "a.fbin", fbin(4294967295u, 3, k_floats),
                    ": point count 4294967295 needs 51539607540 bytes, file holds 24"},
        VectorsCase{"KittiShort", "a.bin", k_floats,
                    ": KITTI's x, y, z and reflectance need a multiple of 16 bytes, file holds 24"}),
    CaseName());

TEST(VectorsRefused, ColumnsOfHugeVectors) {
  EXPECT_EQ(refusal("a.fbin", fbin(1, 1'048'577, "abcd"), {.columns = {"1", "2"}}),
            "a.fbin@byte 4: the dimension of the vectors is 1048577 (need 2 to 1048576)");
}

}  // namespace
}  // namespace kann::formats
