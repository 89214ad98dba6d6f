// The format of a file: the user's choice, else content that is certain, else the extension; others are refused by
// name.
#include "read_support.hpp"

namespace kann::io {

using namespace test;

namespace {

const std::string k_ply = ascii_ply("1", "1 2 3\n");
const std::string k_npy = "\x93NUMPY" + std::string("\x01\0\x3c\0", 4) +
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }\n" +
                          bytes_of_all<float>({1, 2, 3});
const std::vector<double> k_point = {1, 2, 3};

TEST(Sniff, NamesOfFormats) {
  EXPECT_EQ(point_format("ply"), PointFormat::ply);
  EXPECT_EQ(point_format("PLY"), PointFormat::ply);
  EXPECT_EQ(point_format("npy"), PointFormat::npy);
  for (const char* name : {"xyz", "txt", "csv", "Csv"}) EXPECT_EQ(point_format(name), PointFormat::text) << name;
  for (const char* name : {"", ".ply", "pl", "plyy", "las", "npz"}) EXPECT_FALSE(point_format(name)) << name;
}

TEST(Sniff, ContentOverridesTheExtension) {
  const std::tuple<const char*, std::string, const char*> cases[] = {
      {"a.xyz", k_ply, "/a.xyz: read as PLY, which its content is; its extension says text"},
      {"a.npy", k_ply, "/a.npy: read as PLY, which its content is; its extension says NPY"},
      {"a.ply", k_npy, "/a.ply: read as NPY, which its content is; its extension says PLY"},
      {"a.csv", k_npy, "/a.csv: read as NPY, which its content is; its extension says text"}};
  for (const auto& [name, bytes, warning] : cases) {
    const Cloud cloud = read_bytes(name, bytes);
    EXPECT_EQ(coordinates_of(cloud.points), k_point) << name;
    ASSERT_EQ(cloud.warnings.size(), 1u) << name;
    EXPECT_TRUE(cloud.warnings[0].ends_with(warning)) << cloud.warnings[0];
  }
}

TEST(Sniff, ExtensionsInAnyCase) {
  EXPECT_TRUE(read_bytes("A.PLY", k_ply).warnings.empty());
  EXPECT_TRUE(read_bytes("A.Xyz", "1 2 3\n").warnings.empty());
}

TEST(Sniff, ContentDecidesIfTheExtensionIsUnknown) {
  for (const char* name : {"cloud", "cloud.dat", "cloud.bin", "cloud.", ".ply", "ply"})
    for (const std::string& bytes : {k_ply, k_npy, std::string("1 2 3\n"), std::string("x,y,z\n1,2,3\n")}) {
      const Cloud cloud = read_bytes(name, bytes);
      EXPECT_EQ(coordinates_of(cloud.points), k_point) << name;
      EXPECT_TRUE(cloud.warnings.empty()) << name;
    }
}

TEST(Sniff, TheUsersChoiceOverridesTheRest) {
  EXPECT_EQ(coordinates_of(read_bytes("a.dat", "1 2 3\n", PointFormat::text).points), k_point);
  EXPECT_EQ(coordinates_of(read_bytes("a.npy", "1 2 3\n", PointFormat::text).points), k_point);
  EXPECT_EQ(refusal("a.xyz", "1 2 3\n", PointFormat::ply), "a.xyz:1: not a PLY file (got '1 2 3', need 'ply')");
  EXPECT_TRUE(refusal("a.ply", k_ply, PointFormat::npy).starts_with("a.ply@byte 0: not an NPY file"));
}

TEST(Sniff, AFormatThatCannotBeDeterminedIsRefusedWithTheOption) {
  for (const std::string& bytes : {std::string("hello\n"), std::string(200, '\0'), std::string("1\n2\n3\n")}) {
    const std::string message = refusal("cloud.dat", bytes, std::nullopt, ErrorKind::usage);
    EXPECT_EQ(message,
              "cloud.dat: cannot tell its format; name it with --data-format or --query-format "
              "(ply, xyz, txt, csv or npy)");
  }
}

TEST(Sniff, RawFloatsAreRefusedWithACommandThatConvertsThem) {
  const std::string kitti = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});
  for (const char* name : {"000000.bin", "a.BIN"})
    EXPECT_EQ(refusal(name, kitti),
              name + std::string(": raw float32 is not read; convert it with numpy, for four values a point: "
                                 "numpy.save(\"x.npy\", numpy.fromfile(\"x.bin\", \"f4\").reshape(-1, 4)[:, :3])"));
}

TEST(Sniff, TheCommandThatConvertsRawFloatsWorks) {
  if (!has_numpy()) GTEST_SKIP() << "Python has no numpy";
  const TemporaryFolder folder;
  put_contents(folder.file("x.bin"), bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f}));
  const std::string message = error_of([&] { read_points(folder.file("x.bin")); })->what();
  const std::string way = message.substr(message.find("numpy.save"));
  ASSERT_EQ(run_python("import os, sys, numpy; os.chdir(sys.argv[1]); " + way, folder.file("")), 0);
  EXPECT_EQ(coordinates_of(read_points(folder.file("x.npy")).points), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Sniff, APointCountIsPointedOutWhateverTheExtension) {
  for (const char* name : {"a.pts", "a.xyz", "a"})
    EXPECT_EQ(refusal(name, "2\n1 2 3 -50 255 0 0\n4 5 6 -60 0 255 0\n"),
              name + std::string(":1: row has 1 column (need 2 or more); a point count? remove that line"));
}

class UnsupportedFormat : public testing::TestWithParam<BytesCase> {};

TEST_P(UnsupportedFormat, IsNamedWithARemedy) {
  const std::string message = refusal(GetParam().name, GetParam().bytes);
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    ByContent, UnsupportedFormat,
    testing::Values(BytesCase{"gzip.xyz", "\x1f\x8b\x08zzz", "gzip is not read; decompress it first, e.g. with gunzip"},
                    BytesCase{"bzip2.ply", "BZh91AY", "with bunzip2"},
                    BytesCase{"xz.csv", std::string("\xfd\x37zXZ\0\0", 7), "with unxz"},
                    BytesCase{"zstd", "\x28\xb5\x2f\xfd\x04", "with unzstd"},
                    BytesCase{"zip.npy", "PK\x03\x04zzz", "zip or NPZ is not read; save the points with numpy.save"},
                    BytesCase{"las.xyz", "LASF\x01\x02", "pdal translate"},
                    BytesCase{"e57", "ASTM-E57\x01", "E57 is not read; convert it, e.g. with 'pdal translate"},
                    BytesCase{"pcd.xyz", "# .PCD v.7 - Point Cloud Data file format\n", "pcl_pcd2ply"},
                    BytesCase{"utf16.csv", std::string("\xfe\xff\0x\0,\0y", 8), "iconv"}));

INSTANTIATE_TEST_SUITE_P(
    ByExtension, UnsupportedFormat,
    testing::Values(BytesCase{"a.las", "zzz", "a.las: LAS or LAZ is not read"},
                    BytesCase{"a.LAZ", "zzz", "a.LAZ: LAZ is not read"}, BytesCase{"a.e57", "zzz", "E57"},
                    BytesCase{"a.pcd", "zzz", "PCD"}, BytesCase{"a.npz", "zzz", "zip or NPZ"},
                    BytesCase{"a.fvecs", "zzz", "fvecs is not read"}, BytesCase{"a.fbin", "zzz", "fbin is not read"},
                    BytesCase{"a.xyz.gz", "zzz", "gunzip"}, BytesCase{"a.ply.zst", "zzz", "unzstd"}));

}  // namespace
}  // namespace kann::io
