// Files of plain rows, which are read directly into the array, give the bytes of the file.
#include <fcntl.h>
#include <unistd.h>

#include "formats/cloud_rows.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr std::size_t k_head = std::size_t{1} << 16, k_chunk = std::size_t{4} << 20;  // as in input.cpp

std::string random_rows(std::size_t count) {
  Random r(3);
  std::string bytes;
  for (std::size_t i = 0; i < 3 * count; ++i) bytes += bytes_of(static_cast<float>(r.uniform()));
  return bytes;
}

std::string plain_ply(std::size_t count, const std::string& properties = k_xyz) {
  return binary_ply(std::to_string(count), random_rows(count), properties);
}

const std::string k_doubles = "property double x\nproperty double y\nproperty double z\n";

/// Whether a cloud has these bytes as coordinates.
bool has_bytes(const Cloud& cloud, const std::string& bytes) {
  const auto& floats = std::get<Array<float>>(cloud.points.coordinates);
  return bytes == std::string_view(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
}

TEST(ReadPlain, GivesTheBytesOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, k_head / 12 - 20, k_head / 12, k_head / 12 + 1, k_chunk / 12,
        (k_head + k_chunk) / 12, (k_head + k_chunk) / 12 + 1, 3 * k_chunk / 12}) {
    put_contents(path, plain_ply(count));
    const Cloud cloud = read_points(path);
    EXPECT_TRUE(has_bytes(cloud, random_rows(count))) << count;
    EXPECT_EQ(cloud.points.size(), count);
    EXPECT_TRUE(cloud.warnings.empty());
  }
}

TEST(ReadPlain, TakesDoublesTwoDimensionsCommentsAndEmptyElements) {
  const std::string rows = random_rows(20);
  EXPECT_EQ(coordinates_of(read_bytes("a.ply", binary_ply("10", rows, k_doubles)).points).size(), 30u);

  const std::string flat = "comment dimensions 2\nproperty float x\nproperty float y\n";
  EXPECT_EQ(read_bytes("a.ply", binary_ply("30", rows, flat)).points.dimensions, 2);

  const std::string faces = k_xyz + "element face 0\nproperty list uchar int vertex_indices\n";
  EXPECT_EQ(read_bytes("a.ply", binary_ply("20", rows, faces)).points.size(), 20);
}

TEST(ReadPlain, AHeaderMayBeLongerThanTheHead) {
  const std::string comment = "comment " + std::string(2 * k_head, 'c') + "\n";
  EXPECT_EQ(read_bytes("a.ply", binary_ply("20", random_rows(20), comment + k_xyz)).points.size(), 20);
}

TEST(ReadPlain, ABodyMayHaveAnotherLength) {
  const std::string bytes = plain_ply(10'000);
  EXPECT_EQ(refusal("a.ply", bytes.substr(0, bytes.size() - 3)),
            "a.ply: vertex count 10000 needs 120000 bytes, file holds 119997");
  const Cloud cloud = read_bytes("a.ply", bytes + "tail");
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_TRUE(cloud.warnings[0].ends_with("a.ply: 4 bytes after the last element are not read")) << cloud.warnings[0];
  EXPECT_EQ(cloud.points.size(), 10'000);
  EXPECT_TRUE(read_bytes("a.ply", bytes + "\n").warnings.empty());
}

TEST(ReadPlain, NpyHasTheBytesOfTheFile) {
  const auto npy = [](const std::string& descr, const std::string& order, std::size_t rows) {
    std::string text =
        "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + std::to_string(rows) + ", 3), }\n";
    return "\x93NUMPY" + std::string("\x01\0", 2) + bytes_of(static_cast<std::uint16_t>(text.size())) + text;
  };
  const std::string body = random_rows(20'000);
  const Cloud cloud = read_bytes("a.npy", npy("<f4", "False", 20'000) + body);
  EXPECT_TRUE(has_bytes(cloud, body));
}

class ReadPlainFile : public testing::Test {
 protected:
  ReadPlainFile() { put_contents(path_, bytes_); }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("a.ply"), bytes_ = plain_ply(k_chunk / 6);
};

TEST_F(ReadPlainFile, ThatShrinksIsRefused) {
  for (const std::size_t left : {bytes_.size() - 1, bytes_.size() / 2, k_head - 1, std::size_t{1}}) {
    put_contents(path_, bytes_);
    auto input = std::make_shared<Input>(path_);
    std::filesystem::resize_file(path_, left);
    const auto error = error_of([&] { open_table(std::move(input), PointFormat::ply, {})->read(); });
    ASSERT_TRUE(error) << left;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(std::string(error->what()), path_ + ": the file shrank while it was read (got " +
                                              std::to_string(std::max(left, k_head)) + " bytes, need " +
                                              std::to_string(bytes_.size()) + ")");
  }
}

TEST_F(ReadPlainFile, ThatGrowsIsReadAsItWas) {
  auto input = std::make_shared<Input>(path_);
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(open_table(std::move(input), PointFormat::ply, {})->read().points.size(), k_chunk / 6);
}

TEST_F(ReadPlainFile, OnStandardInputThatIsPartlyRead) {
  put_contents(path_, "not points\n" + bytes_);
  const int old = dup(STDIN_FILENO), file = open(path_.c_str(), O_RDONLY);
  lseek(file, 11, SEEK_SET);
  dup2(file, STDIN_FILENO);
  const Cloud cloud = read_points("-", {PointFormat::ply});
  dup2(old, STDIN_FILENO);
  close(old);
  close(file);
  EXPECT_TRUE(has_bytes(cloud, random_rows(k_chunk / 6)));
}

}  // namespace
}  // namespace kann::formats
