// ReadOptions::columns: names and numbers choose the coordinates in every format, or the file is refused with what
// it has.
#include "formats/points/every_way.hpp"
#include "formats/table/axes.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_properties = "property float a\nproperty uchar r\nproperty float b\nproperty double c\n";
const std::string k_ascii = ascii_ply("2", "1 9 2 3\n4 8 5 6\n", k_properties);
const std::string k_binary = binary_ply(
    "2",
    bytes_of(1.0f) + "\t" + bytes_of(2.0f) + bytes_of(3.0) + bytes_of(4.0f) + "\b" + bytes_of(5.0f) + bytes_of(6.0),
    k_properties);
const std::string k_ragged = binary_ply("2",
                                        bytes_of(1.0f) + "\x01z" + bytes_of(2.0f) + bytes_of(3.0f) + bytes_of(4.0f) +
                                            "\x02zz" + bytes_of(5.0f) + bytes_of(6.0f),
                                        "property float a\nproperty list uchar char r\nproperty float b\n"
                                        "property float c\n");

const std::string k_wide = npy("'<f4'", "False", "(2, 4)", bytes_of_all<float>({1, 9, 2, 3, 4, 8, 5, 6}));
const std::string k_fortran = npy("'>f8'", "True", "(2, 4)", bytes_of_all<double>({1, 4, 9, 8, 2, 5, 3, 6}, true));
const std::string k_fields = npy(
    "[('a', '<f4'), ('r', '|u1'), ('b', '<f4'), ('c', '<f8')]", "False", "(2,)",
    bytes_of(1.0f) + "\t" + bytes_of(2.0f) + bytes_of(3.0) + bytes_of(4.0f) + "\b" + bytes_of(5.0f) + bytes_of(6.0));

const std::string k_pcd_fields = "FIELDS a r b c\nSIZE 4 1 4 8\nTYPE F U F F\n";
const std::string k_pcd_rows = k_fields.substr(k_fields.size() - 34);  // as those of k_fields
const std::string k_pcd_columns =
    bytes_of_all<float>({1, 4}) + "\t\b" + bytes_of_all<float>({2, 5}) + bytes_of_all<double>({3, 6});

struct Table {
  const char* file;
  std::string bytes;
  bool has_names;
};

/// Each has four columns, of which the first, third and fourth are the points (1, 2, 3) and (4, 5, 6).
const Table k_tables[] = {
    {"header.csv", "a,r,b,c\n1,9,2,3\n4,8,5,6\n", true},
    {"quoted.csv", "\"a\",\"r\",\"b\",\"c\"\n1,9,2,3\n4,8,5,6\n", true},
    {"comment.xyz", "# a r b c\n1 9 2 3\n4 8 5 6\n", true},
    {"words.tsv", "a\tr\tb\tc\n1\ttree\t2\t3\n4\thouse\t5\t6\n", true},
    {"rows.txt", "1;9;2;3\n4;8;5;6\n", false},
    {"title.txt", "a cloud\n1 9 2 3\n4 8 5 6\n", false},
    {"ascii.ply", k_ascii, true},
    {"binary.ply", k_binary, true},
    {"ragged.ply", k_ragged, true},
    {"wide.npy", k_wide, false},
    {"fortran.npy", k_fortran, false},
    {"fields.npy", k_fields, true},
    {"wide.npz", zip({{.name = "a.npy", .content = k_wide}}), false},
    {"fields.npz", zip({{.name = "points.npy", .content = k_fields, .method = 8}}), true},
    {"rows.fvecs", bytes_of(4) + bytes_of_all<float>({1, 9, 2, 3}) + bytes_of(4) + bytes_of_all<float>({4, 8, 5, 6}),
     false},
    {"rows.fbin", bytes_of(2) + bytes_of(4) + bytes_of_all<float>({1, 9, 2, 3, 4, 8, 5, 6}), false},
    {"ascii.pcd", pcd("ascii", "2", "1 9 2 3\n4 8 5 6\n", k_pcd_fields), true},
    {"binary.pcd", pcd("binary", "2", k_pcd_rows, k_pcd_fields), true},
    {"compressed.pcd", compressed_pcd("2", k_pcd_columns, k_pcd_fields), true},
};

Numbers chosen(const Table& table, const Lines& columns) {
  const TemporaryFolder folder;
  put_contents(folder.file(table.file), table.bytes);
  const ReadOptions options{.columns = columns};
  EXPECT_EQ(expect_every_way(folder.file(table.file), options).error, "");
  const Cloud cloud = read_points(folder.file(table.file), options);
  EXPECT_EQ(cloud.columns, columns) << table.file;
  EXPECT_EQ(cloud.points.dimensions, static_cast<int>(columns.size())) << table.file;
  return coordinates_of(cloud.points);
}

TEST(Columns, NumbersCountThemAsTheyStandInTheFile) {
  for (const Table& table : k_tables) {
    EXPECT_EQ(chosen(table, {"1", "3", "4"}), (Numbers{1, 2, 3, 4, 5, 6})) << table.file;
    EXPECT_EQ(chosen(table, {"4", "1"}), (Numbers{3, 1, 6, 4})) << table.file;
  }
}

TEST(Columns, NamesAreThoseOfTheFile) {
  for (const Table& table : k_tables) {
    if (!table.has_names) continue;
    EXPECT_EQ(chosen(table, {"a", "b", "c"}), (Numbers{1, 2, 3, 4, 5, 6})) << table.file;
    EXPECT_EQ(chosen(table, {"c", "b"}), (Numbers{3, 2, 6, 5})) << table.file;
    EXPECT_EQ(chosen(table, {"c", "3", "a"}), (Numbers{3, 2, 1, 6, 5, 4})) << table.file;
  }
}

TEST(Columns, WinOverNamesThatSayXAndY) {
  EXPECT_EQ(points_in("a.csv", "x,y,z,u\n1,2,3,4\n", {.columns = {"u", "x"}}), (Numbers{4, 1}));
  EXPECT_EQ(points_in("a.ply", binary_ply("1", bytes_of_all<float>({1, 2, 3})), {.columns = {"z", "y", "x"}}),
            (Numbers{3, 2, 1}));
  EXPECT_EQ(points_in("a.ply", ascii_ply("1", "1 2 3\n"), {.columns = {"x", "z"}}), (Numbers{1, 3}));
  const std::string square = npy("'<f4'", "False", "(2, 3)", bytes_of_all<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(points_in("a.npy", square, {.columns = {"3", "1"}}), (Numbers{3, 1, 6, 4}));
  EXPECT_EQ(points_in("a.npy", square, {.columns = {"1", "2", "3"}}), (Numbers{1, 2, 3, 4, 5, 6}));
}

const std::string k_coloured = "property float x\nproperty float y\nproperty float z\nproperty uchar red\n";

/// A number may have been counted in another file; a name is meant.
TEST(Columns, NumbersThatAgreeWithTheNamesAndNamesAreTaken) {
  const std::string ply = ascii_ply("1", "1 2 3 9\n", k_coloured);
  EXPECT_EQ(points_in("a.ply", ply, {.columns = {"3", "1"}}), (Numbers{3, 1}));
  EXPECT_EQ(points_in("a.ply", ply, {.columns = {"2", "3", "red"}}), (Numbers{2, 3, 9}));
  EXPECT_EQ(points_in("a.kitti", bytes_of_all<float>({1, 2, 3, 9}), {.columns = {"reflectance", "2"}}),
            (Numbers{9, 2}));
  // Which no name gives
  for (const char* header : {"x,y,u,u\n", "x,y,\"a,b\",u\n"})
    EXPECT_EQ(points_in("a.csv", std::string(header) + "1,2,3,4\n", {.columns = {"3", "1"}}), (Numbers{3, 1}))
        << header;
}

Lines split(const std::string& names) {
  Lines all;
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) all.push_back(name);
  return all;
}

struct RefusedColumns {
  std::string file, bytes, columns, expected;
};

const std::string k_csv = "index,pos_a,pos_b,pos_c\n1,2,3,4\n";

const RefusedColumns k_refused_columns[] = {
    {"a.csv", k_csv, "foo,pos_b", ": --columns: no column 'foo'; the file has index, pos_a, pos_b, pos_c"},
    {"a.csv", ",0,1,2\n0,5,6,7\n", "1,2",
     ": --columns 1,2 may be numbers or names here; rename what is called by a number: '', 0, 1, 2"},
    {"a.csv", k_csv, "pos_a,psob,pos_c", ": --columns: no column 'psob'; the file has index, pos_a, pos_b, pos_c"},
    {"a.csv", k_csv, "pos_a,pso_b,pos_c",
     ": --columns: no column 'pso_b'; did you mean 'pos_b'? the file has index, pos_a, pos_b, pos_c"},
    {"a.csv", "X,Y,Z\n1,2,3\n", "x,y,z", ": --columns: no column 'x'; did you mean 'X'? the file has X, Y, Z"},
    {"a.csv", k_csv, "2,5", ": --columns: no column 5; the file has 4: index, pos_a, pos_b, pos_c"},
    {"a.csv", "1,2,3\n", "1,4", ": --columns: no column 4; the file has 3"},
    {"a.csv", "1,2,3\n", "x,y", ": --columns: no column 'x'; they have no names here, give numbers from 1 to 3"},
    {"a.csv", "x,y,z\n1,2,3\n", "x,1", ": --columns: 'x' and '1' are the same column"},
    {"a.csv", "x,y,u,u\n1,2,3,4\n", "x,u", ": --columns: 2 columns are called 'u' (numbers 3 and 4); give a number"},
    {"a.csv", "x,y,label\n1,2,tree\n", "x,label", ":2: column 3 is not a number: 'tree'"},
    {"a.ply", k_ascii, "a,x", ": --columns: no property 'x'; the file has a, r, b, c"},
    {"a.ply", k_binary, "a,99999999999", ": --columns: no property 99999999999; the file has 4: a, r, b, c"},
    {"a.ply", k_ragged, "a,r", ": property r of element vertex is a list"},
    {"a.npy", k_wide, "x,y", ": --columns: no column 'x'; they have no names here, give numbers from 1 to 4"},
    {"a.npy", k_fortran, "1,5", ": --columns: no column 5; the file has 4"},
    {"a.npy", k_fields, "A,b", ": --columns: no field 'A'; did you mean 'a'? the file has a, r, b, c"},
    {"a.pcd", pcd("ascii", "1", "1 2 3\n"), "x,h", ": --columns: no field 'h'; the file has x, y, z"},
    {"a.ply", ascii_ply("1", "1 2 3 9\n", k_coloured), "2,3,4",
     ": --columns: property 4 is 'red', but the file names its coordinates itself: x,y,z; to take it, "
     "give names: y,z,red"},
    {"a.kitti", bytes_of_all<float>({1, 2, 3, 9}), "2,3,4",
     ": --columns: column 4 is 'reflectance', but the file names its coordinates itself: x,y,z; to take "
     "it, give names: y,z,reflectance"},
    {"a.csv", "id,X[m],Y[m]\n7,1,2\n", "1,2",
     ": --columns: column 1 is 'id', but the file names its coordinates itself: X[m],Y[m]; to take it, "
     "give names: id,X[m]"},
    {"a.pcd", pcd("ascii", "1", "1 2 3 4\n", "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"), "x,4",
     ": --columns: field 4 is 'intensity', but the file names its coordinates itself: x,y,z; to take it, "
     "give names: x,intensity"},
};

TEST(ColumnsRefused, SaysWhatTheFileHas) {
  for (const RefusedColumns& row : k_refused_columns)
    EXPECT_EQ(refusal(row.file, row.bytes, {.columns = split(row.columns)}), row.file + row.expected);
}

TEST(ColumnsRefused, AHeaderOfHalfAMillionNamesTakesLessThanASecond) {
  std::string names, numbers;
  for (int i = 0; i < 100'000; ++i) names += "c" + std::to_string(i) + ",", numbers += "1,";
  EXPECT_EQ(refusal("a.csv", names + "\n" + numbers + "\n", {.columns = {"c7", "d7"}}),
            "a.csv: --columns: no column 'd7'; did you mean 'c7'? the file has c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, "
            "c10, c11 and 99989 more");
}

TEST(CheckColumns, ColumnsAreTwoOrThreeDifferentOnes) {
  for (const Lines& right : {Lines{}, {"x", "y"}, {"2", "3", "1"}, {"1", "z"}, {"x", "X"}, {"-x", "1.5"}})
    EXPECT_NO_THROW(check_columns(right));
  const std::pair<Lines, std::string> wrong[] = {{{"x"}, "x"},
                                                 {{"x", "y", "z", "t"}, "x,y,z,t"},
                                                 {{"x", "x"}, "x,x"},
                                                 {{"1", "01"}, "1,01"},
                                                 {{"0", "1"}, "0,1"},
                                                 {{"1", "-2"}, "1,-2"},
                                                 {{"x", ""}, "x,"},
                                                 {{""}, ""},
                                                 {{"1", "99999999999999999999"}, "1,99999999999999999999"},
                                                 {{"y", "z", "y"}, "y,z,y"}};
  for (const auto& [columns, text] : wrong) {
    const std::string message =
        "2: --columns expects two or three different columns, by name or by number from 1, got '" + text + "'";
    EXPECT_EQ(failure_of([&] { check_columns(columns); }), message);
    EXPECT_EQ(failure_of([&] { read_points("nope.csv", {.columns = columns}); }), message);
  }
}

}  // namespace
}  // namespace kann::formats
