// NPY files built by the definition of NEP 1, or by NumPy itself: types, orders and fields; all else is refused.
#include <cmath>
#include <limits>

#include "formats/points/every_way.hpp"
#include "formats/table/columns.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string with_header(const std::string& dictionary, const std::string& data = k_floats, int major = 1) {
  return npy_of(dictionary + "  \n", data, major);
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string fields_npy(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy(descr, "False", shape, data, 2);
}

/// x, y and z of types of their own, with other fields before and between them.
const std::string k_odd_fields =
    "[('', '|V3'), ('x', '>i2'), ('rgb', '|u1', (3,)), (('a title', 'y'), '<f8'), ('t', '<M8[ns]'), "
    "('s', '<U2'), ('in', [('x', '<f4'), ('deep', [('q', '|b1', (2, 2))])]), ('z', '<f4')]";

std::string odd_row(std::int16_t x, double y, float z) {
  return "---" + bytes_of(x, true) + "rgb" + bytes_of(y) + "datetime" + "textUTF4" + "flt4" + "bool" + bytes_of(z);
}

const GoodFile k_good_npy[] = {
    {"Float32", with_header(dictionary("<f4", "(2, 3)"))},
    {"Float32Big", with_header(dictionary(">f4", "(2, 3)"), bytes_of_all<float>({1, 2, 3, 4, 5, 6}, true))},
    {"Fortran", with_header(dictionary("<f4", "(2, 3)", "True"), bytes_of_all<float>({1, 4, 2, 5, 3, 6}))},
    {"TwoColumns", with_header(dictionary("<f4", "(3, 2)")), "", k_points, 2},
    {"TwoColumnsFortran", with_header(dictionary("<f4", "(3, 2)", "True"), bytes_of_all<float>({1, 3, 5, 2, 4, 6})), "",
     k_points, 2},
    {"Version2", with_header(dictionary("<f4", "(2, 3)"), k_floats, 2)},
    {"Version3", with_header(dictionary("<f4", "(2, 3)"), k_floats, 3)},
    {"OtherOrderAndQuotes", with_header("{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}")},
    {"Fields", fields_npy("[('x', '<f4'), ('y', '<f4'), ('z', '<f4')]", "(2,)", k_floats), "x y z"},
    {"FieldsInCapitals", fields_npy("[('X', '<f4'), ('Y', '<f4'), ('Z', '<f4')]", "(2,)", k_floats), "X Y Z"},
    {"TwoFields", fields_npy("[('y', '<f4'), ('x', '<f4')]", "(3,)", k_floats), "x y", {2, 1, 4, 3, 6, 5}},
};

const GoodFile k_good_npy_of_doubles[] = {
    {"Float64", with_header(dictionary("<f8", "(2, 3)"), bytes_of_all<double>({1, 2, 3, 4, 5, 6}))},
    {"Float64Big", with_header(dictionary(">f8", "(2, 3)"), bytes_of_all<double>({1, 2, 3, 4, 5, 6}, true))},
    {"FortranFloat64Big",
     with_header(dictionary(">f8", "(2, 3)", "True"), bytes_of_all<double>({1, 4, 2, 5, 3, 6}, true))},
    {"OddFields", fields_npy(k_odd_fields, "(2,)", odd_row(1, 2, 3) + odd_row(4, 5, 6)), "x y z"},
    {"NoRowsOfFields", fields_npy("[('x', '<f8'), ('y', '<f8')]", "(0,)", ""), "x y", {}},
    {"NoRows", with_header(dictionary("<f8", "(0, 2)"), ""), "", {}, 2},
};

TEST(Npy, GivesThePoints) {
  expect_good({"pts.npy"}, k_good_npy);
  expect_good({"pts.npy", "", true}, k_good_npy_of_doubles);
}

TEST(Npy, BytesAfterTheArrayAreAWarning) {
  const std::string file = with_header(dictionary("<f4", "(2, 3)"), k_floats + "more");
  EXPECT_EQ(points_in("pts.npy", file), k_points);
  EXPECT_EQ(warnings_in("pts.npy", file), Lines{"pts.npy: 4 bytes after the array are not read"});
}

TEST(Npy, ReadsWhatNumpyWrites) {
  if (!has_numpy()) GTEST_SKIP() << "Python has no numpy";
  const TemporaryFolder folder;
  const auto save = [&](const std::string& array) {
    return run_python("import sys, numpy as n; n.save(sys.argv[1], " + array + ")", folder.file("a.npy")) == 0;
  };
  for (const std::string type : {"\"<f4\"", "\">f4\"", "\"<f8\"", "\">f8\""})
    for (const std::string order : {"\"C\"", "\"F\""}) {
      ASSERT_TRUE(save("n.array([[1, 2, 3], [4, 5, 6]], dtype=" + type + ", order=" + order + ")"));
      EXPECT_EQ(coordinates_of(read_points(folder.file("a.npy")).points), k_points) << type << order;
    }
}

TEST(Npy, AMessageHoldsTheValueAlone) {
  const std::string padding(40, ' ');
  EXPECT_EQ(refusal("a.npy", with_header(dictionary("<f4", "(5, 4)") + padding, "")),
            "a.npy@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(5, 4)'; use --columns 1,2,3, or save "
            "array[:, :3]");
  EXPECT_EQ(refusal("a.npy", with_header(dictionary("<f4", "(\n2, 3)"), "")),
            "a.npy: shape (2, 3) needs 24 bytes, file holds 0");
  EXPECT_EQ(refusal("a.npy", with_header(dictionary("<c8", "(5, 3)") + padding, "")),
            "a.npy@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<c8'; save "
            "numpy.column_stack([array.real, array.imag])");
}

template <class T>
Numbers read_as(const std::string& descr, std::initializer_list<T> values, bool* is_narrow = nullptr) {
  const Cloud cloud = read_bytes("a.npy", with_header(dictionary(descr, "(2, 2)"), bytes_of_all<T>(values)));
  if (is_narrow) *is_narrow = is_float32(cloud.points);
  return coordinates_of(cloud.points);
}

TEST(ReadNpy, IntegersOfEveryWidthAreExact) {
  EXPECT_EQ(read_as<std::int8_t>("|i1", {-128, 127, 0, -1}), (Numbers{-128, 127, 0, -1}));
  EXPECT_EQ(read_as<std::uint8_t>("|u1", {255, 127, 0, 1}), (Numbers{255, 127, 0, 1}));
  EXPECT_EQ(read_as<std::int16_t>("<i2", {-32768, 32767, 0, 1}), (Numbers{-32768, 32767, 0, 1}));
  EXPECT_EQ(read_as<std::int32_t>("<i4", {-2147483647, 2147483647, 0, 1}), (Numbers{-2147483647, 2147483647, 0, 1}));
  EXPECT_EQ(read_as<std::int64_t>("<i8", {-9007199254740992, 9007199254740992, 0, 1}),
            (Numbers{-9007199254740992, 9007199254740992, 0, 1}));
  EXPECT_EQ(read_as<std::uint64_t>("<u8", {9007199254740992, 3, 0, 1}), (Numbers{9007199254740992, 3, 0, 1}));
  bool is_narrow = false;
  read_as<std::int32_t>("<i4", {1, 2, 3, 4}, &is_narrow);
  EXPECT_FALSE(is_narrow);
  read_as<std::int16_t>("<i2", {1, 2, 3, 4}, &is_narrow);
  EXPECT_TRUE(is_narrow);
}

TEST(ReadNpy, IntegersThatFloat64DoesNotHoldAreRefused) {
  const std::string message = "a.npy: row 1 has a whole number past 2^53, which float64 does not hold exactly";
  const auto refused = []<class T>(const std::string& descr, std::initializer_list<T> values) {
    return refusal("a.npy", with_header(dictionary(descr, "(2, 2)"), bytes_of_all<T>(values)));
  };
  EXPECT_EQ(refused("<i8", std::initializer_list<std::int64_t>{0, 1, 9007199254740993, 2}), message);
  EXPECT_EQ(refused("<i8", std::initializer_list<std::int64_t>{0, 1, 2, std::numeric_limits<std::int64_t>::min()}),
            message);
  EXPECT_EQ(refused("<u8", std::initializer_list<std::uint64_t>{0, 1, 2, 18446744073709551615u}), message);
}

/// The first row is said, also where the columns follow one another.
TEST(ReadNpy, TheFirstIntegerThatFloat64DoesNotHoldIsSaidInEitherOrder) {
  constexpr std::int64_t far = 9007199254740993;
  const auto refused = [](const std::string& order, std::initializer_list<std::int64_t> values) {
    return refusal("a.npy", npy("'<i8'", order, "(3, 2)", bytes_of_all(values)));
  };
  const std::string message = "a.npy: row 0 has a whole number past 2^53, which float64 does not hold exactly";
  EXPECT_EQ(refused("False", {0, far, 0, 0, far, 0}), message);
  EXPECT_EQ(refused("True", {0, 0, far, far, 0, 0}), message);
}

/// IEEE 754 binary16: 1.5, the largest, the smallest, −0, infinite and no number.
TEST(ReadNpy, HalvesAreExact) {
  bool is_narrow = false;
  EXPECT_EQ(read_as<std::uint16_t>("<f2", {0x3e00, 0x7bff, 0x0001, 0x8000}, &is_narrow),
            (Numbers{1.5, 65504, 0x1p-24, -0.0}));
  EXPECT_TRUE(is_narrow);
  EXPECT_EQ(read_as<std::uint16_t>(">f2", {0x003e, 0x00bc, 0xff83, 0x0104}),
            (Numbers{1.5, -1, -1023 * 0x1p-24, 1025 * 0x1p-24}));
  const Numbers odd = read_as<std::uint16_t>("<f2", {0x7c00, 0xfc00, 0x7e00, 0x03ff});
  EXPECT_TRUE(odd[0] > 1e300 && odd[1] < -1e300 && std::isnan(odd[2]));
  for (int bits = 0; bits < 0x7c00; ++bits) {  // against the definition
    const int exponent = bits >> 10, fraction = bits & 1023;
    const double want = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(static_cast<double>(Half{static_cast<std::uint16_t>(bits)}), want) << bits;
  }
}

std::string with_shape(const std::string& shape) { return with_header(dictionary("<f4", shape)); }
std::string with_type(const std::string& descr) { return with_header(dictionary(descr, "(2, 3)")); }

const RefusedFile k_refused_npy[] = {
    // Preamble
    {"Empty", "", ": empty file"},
    {"OtherContent", "1 2 3\n", "@byte 0: not an NPY file (got '1 2 3\\x0a', need '\\x93NUMPY')"},
    {"OnlyMagic", "\x93NUMPY", ": the file ends within the NPY header"},
    {"NoLength", std::string("\x93NUMPY\x01\0\x76", 9), ": the file ends within the NPY header"},
    {"Version9", with_header(dictionary("<f4", "(2, 3)"), k_floats, 9),
     "@byte 6: unknown NPY version (got 9.0, need 1.0, 2.0 or 3.0)"},
    {"Version0", with_header(dictionary("<f4", "(2, 3)"), k_floats, 0), "@byte 6: unknown NPY version..."},
    {"HeaderCut", with_shape("(2, 3)").substr(0, 40), ": NPY header needs 62 bytes, file holds 30"},
    {"HeaderOf4GB", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13),
     ": NPY header of 4294967295 bytes (need at most 1048576)"},
    // Dictionary
    {"None", with_header(""), "@byte 13: NPY header: '{' expected..."},
    {"NotClosed", with_header("{'descr': '<f4'"), "@byte 28: NPY header: '}' expected..."},
    {"StringNotClosed", with_header("{'descr"), "@byte 12: NPY header: a string without end..."},
    {"UnknownEntry", with_header("{'foo': 1}"), "@byte 11: NPY header: unknown entry..."},
    {"EntryTwice", with_header("{'fortran_order': False, 'fortran_order': True}"),
     "@byte 35: NPY header: an entry twice..."},
    {"EntryMissing", with_header("{'descr': '<f4', 'shape': (2, 3)}"),
     "@byte 46: NPY header: the header must have descr, fortran_order and shape..."},
    {"MoreBehind", with_header(dictionary("<f4", "(2, 3)") + "x"), "@byte 69: NPY header: something follows..."},
    {"OrderIsANumber", with_header(dictionary("<f4", "(2, 3)", "1")), "@byte 44: NPY header: True or False..."},
    // Types
    {"Float128", with_type("<f16"),
     "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<f16'; save "
     "array.astype(\"float64\")"},
    {"Bool", with_type("|b1"),
     "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '|b1'; save "
     "array.astype(\"float64\")"},
    {"Complex", with_type("<c8"),
     "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<c8'; save "
     "numpy.column_stack([array.real, array.imag])"},
    {"Object", with_type("|O"), "@byte 20: NPY header: a type of unknown size: '|O'"},
    // Shapes
    {"TooManyRows", with_shape("(20, 3)"), ": shape (20, 3) needs 240 bytes, file holds 24"},
    {"RowsPower64Less1", with_shape("(18446744073709551615, 3)"),
     ": shape (18446744073709551615, 3) needs 221360928884514619380 bytes, file holds 24"},
    {"ProductWraps", with_shape("(6148914691236517206, 3)"), ": shape (6148914691236517206, 3) needs 7378..."},
    {"RowsPower64", with_shape("(18446744073709551616, 3)"),
     "@byte 61: NPY header: a size in the shape is out of range..."},
    {"OneDimension", with_shape("(6,)"), "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(6,)'"},
    {"NoDimension", with_shape("()"), "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '()'"},
    {"ThreeDimensions", with_shape("(1, 2, 3)"),
     "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 2, 3)'"},
    {"FourDimensions", with_shape("(1, 1, 2, 3)"),
     "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 1, 2, 3)'"},
    {"FourColumns", with_shape("(1, 4)"),
     "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 4)'; use --columns 1,2,3, or save..."},
    {"ColumnsPower64Less1", with_shape("(1, 18446744073709551615)"),
     "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 18446744073709551615)'; use --columns..."},
    {"OneColumn", with_shape("(6, 1)"), "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(6, 1)'"},
    {"Negative", with_shape("(-1, 3)"), "@byte 61: NPY header: a size in the shape is not a number: '-1, 3)..."},
    {"Word", with_shape("(n, 3)"), "@byte 61: NPY header: a size in the shape is not a number: 'n, 3)..."},
};

TEST(NpyRefused, SaysWhatWasFound) { expect_refusals("pts.npy", k_refused_npy); }

// Structured arrays: fields called x, y and z are the points, whatever lies between them.

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
    EXPECT_EQ(coordinates_of(read_points(folder.file("a.npy"), {.columns = {"z", "x"}}).points), (Numbers{3, 1, 6, 4}))
        << type;
  }
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

const RefusedFile k_refused_npy_fields[] = {
    {"OtherNames", fields_npy("[('u', '<f4'), ('v', '<f4')]", "(0,)", ""),
     ": the fields do not say which are x, y and z: u, v; name them with --columns"},
    {"None", fields_npy("[]", "(0,)", ""), ": the fields do not say which are x, y and z: ; name..."},
    {"Bool", fields_npy("[('x', '|b1'), ('y', '<f4')]", "(0,)", ""),
     ": field 'x' is no float or integer of up to 64 bits: '|b1'"},
    {"Text", fields_npy("[('x', '<f4'), ('y', '<U4')]", "(0,)", ""), ": field 'y' is no float..."},
    {"Array", fields_npy("[('x', '<f4'), ('y', '<f4', (2,))]", "(0,)", ""), ": field 'y' is no float..."},
    {"Structure", fields_npy("[('x', '<f4'), ('y', [('v', '<f4')])]", "(0,)", ""),
     ": field 'y' is no float or integer of up to 64 bits"},
    {"Objects", fields_npy("[('x', '<f4'), ('y', '|O')]", "(0,)", ""),
     "@byte 43: NPY header: a type of unknown size: '|O'"},
    {"TwoDimensions", fields_npy(k_xy, "(1, 2)", ""),
     "@byte 85: NPY header: the shape of an array with fields is not (n,): '(1, 2)'"},
    {"TooShort", fields_npy(k_xy, "(3,)", "12345678"), ": shape (3,) needs 24 bytes, file holds 8"},
    {"ProductWraps", fields_npy(k_xy, "(2305843009213693953,)", "12345678"),
     ": shape (2305843009213693953,) needs 18446744073709551624 bytes, file holds 8"},
    {"SizeWraps", fields_npy("[('x', '<f4', (4294967296, 4294967296))]", "(0,)", ""),
     "@byte 59: NPY header: a field is too large..."},
    {"HugeType", fields_npy("[('x', '|S99999999999999999999')]", "(0,)", ""),
     "@byte 29: NPY header: a type of unknown size..."},
    {"HugeText", fields_npy("[('x', '<U1000000000000')]", "(0,)", ""), "@byte 47: NPY header: a field is too large..."},
    {"TooDeep", fields_npy(nested(20), "(0,)", ""), "@byte 141: NPY header: structures within structures, too deep..."},
    {"TooMany", fields_npy(fields(5000), "(0,)", ""), "@byte 72653: NPY header: too many fields..."},
    {"NotClosed", fields_npy("[('x', '<f4')", "(0,)", ""), "@byte 37: NPY header: '(' expected..."},
    {"NoType", fields_npy("[('x')]", "(0,)", ""), "@byte 27: NPY header: ',' expected..."},
};

TEST(NpyFieldsRefused, SaysWhatWasFound) { expect_refusals("a.npy", k_refused_npy_fields); }

}  // namespace
}  // namespace kann::formats
