// ReadOptions::attributes and all_attributes in every format that has names: which columns are read, with which types,
// and what is said of those that are not there.
#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;
using namespace std::string_literals;

namespace {

const std::string k_properties =
    "property float x\nproperty uchar label\nproperty float y\nproperty float z\nproperty double Time\n";

std::string ply_rows(bool big) {
  std::string rows;
  for (int i = 0; i < 2; ++i) {
    const float base = static_cast<float>(3 * i);
    rows += bytes_of(1 + base, big) + static_cast<char>(7 + 200 * i) + bytes_of(2 + base, big) +
            bytes_of(3 + base, big) + bytes_of(0.5 - i, big);
  }
  return rows;
}

const std::string k_fields = "FIELDS x label y z Time\nSIZE 4 1 4 4 8\nTYPE F U F F F\nCOUNT 1 1 1 1 1\n";
const std::string k_columns = bytes_of_all<float>({1, 4}) + "\x07\xcf" + bytes_of_all<float>({2, 5}) +
                              bytes_of_all<float>({3, 6}) + bytes_of_all<double>({0.5, -0.5});
const std::string k_descr = "[('x', '<f4'), ('label', '|u1'), ('y', '<f4'), ('z', '<f4'), ('Time', '<f8')]";
const std::string k_text = "1 7 2 3 0.5\n4 207 5 6 -0.5\n";

/// x, label, y, z and Time; the points are (1, 2, 3) and (4, 5, 6).
struct NamedFile {
  const char* name;
  std::string bytes;
  const char* noun;
  const char* whole = "uint8";
  const char* real = "float64";
};
void PrintTo(const NamedFile& file, std::ostream* out) { *out << file.name; }

const NamedFile k_files[] = {
    {"ascii.ply", ascii_ply("2", k_text, k_properties), "property"},
    {"little.ply", binary_ply("2", ply_rows(false), k_properties), "property"},
    {"big.ply", ply("binary_big_endian", "2", k_properties, ply_rows(true)), "property"},
    {"rows.npy", npy_array(k_descr, "(2,)", ply_rows(false)), "field"},
    {"rows.npz", zip({{.name = "points.npy", .content = npy_array(k_descr, "(2,)", ply_rows(false)), .method = 8}}),
     "field"},
    {"ascii.pcd", pcd("ascii", "2", k_text, k_fields), "field"},
    {"binary.pcd", pcd("binary", "2", ply_rows(false), k_fields), "field"},
    {"compressed.pcd", compressed_pcd("2", k_columns, k_fields), "field"},
    {"header.csv", "x,label,y,z,Time\n1,7,2,3,0.5\n4,207,5,6,-0.5\n", "column", "int32"},
    {"quoted.csv", "\"x\";\"label\";\"y\";\"z\";\"Time\"\n1;7;2;3;0.5\n4;\"207\";5;6;-0.5\n", "column", "int32"},
    {"words.tsv", "x\tlabel\ty\tz\tTime\n1\t7\t2\t3\t0.5\n4\t207\t5\t6\t-0.5\n", "column", "int32"},
    {"comment.xyz", "# x label y z Time\n" + k_text, "column", "int32"},
};

class Attributes : public testing::TestWithParam<NamedFile> {
 protected:
  const NamedFile& file_ = GetParam();
  const std::string label_ = std::string(file_.whole) + " label 7 207",
                    time_ = std::string(file_.real) + " Time 0.5 -0.5";

  /// The attributes, which leave the coordinates as they are.
  Lines read(const ReadOptions& options) const {
    const Points points = read_bytes(file_.name, file_.bytes, options).points;
    EXPECT_EQ(coordinates_of(points), options.columns.empty() ? k_points : Numbers({1, 2, 4, 5}));
    EXPECT_EQ(is_float32(points), file_.whole != std::string("int32"));
    return attributes_of(file_.name, file_.bytes, options);
  }
  std::string refusal_of(const Lines& names) const {
    const std::string message = refusal(file_.name, file_.bytes, {.attributes = names});
    EXPECT_EQ(refusal(file_.name, file_.bytes, {.attributes = names, .all_attributes = true}), message);
    const std::size_t array = message.find("[points]");  // of npz
    return (array == std::string::npos ? message : std::string(message).erase(array, 8))
        .substr(std::string(file_.name).size());
  }
};

TEST_P(Attributes, AreReadByNameInTheOrderInWhichTheyAreAskedFor) {
  EXPECT_EQ(read({.attributes = {"label"}}), Lines{label_});
  EXPECT_EQ(read({.attributes = {"Time", "label"}}), (Lines{time_, label_}));
}

TEST_P(Attributes, AllAreThoseThatAreNoCoordinatesInTheOrderOfTheFile) {
  EXPECT_EQ(read({.all_attributes = true}), (Lines{label_, time_}));
  EXPECT_TRUE(read_bytes(file_.name, file_.bytes, {.all_attributes = true}).warnings.empty());
  const Lines without_z = read({.columns = {"x", "y"}, .all_attributes = true});
  ASSERT_EQ(without_z.size(), 3u);
  EXPECT_TRUE(without_z[1].ends_with(" z 3 6")) << without_z[1];
}

/// What is asked for is found in the same way, among all of them or alone.
TEST_P(Attributes, AllOfThemMayBeAskedForByNameBeside) {
  using Places = std::vector<std::vector<std::size_t>>;
  const ReadOptions options{.attributes = {"z", "TIME", "label", "3", "2"}};
  ReadOptions with_all = options;
  with_all.all_attributes = true;
  const Cloud alone = read_bytes(file_.name, file_.bytes, options), all = read_bytes(file_.name, file_.bytes, with_all);
  EXPECT_EQ(alone.asked, (Places{{0}, {1}, {2}, {3}, {2}}));
  EXPECT_EQ(all.asked, (Places{{2}, {1}, {0}, {3}, {0}}));
  EXPECT_EQ(alone.asked_besides, 0u);
  EXPECT_EQ(all.asked_besides, 2u);
  const Lines lines = described(all.attributes);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(Lines(lines.begin(), lines.begin() + 2), (Lines{label_, time_}));
  EXPECT_TRUE(lines[2].ends_with(" z 3 6") && lines[3].ends_with(" y 2 5")) << lines[2] << lines[3];
  for (std::size_t name = 0; name < options.attributes.size(); ++name)
    EXPECT_EQ(described(alone.attributes)[alone.asked[name][0]], lines[all.asked[name][0]]) << name;
}

TEST_P(Attributes, NoneAreReadWithoutBeingAskedFor) {
  EXPECT_TRUE(read({}).empty());
  EXPECT_EQ(read_bytes(file_.name, file_.bytes).las, nullptr);
}

TEST_P(Attributes, MayBeTheCoordinatesThemselves) {
  const Lines both = read({.attributes = {"z", "x"}});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(both[0].ends_with(" z 3 6") && both[1].ends_with(" x 1 4")) << both[0] << both[1];
}

/// Also where --columns takes others: the z of a cloud of two dimensions.
TEST_P(Attributes, SayWhichOfThemAreCoordinates) {
  for (const Lines& columns : {Lines{}, {"x", "y"}, {"Time", "label"}})
    for (const bool all : {false, true}) {
      const Cloud cloud = read_bytes(file_.name, file_.bytes,
                                     {.columns = columns, .attributes = {"z", "label", "x"}, .all_attributes = all});
      for (const Attribute& attribute : cloud.attributes) {
        const bool is_taken = std::ranges::count(columns, attribute.name) > 0;
        EXPECT_EQ(attribute.meaning == Meaning::coordinate, attribute.name.size() == 1 || is_taken) << attribute.name;
      }
    }
}

TEST_P(Attributes, AreFoundByNumberAndInAnyCase) {
  EXPECT_EQ(read({.attributes = {"2"}}), Lines{label_});
  EXPECT_EQ(read({.attributes = {"time", "LABEL"}}), (Lines{time_, label_}));
}

TEST_P(Attributes, ThatAreNotThereAreRefusedWithTheNearest) {
  const std::string noun = file_.noun;
  EXPECT_EQ(refusal_of({"lable"}), ": no " + noun + " 'lable' (it has x, label, y, z, Time); did you mean 'label'?");
  EXPECT_EQ(refusal_of({"intensity"}), ": no " + noun + " 'intensity' (it has x, label, y, z, Time)");
  EXPECT_EQ(refusal_of({"label", "6"}), ": no " + noun + " 6; it has 5: x, label, y, z, Time");
  EXPECT_EQ(refusal_of({"0"}), ": no " + noun + " 0; it has 5: x, label, y, z, Time");
}

std::string name_of(const testing::TestParamInfo<NamedFile>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Attributes, testing::ValuesIn(k_files), name_of);

TEST(AttributeNames, AnExactOneWinsAndSeveralInOtherCasesAreRefused) {
  const std::string file = "x,y,ID,id,a,a\n1,2,3,4,5,6\n";
  EXPECT_EQ(attributes_of("a.csv", file, {.attributes = {"id", "ID"}}), (Lines{"int32 id 4", "int32 ID 3"}));
  EXPECT_EQ(refusal("a.csv", file, {.attributes = {"Id"}}),
            "a.csv: no column 'Id' (it has x, y, ID, id, a, a); did you mean 'id'?");
  EXPECT_EQ(refusal("a.csv", file, {.attributes = {"a"}}),
            "a.csv: 2 columns are called 'a' (numbers 5 and 6); give a number");
  EXPECT_EQ(attributes_of("a.csv", file, {.attributes = {"6"}}), Lines{"int32 a 6"});
}

TEST(PlyAttributes, EveryTypeInEveryEncoding) {
  const std::string properties = k_xyz +
                                 "property char a\nproperty uchar b\nproperty short c\nproperty ushort d\n"
                                 "property int e\nproperty uint f\nproperty float g\nproperty double h\n";
  const Lines expected = {
      "int8 a -128",         "uint8 b 255",         "int16 c -32768", "uint16 d 65535",
      "int32 e -2147483648", "uint32 f 4294967295", "float32 g 0.25", "float64 h 0.10000000000000001"};
  EXPECT_EQ(all_attributes_of(
                "a.ply", ascii_ply("1", "1 2 3 -128 255 -32768 65535 -2147483648 4294967295 0.25 0.1\n", properties)),
            expected);
  for (const bool big : {false, true}) {
    const std::string row = bytes_of_all<float>({1, 2, 3}, big) + "\x80\xff" + bytes_of<std::int16_t>(-32768, big) +
                            bytes_of<std::uint16_t>(65535, big) + bytes_of<std::int32_t>(-2147483647 - 1, big) +
                            bytes_of<std::uint32_t>(4294967295, big) + bytes_of(0.25f, big) + bytes_of(0.1, big);
    EXPECT_EQ(all_attributes_of("a.ply", ply(big ? "binary_big_endian" : "binary_little_endian", "1", properties, row)),
              expected);
  }
}

TEST(PlyAttributes, ListsAreNone) {
  const std::string properties = "property uchar a\nproperty list uchar short ring\n" + k_xyz + "property short b\n";
  const std::string text = ascii_ply("2", "1 2 8 9 1 2 3 -4\n5 0 1 2 3 6\n", properties);
  const std::string rows = binary_ply("2",
                                      "\1\2" + bytes_of_all<std::int16_t>({8, 9}) + bytes_of_all<float>({1, 2, 3}) +
                                          bytes_of<std::int16_t>(-4) + std::string("\5\0", 2) +
                                          bytes_of_all<float>({1, 2, 3}) + bytes_of<std::int16_t>(6),
                                      properties);
  for (const std::string& file : {text, rows}) {
    EXPECT_EQ(all_attributes_of("a.ply", file), (Lines{"uint8 a 1 5", "int16 b -4 6"}));
    EXPECT_EQ(warnings_in("a.ply", file, {.all_attributes = true}),
              Lines{"a.ply: left out of the attributes: 'ring' is a list"});
    EXPECT_EQ(attributes_of("a.ply", file, {.attributes = {"b", "x"}}), (Lines{"int16 b -4 6", "float32 x 1 1"}));
    EXPECT_EQ(refusal("a.ply", file, {.attributes = {"ring"}}),
              "a.ply: property 'ring' is a list; it cannot be an attribute");
  }
}

TEST(PlyAttributes, ValuesInTextFitTheirType) {
  const std::string properties = k_xyz + "property uchar a\n";
  for (const char* const row : {"1 2 3 256", "1 2 3 -1", "1 2 3 0.5", "1 2 3 red"})
    EXPECT_TRUE(
        refusal("a.ply", ascii_ply("1", row, properties), {.attributes = {"a"}}).starts_with("a.ply:9: property a is "))
        << row;
}

TEST(PlyAttributes, NanIsKeptAndNoPointsHaveNoValues) {
  const std::string properties = k_xyz + "property float a\n";
  EXPECT_EQ(all_attributes_of("a.ply", ascii_ply("2", "1 2 3 nan\n4 5 6 -inf\n", properties)),
            Lines{"float32 a nan -inf"});
  for (const std::string& file : {ascii_ply("0", "", properties), binary_ply("0", "", properties)})
    EXPECT_EQ(all_attributes_of("a.ply", file), Lines{"float32 a"});
}

TEST(PlyAttributes, AFileOfCoordinatesAloneHasNone) {
  const std::string file = binary_ply("2", bytes_of_all<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(all_attributes_of("a.ply", file).empty());
  EXPECT_EQ(attributes_of("a.ply", file, {.attributes = {"y"}}), Lines{"float32 y 2 5"});
  EXPECT_EQ(refusal("a.ply", file, {.attributes = {"w"}}), "a.ply: no property 'w' (it has x, y, z)");
}

TEST(NumpyAttributes, EveryTypeInEitherByteOrder) {
  for (const bool big : {false, true}) {
    const std::string o = big ? ">" : "<";
    const std::string descr = "[('x','" + o + "f8'),('y','" + o + "f8'),('a','" + o + "i8'),('b','" + o +
                              "u8'),('c','|b1'),('d','" + o + "i2'),('v','" + o + "f4',(2,)),('t','|S2'),('h','" + o +
                              "f2')]";
    const std::string row = bytes_of_all<double>({1, 2}, big) + bytes_of<std::int64_t>(-9007199254740993, big) +
                            bytes_of<std::uint64_t>(18446744073709551615u, big) + "\1" +
                            bytes_of<std::int16_t>(-2, big) + bytes_of_all<float>({1, 2}, big) + "ab" +
                            (big ? "\x3e\0"s : "\0\x3e"s);
    const std::string file = npy_array(descr, "(1,)", row);
    EXPECT_EQ(all_attributes_of("a.npy", file), (Lines{"int64 a -9007199254740993", "uint64 b 18446744073709551615",
                                                       "uint8 c 1", "int16 d -2", "float32 h 1.5"}));
    EXPECT_EQ(warnings_in("a.npy", file, {.all_attributes = true}),
              Lines{"a.npy: left out of the attributes: 'v' has several values per point, 't' is of type '|S2'"});
    EXPECT_EQ(refusal("a.npy", file, {.attributes = {"v"}}),
              "a.npy: field 'v' has several values per point; it cannot be an attribute");
    EXPECT_EQ(refusal("a.npy", file, {.columns = {"x", "a"}}),
              "a.npy: row 0 has a whole number past 2^53, which float64 does not hold exactly");
  }
}

TEST(NumpyAttributes, ColumnsWithoutNamesAreNone) {
  const std::string array = npy_array("'<f4'", "(2, 4)", bytes_of_all<float>({1, 2, 3, 4, 5, 6, 7, 8}));
  const ReadOptions all{.columns = {"1", "2"}, .all_attributes = true}, one{.columns = {"1", "2"}, .attributes = {"3"}};
  const std::string vectors = bytes_of(1) + bytes_of(3) + bytes_of_all<float>({1, 2, 3});
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.npy", array},
                                    {"a.fbin", vectors},
                                    {"a.fvecs", bytes_of(3) + bytes_of_all<float>({1, 2, 3})}}) {
    EXPECT_TRUE(attributes_of(name, bytes, all).empty());
    EXPECT_EQ(refusal(name, bytes, one),
              name + ": no attribute '3': the columns of this array have no names, and are coordinates alone");
  }
}

TEST(KittiAttributes, ReflectanceIsOne) {
  const std::string frame = bytes_of_all<float>({1, 2, 3, 0.25, 4, 5, 6, 0.75});
  EXPECT_EQ(all_attributes_of("a.kitti", frame), Lines{"float32 reflectance 0.25 0.75"});
  EXPECT_EQ(attributes_of("a.kitti", frame, {.attributes = {"reflectance", "z"}}),
            (Lines{"float32 reflectance 0.25 0.75", "float32 z 3 6"}));
  EXPECT_EQ(refusal("a.kitti", frame, {.attributes = {"reflectence"}}),
            "a.kitti: no column 'reflectence' (it has x, y, z, reflectance); did you mean 'reflectance'?");
}

std::string pcd_fields(const std::string& name, const std::string& type, const std::string& size = "4") {
  return "FIELDS x y z " + name + "\nSIZE 4 4 4 " + size + "\nTYPE F F F " + type + "\nCOUNT 1 1 1 1\n";
}

const std::uint32_t k_colour = 0xff0a64c8;  // alpha 255, red 10, green 100, blue 200
const Lines k_colours = {"uint8 red 10 0", "uint8 green 100 0", "uint8 blue 200 1"};

TEST(PcdAttributes, PackedColoursAreThreeBytes) {
  const std::string xyz = bytes_of_all<float>({1, 2, 3});
  const std::string rows = xyz + bytes_of(k_colour) + xyz + bytes_of(1);
  const std::string columns = bytes_of_all<float>({1, 1, 2, 2, 3, 3}) + bytes_of(k_colour) + bytes_of(1);
  for (const std::string name : {"rgb", "rgba"})
    for (const std::string type : {"F", "U", "I"}) {
      const std::string head = pcd_fields(name, type);
      for (const std::string& file : {pcd("binary", "2", rows, head), compressed_pcd("2", columns, head)}) {
        EXPECT_EQ(all_attributes_of("a.pcd", file), k_colours);
        EXPECT_EQ(attributes_of("a.pcd", file, {.attributes = {name}}), k_colours);
        EXPECT_EQ(attributes_of("a.pcd", file, {.attributes = {"green", "x"}}),
                  (Lines{"uint8 green 100 0", "float32 x 1 1"}));
      }
    }
}

TEST(PcdAttributes, PackedColoursInText) {
  EXPECT_EQ(all_attributes_of("a.pcd", pcd("ascii", "2", "1 2 3 4278871240\n1 2 3 1\n", pcd_fields("rgb", "U"))),
            k_colours);
  // As a float, the bits 10·2¹⁶ + 100·2⁸ + 200 are 9.5450846e-40; its digits give the bits back.
  EXPECT_EQ(all_attributes_of("a.pcd", pcd("ascii", "2", "1 2 3 9.5450846e-40\n1 2 3 1e-45\n", pcd_fields("rgb", "F"))),
            k_colours);
}

TEST(PcdAttributes, ColoursAreNotUnpackedWhereThereAreSuchFields) {
  const std::string head = "FIELDS x y rgb red\nSIZE 4 4 4 1\nTYPE F F U U\nCOUNT 1 1 1 1\n";
  EXPECT_EQ(all_attributes_of("a.pcd", pcd("ascii", "1", "1 2 3 4\n", head)), (Lines{"uint32 rgb 3", "uint8 red 4"}));
}

TEST(PcdAttributes, FieldsOfSeveralValuesAndPaddingAreNone) {
  const std::string head = "FIELDS x y _ normal a\nSIZE 4 4 1 4 8\nTYPE F F U F U\nCOUNT 1 1 3 2 1\n";
  const std::string row = bytes_of_all<float>({1, 2}) + "pad" + bytes_of_all<float>({7, 8}) +
                          bytes_of<std::uint64_t>(18446744073709551615u);
  for (const std::string& file :
       {pcd("ascii", "1", "1 2 0 0 0 7 8 18446744073709551615\n", head), pcd("binary", "1", row, head)}) {
    EXPECT_EQ(all_attributes_of("a.pcd", file), Lines{"uint64 a 18446744073709551615"});
    EXPECT_EQ(warnings_in("a.pcd", file, {.all_attributes = true}),
              Lines{"a.pcd: left out of the attributes: 'normal' has 2 values per point"});
    EXPECT_EQ(refusal("a.pcd", file, {.attributes = {"normal"}}),
              "a.pcd: field 'normal' has 2 values per point; it cannot be an attribute");
    EXPECT_EQ(refusal("a.pcd", file, {.columns = {"x", "a"}}),
              "a.pcd: field 'a' is not float32, float64 or an integer of at most 32 bits: 'U8'");
  }
}

TEST(PcdAttributes, ValuesInTextFitTheirType) {
  EXPECT_EQ(refusal("a.pcd", pcd("ascii", "1", "1 2 3 256\n", pcd_fields("a", "U", "1")), {.attributes = {"a"}}),
            "a.pcd:12: field a is out of range of its integer type: '256'");
}

}  // namespace
}  // namespace kann::formats
