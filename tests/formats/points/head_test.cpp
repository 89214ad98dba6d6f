// The format of a file: the user's choice, else content that is certain, else the extension; others are refused by
// name. How many points its head says that there are, and in which coordinate system.
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "formats/file_contents.hpp"
#include "formats/formats.hpp"
#include "formats/las/las_coordinate_system.hpp"
#include "formats/points/read_support.hpp"
#include "formats/table/coordinate_system.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_ply = ascii_ply("1", "1 2 3\n");
const std::string k_npy = npy_array("'<f4'", "(1, 3)", bytes_of_all<float>({1, 2, 3}));
const std::string k_pcd =
    "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n";
const Numbers k_point = {1, 2, 3};

TEST(Sniff, NamesOfFormats) {
  const std::pair<const char*, PointFormat> names[] = {{"ply", PointFormat::ply},   {"PLY", PointFormat::ply},
                                                       {"npy", PointFormat::npy},   {"npz", PointFormat::npz},
                                                       {"pcd", PointFormat::pcd},   {"las", PointFormat::las},
                                                       {"laz", PointFormat::laz},   {"fvecs", PointFormat::fvecs},
                                                       {"fbin", PointFormat::fbin}, {"kitti", PointFormat::kitti}};
  for (const auto& [name, format] : names) EXPECT_EQ(point_format(name), format) << name;
  for (const char* name : {"xyz", "txt", "csv", "Csv"}) EXPECT_EQ(point_format(name), PointFormat::text) << name;
  for (const char* name : {"", ".ply", "pl", "plyy", ".pcd"}) EXPECT_FALSE(point_format(name)) << name;
}

TEST(Sniff, ContentOverridesTheExtension) {
  const std::tuple<const char*, std::string, const char*> cases[] = {
      {"a.xyz", k_ply, "PLY, as its content says, though its extension says text"},
      {"a.npy", k_ply, "PLY, as its content says, though its extension says NPY"},
      {"a.ply", k_npy, "NPY, as its content says, though its extension says PLY"},
      {"a.csv", k_npy, "NPY, as its content says, though its extension says text"},
      {"a.ply", k_pcd, "PCD, as its content says, though its extension says PLY"},
      {"a.pcd", k_npy, "NPY, as its content says, though its extension says PCD"}};
  for (const auto& [name, bytes, warning] : cases) {
    EXPECT_EQ(points_in(name, bytes), k_point) << name;
    EXPECT_EQ(warnings_in(name, bytes), Lines{std::string(name) + ": read as " + warning});
  }
}

TEST(Sniff, NamesTheVariantOfAFormat) {
  const auto format_of = [](const std::string& name, const std::string& bytes) {
    const TemporaryFolder folder;
    put_contents(folder.file(name), bytes);
    return FileContents(folder.file(name), {}).format();
  };
  EXPECT_EQ(format_of("a.ply", ascii_ply("2", k_rows)), "PLY, ascii");
  EXPECT_EQ(format_of("a.ply", binary_ply("2", k_floats)), "PLY, binary_little_endian");
  EXPECT_EQ(format_of("a.las", las({.minor = 4})), "LAS 1.4, point format 0");
  EXPECT_EQ(format_of("a.xyz", k_rows), "text");
}

TEST(Sniff, ExtensionsInAnyCase) {
  EXPECT_TRUE(read_bytes("A.PLY", k_ply).warnings.empty());
  EXPECT_TRUE(read_bytes("A.Xyz", "1 2 3\n").warnings.empty());
}

TEST(Sniff, ContentDecidesIfTheExtensionIsUnknown) {
  for (const char* name : {"cloud", "cloud.dat", "cloud.bin", "cloud.", ".ply", "ply"})
    for (const std::string& bytes : {k_ply, k_npy, k_pcd, std::string("1 2 3\n"), std::string("x,y,z\n1,2,3\n")}) {
      EXPECT_EQ(points_in(name, bytes), k_point) << name;
      EXPECT_EQ(warnings_in(name, bytes), Lines{}) << name;
    }
}

TEST(Sniff, TheUsersChoiceOverridesTheRest) {
  EXPECT_EQ(points_in("a.dat", "1 2 3\n", {PointFormat::text}), k_point);
  EXPECT_EQ(points_in("a.npy", "1 2 3\n", {PointFormat::text}), k_point);
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
  EXPECT_EQ(points_in("a.txt", "TAKE OFF NOW THEN\n1 2 3\n"), k_point);
}

TEST(Sniff, GeographicFormatsAreRefusedWithACommand) {
  const std::string features = R"({"type": "FeatureCollection", "features": []})";
  EXPECT_TRUE(refusal("a", std::string("MM\0*\0\0\0\x08", 8)).starts_with("a: GeoTIFF is not read; convert it: "));
  EXPECT_TRUE(refusal("a.json", features).starts_with("a.json: GeoJSON is not read; convert it: "));
  EXPECT_TRUE(refusal("a.shp", std::string("\0\0\x27\x0a\0\0", 6)).starts_with("a.shp: a shapefile is not read; "));
  EXPECT_TRUE(
      refusal("a.gpkg", std::string("SQLite format 3\0\x10", 17)).starts_with("a.gpkg: GeoPackage is not read; "));
}

TEST(Sniff, RawFloatsAreRefusedWithACommandThatConvertsThem) {
  const std::string kitti = bytes_of_all<float>({1, 2, 3, 0.5f, 4, 5, 6, 0.25f});
  for (const char* name : {"000000.bin", "a.BIN"})
    EXPECT_EQ(
        refusal(name, kitti),
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
  EXPECT_EQ(points_in("a.csv", named), (Numbers{1, 2}));
  EXPECT_EQ(points_in("a.csv", chosen, {.columns = {"u", "v"}}), (Numbers{1, 2}));
}

TEST(Sniff, TextAfterACountIsTextWhateverTheExtension) {
  for (const char* name : {"a.pts", "a.xyz", "a"})
    EXPECT_EQ(
        refusal(name, "2\n1 2 3 -50 255 0 0\n4 5 6 -60 0 255 0\n"),
        name + std::string(":2: row has 7 columns without names; say which are coordinates, e.g. --columns 1,2,3"));
}

/// The name of the file, its bytes, and a part of the message.
const RefusedFile k_unsupported[] = {
    // ByContent
    {"gzip.xyz", "\x1f\x8b\x08zzz", "gzip is not read; decompress it first, e.g. with gunzip"},
    {"bzip2.ply", "BZh91AY", "with bunzip2"},
    {"xz.csv", std::string("\xfd\x37zXZ\0\0", 7), "with unxz"},
    {"zstd", "\x28\xb5\x2f\xfd\x04", "with unzstd"},
    {"e57", "ASTM-E57\x01", "E57 is not read; convert it: python3 -m venv v && v/bin/pip install pye57"},
    {"hdf5.ply", "\x89HDF\r\n\x1a\nzzz", "HDF5 is not read; convert it: python3 -m venv v && v/bin/pip install h5py"},
    {"parquet.csv", "PAR1zzz", "Parquet is not read; convert it: python3 -m venv v && "},
    {"a.xyz", "2\n1\n1 2 3\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 2 3 1\n1 1 1 .5\n2 2 2 .5\n",
     "PTX is not read; its scans have poses of their own; convert it: "},
    {"a.txt", "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">", "VTK is not read; convert it: "},
    {"a.xyz", "# vtk DataFile Version 3.0\n1 2 3\n", "VTK is not read; convert it: "},
    {"a.xml", "<?xml version=\"1.0\"?>\n<VOTABLE version=\"1.4\">", "VOTable is not read; convert it: "},
    {"a.zip", "PK\x03\x04 xl/workbook.xml", "Excel is not read; convert it: "},
    {"a.txt", "# 3D point list with one line of data per point:\n1 1 2 3 0 0 0 .5 1 2\n", "COLMAP's points3D.txt is"},
    {"a.csv", "id,geometry\n1,POINT (1 2)\n", "a table with points in WKT is not read; convert it: "},
    {"utf16.csv", std::string("\xfe\xff\0x\0,\0y", 8), "iconv"},
    // ByExtension
    {"a.e57", "zzz", "E57"},
    {"a.h5", "zzz", "HDF5"},
    {"a.hdf5", "zzz", "HDF5"},
    {"a.parquet", "zzz", "Parquet"},
    {"a.xyz.gz", "zzz", "gunzip"},
    {"a.ply.zst", "zzz", "unzstd"},
};

TEST(UnsupportedFormat, IsNamedWithARemedy) {
  for (const auto& [name, bytes, expected] : k_unsupported) {
    const std::string message = refusal(name, bytes);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

class Estimate : public testing::Test {
 protected:
  std::optional<CloudEstimate> of(const std::string& name, const std::string& bytes) const {
    put_contents(folder_.file(name), bytes);
    return estimate_cloud(folder_.file(name));
  }

  const TemporaryFolder folder_;
};

TEST_F(Estimate, OfTextIsByTheLengthOfItsLines) {
  for (const int rows : {1, 2, 1'000, 20'000}) {
    std::string text;
    for (int i = 0; i < rows; ++i) text += std::to_string(i % 97) + ".25 1." + std::to_string(i % 89) + " -3.5\n";
    const auto estimated = of("a.xyz", text);
    ASSERT_TRUE(estimated);
    EXPECT_NEAR(static_cast<double>(estimated->points), rows, .1 * rows) << rows;
  }
  EXPECT_EQ(of("a.xyz", "1 2 3")->points, 1);
  // A line that is longer than the head counts as one
  const std::string line = "1 2 3" + times(" 4", 50'000) + "\n";
  EXPECT_GE(of("a.xyz", line + line).value_or(CloudEstimate{.points = 2}).points, 2);
}

/// Their size says nothing of the points in them, or of what reading them takes.
TEST_F(Estimate, CountsWhatIsDecompressed) {
  const std::string file = npz_of_zeros(1'200'000);
  const auto npz = of("a.npz", file);
  ASSERT_TRUE(npz);
  EXPECT_NEAR(static_cast<double>(npz->points), 100'000, 200);
  EXPECT_NEAR(npz->held_bytes, static_cast<double>(file.size()) + 1.2e6, 2e3);
  const std::string compressed = lzf_literals(std::string(12'000, '\0'));
  const auto estimated = of("a.pcd", pcd("binary_compressed", "1000", compressed_body(compressed, 12'000)));
  ASSERT_TRUE(estimated);
  EXPECT_EQ(estimated->points, 1000);
  EXPECT_EQ(estimated->held_bytes, static_cast<double>(compressed.size()) + 12'000);
}

/// The memory that a forecast is for is not there: the file is too small.
TEST_F(Estimate, BelievesNoCountThatTheFileCannotHold) {
  EXPECT_FALSE(of("a.ply", binary_ply("18446744073709551615", "")));
  EXPECT_FALSE(of("a.fbin", bytes_of(std::numeric_limits<std::uint32_t>::max()) + bytes_of(3u)));
}

TEST_F(Estimate, SaysNothingOfWhatIsNoCloud) {
  EXPECT_FALSE(estimate_cloud("-", {{PointFormat::ply}}));
  EXPECT_FALSE(estimate_cloud(folder_.file("missing.ply")));
  EXPECT_FALSE(estimate_cloud(folder_.file("")));
  EXPECT_FALSE(of("a.ply", ""));
  EXPECT_FALSE(of("a.ply", "ply\nnonsense\n"));
  EXPECT_FALSE(of("a.laz", "LASF"));
  EXPECT_FALSE(of("a.unknown", "\1\2\3"));
  // It would wait for a writer, and take the first bytes away
  ASSERT_EQ(mkfifo(folder_.file("fifo.ply").c_str(), 0600), 0);
  EXPECT_FALSE(estimate_cloud(folder_.file("fifo.ply")));
  EXPECT_FALSE(rows_in_head(folder_.file("fifo.ply"), {}).described);
}

/// The coordinate system that a file names: in well-known text, in the keys of GeoTIFF, in a comment.
std::string text_of(const std::optional<CoordinateSystem>& system) {
  if (!system) return "none";
  return system->name + (system->epsg ? " = " + std::to_string(*system->epsg) : "");
}

const std::string k_datum =
    R"(DATUM["D",SPHEROID["GRS 1980",6378137,298.257222101,AUTHORITY["EPSG","7019"]],AUTHORITY["EPSG","6258"]])";
const std::string k_geographic = R"(GEOGCS["ETRS89",)" + k_datum + R"(,AUTHORITY["EPSG","4258"]])";
const std::string k_projected = R"(PROJCS["ETRS89 / UTM zone 32N",)" + k_geographic +
                                R"(,UNIT["metre",1,AUTHORITY["EPSG","9001"]],AUTHORITY["EPSG","25832"]])";

TEST(SystemOfWkt, IsTheWholeAndNoneOfItsParts) {
  EXPECT_EQ(text_of(system_of_wkt(k_projected)), "ETRS89 / UTM zone 32N = 25832");
  EXPECT_EQ(text_of(system_of_wkt(k_geographic)), "ETRS89 = 4258");
  EXPECT_EQ(text_of(system_of_wkt(R"(PROJCS["Local [grid], A",)" + k_geographic + "]")), "Local [grid], A");
  EXPECT_EQ(text_of(system_of_wkt(R"(COMPD_CS["Both",)" + k_projected + R"(,VERT_CS["H"],AUTHORITY["EPSG","5555"]])")),
            "Both = 5555");
  EXPECT_EQ(text_of(system_of_wkt(R"(COMPD_CS["Both",)" + k_projected + R"(,VERT_CS["H",AUTHORITY["EPSG","7837"]]])")),
            "Both = 25832");
}

TEST(SystemOfWkt, ReadsVersionTwo) {
  EXPECT_EQ(text_of(system_of_wkt(R"(PROJCRS["A",BASEGEOGCRS["B",ID["EPSG",4258]],ID["EPSG",25832]])")), "A = 25832");
  EXPECT_EQ(text_of(system_of_wkt(R"(GEOGCRS("B", ID("EPSG", 4979)))")), "none");  // a bracket of another kind
}

TEST(SystemOfWkt, HasTheUnitOfPlaneCoordinates) {
  EXPECT_EQ(unit_of(system_of_wkt(k_projected)), "m");
  EXPECT_EQ(unit_of(system_of_wkt(R"(GEOGCS["B",UNIT["degree",0.0174532925199433]])")), "");
  const std::string heights = R"(VERT_CS["H",UNIT["metre",1]]])", begin = R"(COMPD_CS["Both",PROJCS["A",GEOGCS["B"],)";
  EXPECT_EQ(unit_of(system_of_wkt(begin + R"(UNIT["Foot_US",0.3048006096012192]],)" + heights)), "US ft");
  EXPECT_EQ(unit_of(system_of_wkt(begin + R"(UNIT["foot", 0.3048]],)" + heights)), "ft");
  EXPECT_EQ(unit_of(system_of_wkt(R"(PROJCS["A",UNIT["chain",20.1168]])")), "units of 20.1168 m");
  EXPECT_EQ(unit_of(system_of_wkt(R"(PROJCRS["A",BASEGEOGCRS["B",ELLIPSOID["C",1,2,LENGTHUNIT["metre",1]]],)"
                                  R"(CS[Cartesian,2],AXIS["x",east,LENGTHUNIT["foot",0.3048]]])")),
            "ft");
  for (const char* const unit : {"UNIT", "UNIT[", "UNIT[\"m", "UNIT[\"m\"", "UNIT[\"m\",x]]", "UNIT[\"m\",-1]]"})
    EXPECT_EQ(unit_of(system_of_wkt(std::string("PROJCS[\"A\",") + unit)), "") << unit;
}

TEST(SystemOfWkt, TakesWhatIsThereOfTextThatEnds) {
  EXPECT_EQ(text_of(system_of_wkt("")), "none");
  EXPECT_EQ(text_of(system_of_wkt("PROJCS")), "none");
  EXPECT_EQ(text_of(system_of_wkt("PROJCS[")), "");
  EXPECT_EQ(text_of(system_of_wkt("PROJCS[\"A")), "A");
  EXPECT_EQ(text_of(system_of_wkt(R"(PROJCS["A",AUTHORITY["EPSG")")), "A");
  EXPECT_EQ(text_of(system_of_wkt(R"(PROJCS["A",AUTHORITY["EPSG","x"]])")), "A");
  EXPECT_EQ(text_of(system_of_wkt(R"(PROJCS["A",AUTHORITY["ESRI","102100"]])")), "A");
  EXPECT_EQ(text_of(system_of_wkt("XPROJCS[\"A\"]")), "none");
}

TEST(SystemOfComment, FindsANumberOrWkt) {
  for (const char* const comment :
       {"EPSG:25832", "crs: EPSG:25832", "epsg 25832", "srs=epsg:25832", "Epsg=25832 (UTM)"})
    EXPECT_EQ(text_of(system_of_comment(comment)), " = 25832") << comment;
  EXPECT_EQ(text_of(system_of_comment("crs " + k_projected)), "ETRS89 / UTM zone 32N = 25832");
  for (const char* const comment : {"", "epsg", "epsg25832", "EPSG:", "EPSG:x", "EPSG:0", "made by epsg tools", "[x]"})
    EXPECT_EQ(text_of(system_of_comment(comment)), "none") << comment;
}

TEST(SystemOfComment, IsReadFromAPly) {
  const auto system = [](const std::string& line) {
    const TemporaryFolder folder;
    std::string file = ascii_ply("2", k_rows);
    put_contents(folder.file("a.ply"), file.insert(file.find("element"), line));
    return text_of(FileContents(folder.file("a.ply"), {}).described().system);
  };
  EXPECT_EQ(system(""), "none");
  for (const std::string line : {"comment made by x\ncomment crs: EPSG:25832\n", "obj_info EPSG:25832\n"})
    EXPECT_EQ(system(line), " = 25832") << line;
}

/// The head of a LAS file with these records.
std::string head_of(const std::string& records, int count) {
  std::string bytes = las({.points = {}, .records = records});
  bytes.replace(100, 4, bytes_of(count));
  return bytes;
}

std::string keys(std::initializer_list<std::uint16_t> entries) {
  return u16s({1, 1, 0, static_cast<std::uint16_t>(entries.size() / 4)}) + u16s(entries);
}

TEST(LasCoordinateSystem, IsThatOfItsKeys) {
  const std::string texts = vlr("LASF_Projection", 34737, "Projected|Cited|");
  const auto read = [&](const std::string& directory) {
    return text_of(las_coordinate_system(head_of(vlr("LASF_Projection", 34735, directory) + texts, 2), ""));
  };
  EXPECT_EQ(read(keys({3072, 0, 1, 25832, 3073, 34737, 10, 0})), "Projected = 25832");
  EXPECT_EQ(read(keys({1026, 34737, 6, 10, 2048, 0, 1, 4258})), "Cited = 4258");
  EXPECT_EQ(read(keys({3072, 0, 1, 32767, 1026, 34737, 6, 10})), "Cited");  // defined by the file itself
  EXPECT_EQ(read(keys({3072, 0, 1, 25832, 3073, 34737, 10, 900})), " = 25832");
  EXPECT_EQ(read(keys({1024, 0, 1, 1})), "none");
  EXPECT_EQ(read(keys({3072, 0, 1, 25832}).substr(0, 13)), "none");
  EXPECT_EQ(read(""), "none");
}

TEST(LasCoordinateSystem, WktWinsAlsoAfterThePoints) {
  const std::string old = vlr("LASF_Projection", 34735, keys({3072, 0, 1, 4326}));
  EXPECT_EQ(text_of(las_coordinate_system(head_of(old + vlr("LASF_Projection", 2112, k_projected + '\0'), 2), "")),
            "ETRS89 / UTM zone 32N = 25832");
  std::string extended(60, '\0');
  extended.replace(2, 15, "LASF_Projection");
  extended.replace(18, 2, u16s({2112}));
  extended.replace(20, 8, bytes_of(std::uint64_t{k_projected.size()}));
  const std::string other =
      extended.substr(0, 18) + u16s({7}) + bytes_of(std::uint64_t{3}) + std::string(32, '\0') + "abc";
  EXPECT_EQ(text_of(las_coordinate_system(head_of(old, 1), other + extended + k_projected)),
            "ETRS89 / UTM zone 32N = 25832");
  EXPECT_EQ(text_of(las_coordinate_system(head_of(old, 1), other + extended.substr(0, 59))), " = 4326");
}

TEST(LasCoordinateSystem, SaysWhetherItIsGeographic) {
  const auto read = [](const std::string& record) { return is_geographic(head_of(record, 1)); };
  EXPECT_TRUE(read(vlr("LASF_Projection", 2112, k_geographic)));
  EXPECT_FALSE(read(vlr("LASF_Projection", 2112, k_projected)));
  EXPECT_TRUE(read(vlr("LASF_Projection", 34735, keys({1024, 0, 1, 2}))));
  EXPECT_FALSE(read(vlr("LASF_Projection", 34735, keys({1024, 0, 1, 1}))));
  EXPECT_FALSE(read(vlr("other", 2112, k_geographic)));
}

}  // namespace
}  // namespace kann::formats
