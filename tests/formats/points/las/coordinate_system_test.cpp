// The coordinate system that a file names: in well-known text, in GeoTIFF's keys, in a comment.
#include "formats/table/coordinate_system.hpp"

#include "formats/file_contents.hpp"
#include "formats/las/las_coordinate_system.hpp"
#include "formats/points/las/las_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
