// NPY files built by the definition of NEP 1: the four types and two orders of points are read, all else is refused.
#include <cmath>
#include <limits>

#include "formats/table/columns.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string npy_of(const std::string& dictionary, const std::string& data, int major = 1) {
  const std::string header = dictionary + "  \n";
  const auto length = static_cast<std::uint32_t>(header.size());
  return "\x93NUMPY" + std::string(1, static_cast<char>(major)) + std::string(1, '\0') +
         (major == 1 ? bytes_of(static_cast<std::uint16_t>(length)) : bytes_of(length)) + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

struct NpyCase {
  const char* name;
  std::string bytes;
  int dimensions = 3;
  bool is_float32 = true;
};
void PrintTo(const NpyCase& c, std::ostream* out) { *out << c.name; }

class Npy : public testing::TestWithParam<NpyCase> {};

TEST_P(Npy, GivesThePoints) {
  const Cloud cloud = read_bytes("pts.npy", GetParam().bytes);
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  EXPECT_EQ(cloud.points.dimensions, GetParam().dimensions);
  EXPECT_EQ(is_float32(cloud.points), GetParam().is_float32);
  EXPECT_TRUE(cloud.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, Npy,
    testing::Values(
        NpyCase{"Float32", npy_of(dictionary("<f4", "(2, 3)"), k_floats)},
        NpyCase{"Float32Big", npy_of(dictionary(">f4", "(2, 3)"), bytes_of_all<float>({1, 2, 3, 4, 5, 6}, true))},
        NpyCase{"Float64", npy_of(dictionary("<f8", "(2, 3)"), bytes_of_all<double>({1, 2, 3, 4, 5, 6})), 3, false},
        NpyCase{"Float64Big", npy_of(dictionary(">f8", "(2, 3)"), bytes_of_all<double>({1, 2, 3, 4, 5, 6}, true)), 3,
                false},
        NpyCase{"Fortran", npy_of(dictionary("<f4", "(2, 3)", "True"), bytes_of_all<float>({1, 4, 2, 5, 3, 6}))},
        NpyCase{"FortranFloat64Big",
                npy_of(dictionary(">f8", "(2, 3)", "True"), bytes_of_all<double>({1, 4, 2, 5, 3, 6}, true)), 3, false},
        NpyCase{"TwoColumns", npy_of(dictionary("<f4", "(3, 2)"), k_floats), 2},
        NpyCase{"TwoColumnsFortran",
                npy_of(dictionary("<f4", "(3, 2)", "True"), bytes_of_all<float>({1, 3, 5, 2, 4, 6})), 2},
        NpyCase{"Version2", npy_of(dictionary("<f4", "(2, 3)"), k_floats, 2)},
        NpyCase{"Version3", npy_of(dictionary("<f4", "(2, 3)"), k_floats, 3)},
        NpyCase{"OtherOrderAndQuotes",
                npy_of("{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}", k_floats)}),
    CaseName());

TEST(Npy, NoRows) {
  const Cloud cloud = read_bytes("pts.npy", npy_of(dictionary("<f8", "(0, 2)"), ""));
  EXPECT_EQ(cloud.points.size(), 0);
  EXPECT_EQ(cloud.points.dimensions, 2);
}

TEST(Npy, BytesAfterTheArrayAreAWarning) {
  const Cloud cloud = read_bytes("pts.npy", npy_of(dictionary("<f4", "(2, 3)"), k_floats + "more"));
  EXPECT_EQ(coordinates_of(cloud.points), k_points);
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_TRUE(cloud.warnings[0].ends_with("/pts.npy: 4 bytes after the array are not read")) << cloud.warnings[0];
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

class NpyRefused : public testing::TestWithParam<BytesCase> {};

TEST_P(NpyRefused, SaysWhatWasFound) {
  const std::string message = refusal("pts.npy", GetParam().bytes);
  EXPECT_TRUE(message.starts_with("pts.npy" + GetParam().expected)) << message;
}

TEST(Npy, AMessageHoldsTheValueAlone) {
  const std::string padding(40, ' ');
  EXPECT_EQ(refusal("a.npy", npy_of(dictionary("<f4", "(5, 4)") + padding, "")),
            "a.npy@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(5, 4)'; use --columns 1,2,3, or save "
            "array[:, :3]");
  EXPECT_EQ(refusal("a.npy", npy_of(dictionary("<f4", "(\n2, 3)"), "")),
            "a.npy: shape (2, 3) needs 24 bytes, file holds 0");
  EXPECT_EQ(refusal("a.npy", npy_of(dictionary("<c8", "(5, 3)") + padding, "")),
            "a.npy@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<c8'; save "
            "numpy.column_stack([array.real, array.imag])");
}

template <class T>
std::vector<double> read_as(const std::string& descr, std::initializer_list<T> values, bool* is_narrow = nullptr) {
  const Cloud cloud = read_bytes("a.npy", npy_of(dictionary(descr, "(2, 2)"), bytes_of_all<T>(values)));
  if (is_narrow) *is_narrow = is_float32(cloud.points);
  return coordinates_of(cloud.points);
}

TEST(ReadNpy, IntegersOfEveryWidthAreExact) {
  EXPECT_EQ(read_as<std::int8_t>("|i1", {-128, 127, 0, -1}), (std::vector<double>{-128, 127, 0, -1}));
  EXPECT_EQ(read_as<std::uint8_t>("|u1", {255, 127, 0, 1}), (std::vector<double>{255, 127, 0, 1}));
  EXPECT_EQ(read_as<std::int16_t>("<i2", {-32768, 32767, 0, 1}), (std::vector<double>{-32768, 32767, 0, 1}));
  EXPECT_EQ(read_as<std::int32_t>("<i4", {-2147483647, 2147483647, 0, 1}),
            (std::vector<double>{-2147483647, 2147483647, 0, 1}));
  EXPECT_EQ(read_as<std::int64_t>("<i8", {-9007199254740992, 9007199254740992, 0, 1}),
            (std::vector<double>{-9007199254740992, 9007199254740992, 0, 1}));
  EXPECT_EQ(read_as<std::uint64_t>("<u8", {9007199254740992, 3, 0, 1}),
            (std::vector<double>{9007199254740992, 3, 0, 1}));
  bool is_narrow = false;
  read_as<std::int32_t>("<i4", {1, 2, 3, 4}, &is_narrow);
  EXPECT_FALSE(is_narrow);
  read_as<std::int16_t>("<i2", {1, 2, 3, 4}, &is_narrow);
  EXPECT_TRUE(is_narrow);
}

TEST(ReadNpy, IntegersThatFloat64DoesNotHoldAreRefused) {
  const std::string message = "a.npy: row 1 has a whole number past 2^53, which float64 does not hold exactly";
  const auto refused = []<class T>(const std::string& descr, std::initializer_list<T> values) {
    return refusal("a.npy", npy_of(dictionary(descr, "(2, 2)"), bytes_of_all<T>(values)));
  };
  EXPECT_EQ(refused("<i8", std::initializer_list<std::int64_t>{0, 1, 9007199254740993, 2}), message);
  EXPECT_EQ(refused("<i8", std::initializer_list<std::int64_t>{0, 1, 2, std::numeric_limits<std::int64_t>::min()}),
            message);
  EXPECT_EQ(refused("<u8", std::initializer_list<std::uint64_t>{0, 1, 2, 18446744073709551615u}), message);
}

/// IEEE 754 binary16: 1.5, the largest, the smallest, −0, infinite and no number.
TEST(ReadNpy, HalvesAreExact) {
  bool is_narrow = false;
  EXPECT_EQ(read_as<std::uint16_t>("<f2", {0x3e00, 0x7bff, 0x0001, 0x8000}, &is_narrow),
            (std::vector<double>{1.5, 65504, 0x1p-24, -0.0}));
  EXPECT_TRUE(is_narrow);
  EXPECT_EQ(read_as<std::uint16_t>(">f2", {0x003e, 0x00bc, 0xff83, 0x0104}),
            (std::vector<double>{1.5, -1, -1023 * 0x1p-24, 1025 * 0x1p-24}));
  const std::vector<double> odd = read_as<std::uint16_t>("<f2", {0x7c00, 0xfc00, 0x7e00, 0x03ff});
  EXPECT_TRUE(odd[0] > 1e300 && odd[1] < -1e300 && std::isnan(odd[2]));
  for (int bits = 0; bits < 0x7c00; ++bits) {  // against the definition
    const int exponent = bits >> 10, fraction = bits & 1023;
    const double want = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(static_cast<double>(Half{static_cast<std::uint16_t>(bits)}), want) << bits;
  }
}

std::string with_shape(const std::string& shape) { return npy_of(dictionary("<f4", shape), k_floats); }
std::string with_type(const std::string& descr) { return npy_of(dictionary(descr, "(2, 3)"), k_floats); }

INSTANTIATE_TEST_SUITE_P(
    Preamble, NpyRefused,
    testing::Values(
        BytesCase{"Empty", "", ": empty file"},
        BytesCase{"OtherContent", "1 2 3\n", "@byte 0: not an NPY file (got '1 2 3\\x0a', need '\\x93NUMPY')"},
        BytesCase{"OnlyMagic", "\x93NUMPY", ": the file ends within the NPY header"},
        BytesCase{"NoLength", std::string("\x93NUMPY\x01\0\x76", 9), ": the file ends within the NPY header"},
        BytesCase{"Version9", npy_of(dictionary("<f4", "(2, 3)"), k_floats, 9),
                  "@byte 6: unknown NPY version (got 9.0, need 1.0, 2.0 or 3.0)"},
        BytesCase{"Version0", npy_of(dictionary("<f4", "(2, 3)"), k_floats, 0), "@byte 6: unknown NPY version"},
        BytesCase{"HeaderCut", with_shape("(2, 3)").substr(0, 40), ": NPY header needs 62 bytes, file holds 30"},
        BytesCase{"HeaderOf4GB", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13),
                  ": NPY header of 4294967295 bytes (need at most 1048576)"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Dictionary, NpyRefused,
    testing::Values(BytesCase{"None", npy_of("", k_floats), "@byte 13: NPY header: '{' expected"},
                    BytesCase{"NotClosed", npy_of("{'descr': '<f4'", k_floats), "@byte 28: NPY header: '}' expected"},
                    BytesCase{"StringNotClosed", npy_of("{'descr", k_floats),
                              "@byte 12: NPY header: a string without end"},
                    BytesCase{"UnknownEntry", npy_of("{'foo': 1}", k_floats), "@byte 11: NPY header: unknown entry"},
                    BytesCase{"EntryTwice", npy_of("{'fortran_order': False, 'fortran_order': True}", k_floats),
                              "@byte 35: NPY header: an entry twice"},
                    BytesCase{"EntryMissing", npy_of("{'descr': '<f4', 'shape': (2, 3)}", k_floats),
                              "@byte 46: NPY header: the header must have descr, fortran_order and shape"},
                    BytesCase{"MoreBehind", npy_of(dictionary("<f4", "(2, 3)") + "x", k_floats),
                              "@byte 69: NPY header: something follows"},
                    BytesCase{"OrderIsANumber", npy_of(dictionary("<f4", "(2, 3)", "1"), k_floats),
                              "@byte 44: NPY header: True or False"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Types, NpyRefused,
    testing::Values(BytesCase{"Float128", with_type("<f16"),
                              "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<f16'; save "
                              "array.astype(\"float64\")"},
                    BytesCase{"Bool", with_type("|b1"),
                              "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '|b1'; save "
                              "array.astype(\"float64\")"},
                    BytesCase{"Complex", with_type("<c8"),
                              "@byte 20: NPY header: the type is no float or integer of up to 64 bits: '<c8'; save "
                              "numpy.column_stack([array.real, array.imag])"},
                    BytesCase{"Object", with_type("|O"), "@byte 20: NPY header: a type of unknown size: '|O'"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Shapes, NpyRefused,
    testing::Values(
        BytesCase{"TooManyRows", with_shape("(20, 3)"), ": shape (20, 3) needs 240 bytes, file holds 24"},
        BytesCase{"RowsPower64Less1", with_shape("(18446744073709551615, 3)"),
                  ": shape (18446744073709551615, 3) needs 221360928884514619380 bytes, file holds 24"},
        BytesCase{"ProductWraps", with_shape("(6148914691236517206, 3)"),
                  ": shape (6148914691236517206, 3) needs 7378"},
        BytesCase{"RowsPower64", with_shape("(18446744073709551616, 3)"),
                  "@byte 61: NPY header: a size in the shape is out of range"},
        BytesCase{"OneDimension", with_shape("(6,)"),
                  "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(6,)'"},
        BytesCase{"NoDimension", with_shape("()"), "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '()'"},
        BytesCase{"ThreeDimensions", with_shape("(1, 2, 3)"),
                  "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 2, 3)'"},
        BytesCase{"FourDimensions", with_shape("(1, 1, 2, 3)"),
                  "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 1, 2, 3)'"},
        BytesCase{"FourColumns", with_shape("(1, 4)"),
                  "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 4)'; use --columns 1,2,3, or save"},
        BytesCase{
            "ColumnsPower64Less1", with_shape("(1, 18446744073709551615)"),
            "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(1, 18446744073709551615)'; use --columns"},
        BytesCase{"OneColumn", with_shape("(6, 1)"),
                  "@byte 60: NPY header: the shape is not (n, 2) or (n, 3): '(6, 1)'"},
        BytesCase{"Negative", with_shape("(-1, 3)"),
                  "@byte 61: NPY header: a size in the shape is not a number: '-1, 3)"},
        BytesCase{"Word", with_shape("(n, 3)"), "@byte 61: NPY header: a size in the shape is not a number: 'n, 3)"}),
    CaseName());

}  // namespace
}  // namespace kann::formats
