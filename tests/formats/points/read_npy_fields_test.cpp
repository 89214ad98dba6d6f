// Structured NumPy arrays: fields called x, y and z are the points, whatever lies between them; NumPy itself writes the
// files, or they are built by its definition.
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string fields_npy(const std::string& descr, const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\x02\0", 2) + bytes_of(static_cast<std::uint32_t>(header.size())) + header + data;
}

TEST(NpyFields, XYAndZAreThePoints) {
  const std::string floats = bytes_of_all<float>({1, 2, 3, 4, 5, 6});
  for (const std::string& names : {std::string("xyz"), std::string("XYZ")}) {
    const std::string descr =
        std::string("[('") + names[0] + "', '<f4'), ('" + names[1] + "', '<f4'), ('" + names[2] + "', '<f4')]";
    const Cloud cloud = read_bytes("a.npy", fields_npy(descr, "(2,)", floats));
    EXPECT_EQ(coordinates_of(cloud.points), k_points);
    EXPECT_TRUE(is_float32(cloud.points));
    EXPECT_EQ(cloud.columns, (std::vector<std::string>{{names[0]}, {names[1]}, {names[2]}}));
  }
  const Cloud flat = read_bytes("a.npy", fields_npy("[('y', '<f4'), ('x', '<f4')]", "(3,)", floats));
  EXPECT_EQ(flat.points.dimensions, 2);
  EXPECT_EQ(coordinates_of(flat.points), (std::vector<double>{2, 1, 4, 3, 6, 5}));
}

TEST(NpyFields, FieldsBetweenThemAreSkipped) {
  const std::string descr =
      "[('', '|V3'), ('x', '>i2'), ('rgb', '|u1', (3,)), (('a title', 'y'), '<f8'), ('t', '<M8[ns]'), "
      "('s', '<U2'), ('in', [('x', '<f4'), ('deep', [('q', '|b1', (2, 2))])]), ('z', '<f4')]";
  const auto row = [](std::int16_t x, double y, float z) {
    return "---" + bytes_of(x, true) + "rgb" + bytes_of(y) + "datetime" + "textUTF4" + "flt4" + "bool" + bytes_of(z);
  };
  const Cloud cloud = read_bytes("a.npy", fields_npy(descr, "(2,)", row(1, 2, 3) + row(4, 5, 6)));
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_FALSE(is_float32(cloud.points));
  EXPECT_TRUE(cloud.warnings.empty());
}

TEST(NpyFields, NoRows) {
  const Cloud cloud = read_bytes("a.npy", fields_npy("[('x', '<f8'), ('y', '<f8')]", "(0,)", ""));
  EXPECT_EQ(cloud.points.size(), 0);
  EXPECT_EQ(cloud.points.dimensions, 2);
}

TEST(NpyFields, WhatNumpyWritesIsRead) {
  if (!has_numpy()) GTEST_SKIP() << "Python has no numpy";
  const TemporaryFolder folder;
  const std::string types[] = {
      "[(\"x\", \"<f4\"), (\"y\", \"<f4\"), (\"z\", \"<f4\")]",
      "[(\"label\", \"u1\"), (\"z\", \"<f8\"), (\"y\", \">f4\"), (\"x\", \"<i4\"), (\"id\", \"<i8\")]",
      "n.dtype([(\"x\", \"u1\"), (\"y\", \"f8\"), (\"n\", \"f4\", (3,)), (\"z\", \"u2\"), (\"s\", \"U5\")], "
      "align=True)",
      "[(\"x\", \"i1\"), (\"o\", [(\"x\", \"f8\"), (\"b\", \"?\")]), (\"y\", \"i2\"), (\"z\", \"f4\"), (\"t\", "
      "\"M8[us]\")]"};
  for (const std::string& type : types) {
    ASSERT_EQ(run_python("import sys, numpy as n; a = n.zeros(2, " + type +
                             "); a[\"x\"] = [1, 4]; a[\"y\"] = [2, 5]; a[\"z\"] = [3, 6]; n.save(sys.argv[1], a)",
                         folder.file("a.npy")),
              0);
    EXPECT_EQ(coordinates_of(read_points(folder.file("a.npy")).points), k_points) << type;
    EXPECT_EQ(coordinates_of(read_points(folder.file("a.npy"), {.columns = {"z", "x"}}).points),
              (std::vector<double>{3, 1, 6, 4}))
        << type;
  }
}

class NpyFieldsRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(NpyFieldsRefused, SaysWhatWasFound) {
  const std::string message = refusal("a.npy", GetParam().bytes);
  EXPECT_TRUE(message.starts_with("a.npy" + GetParam().expected)) << message;
}

std::string nested(int depth) {
  std::string descr = "'<f4'";
  for (int i = 0; i < depth; ++i) descr = "[('f', " + descr + ")]";
  return descr;
}
std::string fields(int count) {
  std::string descr = "[('x', '<f4')";
  for (int i = 0; i < count; ++i) descr += ", ('f" + std::to_string(i) + "', '<f4')";
  return descr + "]";
}
const std::string k_xy = "[('x', '<f4'), ('y', '<f4')]";

INSTANTIATE_TEST_SUITE_P(
    All, NpyFieldsRefused,
    testing::Values(
        BytesCase{"OtherNames", fields_npy("[('u', '<f4'), ('v', '<f4')]", "(0,)", ""),
                  ": the fields do not say which are x, y and z: u, v; name them with --columns"},
        BytesCase{"None", fields_npy("[]", "(0,)", ""), ": the fields do not say which are x, y and z: ; name"},
        BytesCase{"Bool", fields_npy("[('x', '|b1'), ('y', '<f4')]", "(0,)", ""),
                  ": field 'x' is no float or integer of up to 64 bits: '|b1'"},
        BytesCase{"Text", fields_npy("[('x', '<f4'), ('y', '<U4')]", "(0,)", ""), ": field 'y' is no float"},
        BytesCase{"Array", fields_npy("[('x', '<f4'), ('y', '<f4', (2,))]", "(0,)", ""), ": field 'y' is no float"},
        BytesCase{"Structure", fields_npy("[('x', '<f4'), ('y', [('v', '<f4')])]", "(0,)", ""),
                  ": field 'y' is no float or integer of up to 64 bits"},
        BytesCase{"Objects", fields_npy("[('x', '<f4'), ('y', '|O')]", "(0,)", ""),
                  "@byte 43: NPY header: a type of unknown size: '|O'"},
        BytesCase{"TwoDimensions", fields_npy(k_xy, "(1, 2)", ""),
                  "@byte 85: NPY header: the shape of an array with fields is not (n,): '(1, 2)'"},
        BytesCase{"TooShort", fields_npy(k_xy, "(3,)", "12345678"), ": shape (3,) needs 24 bytes, file holds 8"},
        BytesCase{"ProductWraps", fields_npy(k_xy, "(2305843009213693953,)", "12345678"),
                  ": shape (2305843009213693953,) needs 18446744073709551624 bytes, file holds 8"},
        BytesCase{"SizeWraps", fields_npy("[('x', '<f4', (4294967296, 4294967296))]", "(0,)", ""),
                  "@byte 59: NPY header: a field is too large"},
        BytesCase{"HugeType", fields_npy("[('x', '|S99999999999999999999')]", "(0,)", ""),
                  "@byte 29: NPY header: a type of unknown size"},
        BytesCase{"HugeText", fields_npy("[('x', '<U1000000000000')]", "(0,)", ""),
                  "@byte 47: NPY header: a field is too large"},
        BytesCase{"TooDeep", fields_npy(nested(20), "(0,)", ""),
                  "@byte 141: NPY header: structures within structures, too deep"},
        BytesCase{"TooMany", fields_npy(fields(5000), "(0,)", ""), "@byte 72653: NPY header: too many fields"},
        BytesCase{"NotClosed", fields_npy("[('x', '<f4')", "(0,)", ""), "@byte 37: NPY header: '(' expected"},
        BytesCase{"NoType", fields_npy("[('x')]", "(0,)", ""), "@byte 27: NPY header: ',' expected"}),
    CaseName());

}  // namespace
}  // namespace kann::formats
