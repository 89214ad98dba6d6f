// The format of a file: the user's choice, else content that is certain, else the extension; others are refused by
// name.
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "formats/formats.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_ply = ascii_ply("1", "1 2 3\n");
const std::string k_npy = "\x93NUMPY" + std::string("\x01\0\x3c\0", 4) +
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }\n" +
                          bytes_of_all<float>({1, 2, 3});
const std::string k_pcd =
    "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n";
const std::vector<double> k_point = {1, 2, 3};

TEST(Sniff, NamesOfFormats) {
  EXPECT_EQ(point_format("ply"), PointFormat::ply);
  EXPECT_EQ(point_format("PLY"), PointFormat::ply);
  EXPECT_EQ(point_format("npy"), PointFormat::npy);
  EXPECT_EQ(point_format("npz"), PointFormat::npz);
  EXPECT_EQ(point_format("pcd"), PointFormat::pcd);
  EXPECT_EQ(point_format("las"), PointFormat::las);
  EXPECT_EQ(point_format("laz"), PointFormat::laz);
  EXPECT_EQ(point_format("fvecs"), PointFormat::fvecs);
  EXPECT_EQ(point_format("fbin"), PointFormat::fbin);
  EXPECT_EQ(point_format("kitti"), PointFormat::kitti);
  for (const char* name : {"xyz", "txt", "csv", "Csv"}) EXPECT_EQ(point_format(name), PointFormat::text) << name;
  for (const char* name : {"", ".ply", "pl", "plyy", ".pcd"}) EXPECT_FALSE(point_format(name)) << name;
}

TEST(Sniff, ContentOverridesTheExtension) {
  const std::tuple<const char*, std::string, const char*> cases[] = {
      {"a.xyz", k_ply, "/a.xyz: read as PLY, as its content says, though its extension says text"},
      {"a.npy", k_ply, "/a.npy: read as PLY, as its content says, though its extension says NPY"},
      {"a.ply", k_npy, "/a.ply: read as NPY, as its content says, though its extension says PLY"},
      {"a.csv", k_npy, "/a.csv: read as NPY, as its content says, though its extension says text"},
      {"a.ply", k_pcd, "/a.ply: read as PCD, as its content says, though its extension says PLY"},
      {"a.pcd", k_npy, "/a.pcd: read as NPY, as its content says, though its extension says PCD"}};
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
    for (const std::string& bytes : {k_ply, k_npy, k_pcd, std::string("1 2 3\n"), std::string("x,y,z\n1,2,3\n")}) {
      const Cloud cloud = read_bytes(name, bytes);
      EXPECT_EQ(coordinates_of(cloud.points), k_point) << name;
      EXPECT_TRUE(cloud.warnings.empty()) << name;
    }
}

TEST(Sniff, TheUsersChoiceOverridesTheRest) {
  EXPECT_EQ(coordinates_of(read_bytes("a.dat", "1 2 3\n", {PointFormat::text}).points), k_point);
  EXPECT_EQ(coordinates_of(read_bytes("a.npy", "1 2 3\n", {PointFormat::text}).points), k_point);
  EXPECT_EQ(refusal("a.xyz", "1 2 3\n", {PointFormat::ply}), "a.xyz:1: not a PLY file (got '1 2 3', need 'ply')");
  EXPECT_EQ(refusal("a.ply", k_ply, {PointFormat::npy}),
            "a.ply: it begins as a file of PLY does, but --data-format or --query-format says NPY");
}

TEST(Sniff, AFormatThatCannotBeDeterminedIsRefusedWithTheOption) {
  for (const std::string& bytes : {std::string("hello\n"), std::string(200, '\0'), std::string("1\n2\n3\n")}) {
    const std::string message = refusal("cloud.dat", bytes, {}, ErrorKind::usage);
    EXPECT_EQ(message,
              "cloud.dat: cannot tell its format; name it with --data-format or --query-format "
              "(ply, xyz, txt, csv, tsv, npy, npz, pcd, las, laz, fvecs, fbin or kitti)");
  }
}

TEST(Sniff, AMeshIsNotReadAsItsCountsAndPoints) {
  for (const char* name : {"a.off", "a.txt", "a"})
    for (const char* first : {"OFF", "COFF", "STNOFF"})
      for (const char* end : {"\n", "\r\n"})
        EXPECT_NE(refusal(name, std::string(first) + end + "3 0 0\n0 0 0\n1 0 0\n0 1 0\n").find(": OFF is not read; "),
                  std::string::npos)
            << name << first;
  EXPECT_EQ(coordinates_of(read_bytes("a.txt", "TAKE OFF NOW THEN\n1 2 3\n").points), k_point);
}

TEST(Sniff, GeographicFormatsAreRefusedWithACommand) {
  const std::string features = R"({"type": "FeatureCollection", "features": []})";
  EXPECT_TRUE(refusal("a", std::string("MM\0*\0\0\0\x08", 8)).starts_with("a: GeoTIFF is not read; convert it: "));
  EXPECT_TRUE(refusal("a.json", features).starts_with("a.json: GeoJSON is not read; convert it: "));
  EXPECT_TRUE(refusal("a.shp", std::string("\0\0\x27\x0a\0\0", 6)).starts_with("a.shp: a shapefile is not read; "));
  EXPECT_TRUE(
      refusal("a.gpkg", std::string("SQLite format 3\0\x10", 17)).starts_with("a.gpkg: GeoPackage is not read; "));
}

/// The text without the temporary folder that its file names are in.
std::string without_folders(const std::string& text) {
  return std::regex_replace(text, std::regex("/tmp/kann_write_[^/]*/"), "");
}

TEST(Sniff, RawFloatsAreRefusedWithACommandThatConvertsThem) {
  const std::string kitti = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});
  for (const char* name : {"000000.bin", "a.BIN"})
    EXPECT_EQ(
        without_folders(refusal(name, kitti)),
        fmt::format("{0}: raw float32 is not read; KITTI's frames are read with --data-format or --query-format kitti; "
                    "convert others with numpy, for four values per point: "
                    "numpy.save(\"{1}.npy\", numpy.fromfile(\"{0}\", \"f4\").reshape(-1, 4)[:, :3])",
                    name, std::string(name).substr(0, std::string(name).find('.'))));
}

/// The guide gives the same commands as the program. Formats that share a command share a row, written for the first.
TEST(Sniff, TheGuideHasEveryCommand) {
  std::ifstream file(KANN_DATA "/../docs/guide/clouds.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::set<std::pair<std::string_view, bool>> commands;  // the hint, and whether it is for a table
  for (const Format& format : known_formats()) {
    const std::string hint = format.hint_for("stdin", "");
    const std::size_t colon = hint.find(": ");
    if (colon == std::string::npos || !commands.emplace(format.hint, format.is_table).second) continue;
    EXPECT_NE(page.find(hint.substr(colon + 2)), std::string::npos) << hint;
  }
  EXPECT_GE(commands.size(), 5u);
}

/// Formats are told apart by extension and first bytes, so no two may share any.
TEST(Sniff, NoTwoFormatsHaveAnExtensionOrAMagicInCommon) {
  std::vector<std::string_view> extensions, magics;
  for (const Format& format : known_formats()) {
    const bool is_always_read = format.reader && !format.has_library;
    EXPECT_NE(is_always_read, !format.hint.empty()) << format.title;
    for (const std::string_view e : format.extensions)
      if (!e.empty()) extensions.push_back(e);
    for (const std::string_view m : format.magics)
      if (!m.empty()) magics.push_back(m);
  }
  for (std::size_t i = 0; i < extensions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(extensions[i], extensions[j]);
  for (std::size_t i = 0; i < magics.size(); ++i)
    for (std::size_t j = 0; j < magics.size(); ++j) EXPECT_TRUE(i == j || !magics[i].starts_with(magics[j]));
}

TEST(Sniff, ATableWithPointsInWktIsReadByOtherColumns) {
  const std::string named = "WKT,x,y\n\"POINT Z (7 8 9)\",1,2\n", chosen = "WKT,u,v\nPOINT (7 8),1,2\n";
  EXPECT_EQ(coordinates_of(read_bytes("a.csv", named).points), (std::vector<double>{1, 2}));
  EXPECT_EQ(coordinates_of(read_bytes("a.csv", chosen, {.columns = {"u", "v"}}).points), (std::vector<double>{1, 2}));
}

TEST(Sniff, TextAfterACountIsTextWhateverTheExtension) {
  for (const char* name : {"a.pts", "a.xyz", "a"})
    EXPECT_EQ(
        refusal(name, "2\n1 2 3 -50 255 0 0\n4 5 6 -60 0 255 0\n"),
        name + std::string(":2: row has 7 columns without names; say which are coordinates, e.g. --columns 1,2,3"));
}

class UnsupportedFormat : public testing::TestWithParam<BytesCase> {};

TEST_P(UnsupportedFormat, IsNamedWithARemedy) {
  const std::string message = refusal(GetParam().name, GetParam().bytes);
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    ByContent, UnsupportedFormat,
    testing::Values(
        BytesCase{"gzip.xyz", "\x1f\x8b\x08zzz", "gzip is not read; decompress it first, e.g. with gunzip"},
        BytesCase{"bzip2.ply", "BZh91AY", "with bunzip2"},
        BytesCase{"xz.csv", std::string("\xfd\x37zXZ\0\0", 7), "with unxz"},
        BytesCase{"zstd", "\x28\xb5\x2f\xfd\x04", "with unzstd"},
        BytesCase{"e57", "ASTM-E57\x01", "E57 is not read; convert it: python3 -m venv v && v/bin/pip install pye57"},
        BytesCase{"hdf5.ply", "\x89HDF\r\n\x1a\nzzz",
                  "HDF5 is not read; convert it: python3 -m venv v && v/bin/pip install h5py"},
        BytesCase{"parquet.csv", "PAR1zzz", "Parquet is not read; convert it: python3 -m venv v && "},
        BytesCase{"a.xyz", "2\n1\n1 2 3\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 2 3 1\n1 1 1 .5\n2 2 2 .5\n",
                  "PTX is not read; its scans have poses of their own; convert it: "},
        BytesCase{"a.txt", "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">", "VTK is not read; convert it: "},
        BytesCase{"a.xyz", "# vtk DataFile Version 3.0\n1 2 3\n", "VTK is not read; convert it: "},
        BytesCase{"a.xml", "<?xml version=\"1.0\"?>\n<VOTABLE version=\"1.4\">", "VOTable is not read; convert it: "},
        BytesCase{"a.zip", "PK\x03\x04 xl/workbook.xml", "Excel is not read; convert it: "},
        BytesCase{"a.txt", "# 3D point list with one line of data per point:\n1 1 2 3 0 0 0 .5 1 2\n",
                  "COLMAP's points3D.txt is"},
        BytesCase{"a.csv", "id,geometry\n1,POINT (1 2)\n", "a table with points in WKT is not read; convert it: "},
        BytesCase{"utf16.csv", std::string("\xfe\xff\0x\0,\0y", 8), "iconv"}));

INSTANTIATE_TEST_SUITE_P(ByExtension, UnsupportedFormat,
                         testing::Values(BytesCase{"a.e57", "zzz", "E57"}, BytesCase{"a.h5", "zzz", "HDF5"},
                                         BytesCase{"a.hdf5", "zzz", "HDF5"}, BytesCase{"a.parquet", "zzz", "Parquet"},
                                         BytesCase{"a.xyz.gz", "zzz", "gunzip"},
                                         BytesCase{"a.ply.zst", "zzz", "unzstd"}));

}  // namespace
}  // namespace kann::formats
