// Files of plain rows, read directly into the array, give what the strict reader gives.
#include <fcntl.h>
#include <unistd.h>

#include "formats/plain_rows.hpp"
#include "formats/ply/ply_reader.hpp"
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

bool is_plain(const std::string& bytes) { return plain_ply_rows(bytes, "a.ply").has_value(); }

TEST(ReadPlain, GivesWhatTheStrictReaderGives) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, k_head / 12 - 20, k_head / 12, k_head / 12 + 1, k_chunk / 12,
        (k_head + k_chunk) / 12, (k_head + k_chunk) / 12 + 1, 3 * k_chunk / 12}) {
    const std::string bytes = plain_ply(count);
    put_contents(path, bytes);
    EXPECT_TRUE(is_plain(bytes));
    const Cloud cloud = read_points(path), strict = read_ply(bytes, path);
    EXPECT_TRUE(cloud.points.coordinates == strict.points.coordinates) << count;
    EXPECT_EQ(cloud.points.size(), count);
    EXPECT_TRUE(cloud.warnings.empty());
  }
}

TEST(ReadPlain, TakesDoublesTwoDimensionsCommentsAndEmptyElements) {
  const std::string rows = random_rows(20);
  EXPECT_EQ(coordinates_of(read_bytes("a.ply", binary_ply("10", rows, k_doubles)).points).size(), 30u);
  EXPECT_TRUE(is_plain(binary_ply("10", rows, k_doubles)));

  const std::string flat = "comment dimensions 2\nproperty float x\nproperty float y\n";
  EXPECT_TRUE(is_plain(binary_ply("30", rows, flat)));
  EXPECT_EQ(read_bytes("a.ply", binary_ply("30", rows, flat)).points.dimensions, 2);

  const std::string faces = k_xyz + "element face 0\nproperty list uchar int vertex_indices\n";
  EXPECT_TRUE(is_plain(binary_ply("20", rows, faces)));
  EXPECT_EQ(read_bytes("a.ply", binary_ply("20", rows, faces)).points.size(), 20);
}

TEST(ReadPlain, LeavesTheRestToTheStrictReader) {
  const std::string rows = random_rows(20);
  for (const std::string& bytes : {
           ply("binary_big_endian", "20", k_xyz, rows),
           ascii_ply("1", "1 2 3\n"),
           binary_ply("15", rows, k_xyz + "property float w\n"),
           binary_ply("20", rows, "property float z\nproperty float y\nproperty float x\n"),
           binary_ply("12", rows, "property float x\nproperty double y\nproperty double z\n"),
           binary_ply("20", rows, "property int x\nproperty int y\nproperty int z\n"),
           binary_ply("19", rows, k_xyz + "element face 1\nproperty float f\n"),
           binary_ply("20", rows).substr(0, 100),
           binary_ply("20", "").substr(0, binary_ply("20", "").size() - 1),  // ends within end_header's line
           std::string("no PLY"),
       })
    EXPECT_FALSE(is_plain(bytes)) << bytes.substr(0, 200);
}

TEST(ReadPlain, AHeaderLongerThanTheHeadIsReadByTheStrictReader) {
  const std::string comment = "comment " + std::string(2 * k_head, 'c') + "\n";
  EXPECT_EQ(read_bytes("a.ply", binary_ply("20", random_rows(20), comment + k_xyz)).points.size(), 20);
}

TEST(ReadPlain, ABodyOfAnotherLengthIsLeftToTheStrictReader) {
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
  const auto& floats = std::get<Array<float>>(cloud.points.coordinates);
  EXPECT_EQ(std::memcmp(floats.data(), body.data(), body.size()), 0);
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
    Input input(path_);
    std::filesystem::resize_file(path_, left);
    const auto error = error_of([&] { read_plain(input, *plain_ply_rows(input.head(), path_)); });
    ASSERT_TRUE(error) << left;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(std::string(error->what()), path_ + ": the file shrank while it was read (got " +
                                              std::to_string(std::max(left, k_head)) + " bytes, need " +
                                              std::to_string(bytes_.size()) + ")");
  }
}

TEST_F(ReadPlainFile, ThatGrowsIsReadAsItWas) {
  Input input(path_);
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(read_plain(input, *plain_ply_rows(input.head(), path_)).value().size(), k_chunk / 6);
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
  EXPECT_TRUE(cloud.points.coordinates == read_ply(bytes_, "a").points.coordinates);
}

}  // namespace
}  // namespace kann::formats
