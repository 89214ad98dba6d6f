// Damaged files are read or refused: 2,000 seeded mutations of a small file of each kind, and every truncation of it.
#include "formats/points/las/las_support.hpp"
#include "formats/points/numpy/npz_support.hpp"
#include "formats/points/pcd/pcd_support.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

struct Seed {
  const char* name;
  std::string file;
  std::string bytes;
};
void PrintTo(const Seed& s, std::ostream* out) { *out << s.name; }

std::vector<Seed> seeds() {
  const std::string floats = bytes_of_all<float>({1, 2, 3, 4, 5, 6});
  return {
      {"PlyAscii", "a.ply",
       "ply\nformat ascii 1.0\ncomment c\nelement vertex 2\n" + k_xyz +
           "property uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
           "1 2 3 255\n-4.5 5e3 inf 0\n3 0 1 0\n"},
      {"PlyLittle", "a.ply", binary_ply("2", floats)},
      {"PlyBig", "a.ply", ply("binary_big_endian", "2", k_xyz, bytes_of_all<float>({1, 2, 3, 4, 5, 6}, true))},
      {"PlyFacesFirst", "a.ply",
       "ply\nformat binary_little_endian 1.0\nelement face 2\nproperty list uchar int vertex_indices\n"
       "element vertex 2\n" +
           k_xyz + "end_header\n\x03" + bytes_of_all<int>({0, 1, 1}) + std::string(1, '\0') + floats},
      {"PlyListInVertex", "a.ply",
       binary_ply("2", "\x01z" + bytes_of_all<float>({1, 2, 3}) + "\x02zz" + bytes_of_all<float>({4, 5, 6}),
                  "property list char char l\n" + k_xyz)},
      {"Las", "a.las", las()},
      {"Las14", "a.las", las({.minor = 4, .format = 6, .record = 33, .records = "between", .tail = "tail"})},
      {"Fvecs", "a.fvecs", bytes_of(3) + floats.substr(0, 12) + bytes_of(3) + floats.substr(12)},
      {"Fbin", "a.fbin", bytes_of(2) + bytes_of(3) + floats},
      {"Kitti", "a.kitti", floats + bytes_of_all<float>({7, 8})},
      {"NpzStored", "a.npz",
       zip({{.name = "name.npy", .content = npy_array("'<U1'", "()", "name")},
            {.name = "a.npy", .content = npy_array("'<f4'", "(2, 3)", floats)}},
           true)},
      {"NpzDeflated", "a.npz",
       zip({{.name = "README", .content = std::string(200, 'a')},
            {.name = "points.npy", .content = npy_array("'<f4'", "(2, 3)", floats), .method = 8, .is_64 = true}})},
      {"PcdAscii", "a.pcd",
       pcd("ascii", "2", "9 1 2 3 4 5\n8 -4.5 5e3 nan 4 5\n",
           "FIELDS i x y z n\nSIZE 1 4 8 4 4\nTYPE U F F F F\nCOUNT 1 1 1 1 2\n")},
      {"PcdBinary", "a.pcd", pcd("binary", "2", floats)},
      {"PcdCompressed", "a.pcd",
       pcd("binary_compressed", "2", compressed_body(lzf_literals(floats.substr(0, 20)) + "\x40\x03", 24))},
      {"Text", "a.xyz", "x y z label\n1 2 3 a\n-4.5 5e3 nan b\n# c\n"},
      {"Csv", "a.csv", "1,2,3\r\n4,5,6\r\n"},
      {"CommentHeader", "a.xyz", "# made by X\n# id pos_x pos_y pos_z\n7 1 2 3\n8 NA 5 6\n"},
      {"Tabs", "a.csv", "\tx\ty\tz\n0\t1\t2\t3\n1\t\t5\t6\n\t\t\t\n"},
      {"NpyFields", "a.npy",
       "\x93NUMPY" + std::string("\x01\0\x6e\0", 4) +
           "{'descr': [('x', '<f4'), ('', '|V1'), ('y', '<f4'), ('z', '>i2', )], 'fortran_order': False, 'shape': "
           "(2,), "
           "}\n" +
           floats.substr(0, 22)},
      {"Npy", "a.npy",
       "\x93NUMPY" + std::string("\x01\0\x3c\0", 4) + "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n" +
           floats},
  };
}

/// One to four bit flips, cuts, insertions or copies of a part.
std::string mutated(std::string bytes, Random& random) {
  static const char* const k_words[] = {"-1",    "4294967295", "18446744073709551615", "end_header\n", "\n",
                                        "list ", "\xff"};
  for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(bytes.size() + 1);
    switch (random.below(5)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, k_words[random.below(std::size(k_words))]);
        break;
      case 3:
        bytes.erase(at, random.below(8));
        break;
      default:
        bytes.insert(random.below(bytes.size() + 1), bytes.substr(at, random.below(30)));
    }
  }
  return bytes;
}

class Mutations : public testing::TestWithParam<Seed> {
 protected:
  /// Reads the bytes with and without the user's choice of a format and of columns. Only Errors of these kinds may be
  /// thrown.
  void read(const std::string& bytes) {
    std::filesystem::remove(path_);  // ext4 flushes a file that is truncated and rewritten: ten times slower
    put_contents(path_, bytes);
    for (const ReadOptions& options :
         {ReadOptions{}, ReadOptions{point_format(GetParam().file.substr(2))}, ReadOptions{{}, {"3", "x"}}}) {
      try {
        const Cloud cloud = read_points(path_, options);
        EXPECT_EQ(coordinates_of(cloud.points).size() % static_cast<std::size_t>(cloud.points.dimensions), 0u);
        ++read_;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
        ++refused_;
      }
    }
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file(GetParam().file);
  int read_ = 0;
  int refused_ = 0;
};

TEST_P(Mutations, AreReadOrRefused) {
  Random random(11);
  for (int i = 0; i < 2000; ++i) read(mutated(GetParam().bytes, random));
  EXPECT_GT(read_, 100);
  EXPECT_GT(refused_, 100);
}

TEST_P(Mutations, TruncationsAreReadOrRefused) {
  for (std::size_t size = 0; size <= GetParam().bytes.size(); ++size) read(GetParam().bytes.substr(0, size));
  EXPECT_GT(read_, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Mutations, testing::ValuesIn(seeds()), CaseName());

}  // namespace
}  // namespace kann::formats
