// Clouds that are read in parts have the points of clouds that are read as a whole.
#include "io/points/cloud_rows.hpp"

#include "read_support.hpp"

namespace kann::io {

using namespace test;

namespace {

/// All points, `part` at a time.
std::vector<double> in_parts(const CloudRows& rows, std::int64_t part) {
  std::vector<double> all;
  for (std::int64_t first = 0; first < rows.size(); first += part) {
    const std::vector<double> some = coordinates_of(rows.read(first, std::min(part, rows.size() - first)));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void expect_the_same(const std::string& path, const ReadOptions& options = {}) {
  const Cloud whole = read_points(path, options);
  const auto rows = CloudRows::open(path, options);
  ASSERT_TRUE(rows) << path;
  EXPECT_EQ(rows->size(), whole.points.size()) << path;
  EXPECT_EQ(rows->dimensions(), whole.points.dimensions) << path;
  EXPECT_EQ(rows->is_float64(), !is_float32(whole.points)) << path;
  EXPECT_EQ(rows->columns(), whole.columns) << path;
  const std::vector<double> want = coordinates_of(whole.points);
  for (const std::int64_t part : {std::int64_t{7}, rows->size() / 3 + 1, rows->size()}) {
    const std::vector<double> got = in_parts(*rows, part);
    ASSERT_EQ(got.size(), want.size());
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(double)), 0) << path << " by " << part;
  }
}

std::string ply(const std::string& order, const std::string& elements, const std::string& body) {
  return "ply\nformat binary_" + order + "_endian 1.0\n" + elements + "end_header\n" + body;
}

const std::string k_vertices =
    "element vertex 4\nproperty uchar class\nproperty double z\nproperty float x\nproperty short y\n";

std::string vertex_rows(bool is_big) {
  std::string body;
  for (int i = 0; i < 4; ++i)
    body += bytes_of(std::uint8_t(i)) + bytes_of(i + .1, is_big) + bytes_of(2.5f * i, is_big) +
            bytes_of(std::int16_t(-i), is_big);
  return body;
}

TEST(CloudRows, OfPly) {
  const TemporaryFolder folder;
  const std::string before = "element sensor 2\nproperty int id\n";
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? "big" : "little";
    put_contents(folder.file("a.ply"), ply(order, k_vertices, vertex_rows(is_big)));
    expect_the_same(folder.file("a.ply"));
    expect_the_same(folder.file("a.ply"), {.columns = {"y", "x"}});
    put_contents(folder.file("b.ply"), ply(order, before + k_vertices, std::string(8, '\0') + vertex_rows(is_big)));
    expect_the_same(folder.file("b.ply"));
  }
}

TEST(CloudRows, OfNpy) {
  const TemporaryFolder folder;
  const auto npy = [](std::string header, const std::string& body) {
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + body;
  };
  put_contents(folder.file("a.npy"), npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                                         bytes_of_all<float>({1, 2, 3, 4, 5, 6})));
  expect_the_same(folder.file("a.npy"));
  put_contents(folder.file("b.npy"),
               npy("{'descr': [('c', '<u2'), ('x', '>f8'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,), }",
                   bytes_of(std::uint16_t(7)) + bytes_of(1.5, true) + bytes_of(2.5f)));
  expect_the_same(folder.file("b.npy"));
  put_contents(folder.file("c.npy"), npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
                                         bytes_of_all<double>({1, 2, 3, 4, 5, 6})));
  EXPECT_FALSE(CloudRows::open(folder.file("c.npy"), {})) << "its columns are apart";
}

TEST(CloudRows, LeaveToTheStrictReaderWhatIsNoFixedRows) {
  const TemporaryFolder folder;
  const auto is_left = [&](const std::string& name, const std::string& bytes) {
    put_contents(folder.file(name), bytes);
    return !CloudRows::open(folder.file(name), {});
  };
  EXPECT_TRUE(is_left("a.xyz", "1 2 3\n"));
  EXPECT_TRUE(is_left("a.ply",
                      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                      "property float z\nend_header\n1 2 3\n"));
  EXPECT_TRUE(
      is_left("b.ply", ply("little", k_vertices + "element face 0\nproperty list uchar int i\n", vertex_rows(false))));
  const auto refusal_of = [&](const std::string& bytes) {
    put_contents(folder.file("c.ply"), bytes);
    const auto error = error_of([&] { CloudRows::open(folder.file("c.ply"), {}); });
    return error ? std::string(error->what()).substr(folder.file("").size()) : "opened";
  };
  EXPECT_EQ(refusal_of(ply("little", k_vertices, vertex_rows(false).substr(1))),
            "c.ply: point count 4 needs 60 bytes, file holds 59");
  EXPECT_EQ(refusal_of("ply\nformat nonsense"), refusal("c.ply", "ply\nformat nonsense"));
  EXPECT_FALSE(CloudRows::open("-", {}));
}

TEST(CloudRows, OfRealClouds) {
  const std::filesystem::path shared = KANN_SHARED_DATA;
  if (!std::filesystem::is_directory(shared)) GTEST_SKIP() << shared << " is missing: no real clouds to read";
  for (const char* name : {"orig_autzen_trim.las", "dem_sthelens_utm_f64_148885.ply", "bunny_35947.ply"})
    expect_the_same((shared / name).string());
  expect_the_same((shared / "orig_autzen_trim.las").string(), {.columns = {"z", "x"}});
}

}  // namespace
}  // namespace kann::io
