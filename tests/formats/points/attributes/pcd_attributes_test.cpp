// Fields of PCD as attributes: colours that PCL packs, fields of several values, padding, 64 bits.
#include "formats/points/attributes/attributes_support.hpp"
#include "formats/points/pcd/pcd_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

std::string fields(const std::string& name, const std::string& type, const std::string& size = "4") {
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
      const std::string head = fields(name, type);
      for (const std::string& file :
           {pcd("binary", "2", rows, head),
            pcd("binary_compressed", "2", compressed_body(lzf_literals(columns), columns.size()), head)}) {
        EXPECT_EQ(all_attributes_of("a.pcd", file), k_colours);
        EXPECT_EQ(attributes_of("a.pcd", file, {.attributes = {name}}), k_colours);
        EXPECT_EQ(attributes_of("a.pcd", file, {.attributes = {"green", "x"}}),
                  (Lines{"uint8 green 100 0", "float32 x 1 1"}));
      }
    }
}

TEST(PcdAttributes, PackedColoursInText) {
  EXPECT_EQ(all_attributes_of("a.pcd", pcd("ascii", "2", "1 2 3 4278871240\n1 2 3 1\n", fields("rgb", "U"))),
            k_colours);
  // As a float, the bits 10·2¹⁶ + 100·2⁸ + 200 are 9.5450846e-40; its digits give the bits back.
  EXPECT_EQ(all_attributes_of("a.pcd", pcd("ascii", "2", "1 2 3 9.5450846e-40\n1 2 3 1e-45\n", fields("rgb", "F"))),
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
    const std::vector<std::string> warnings = read_bytes("a.pcd", file, {.all_attributes = true}).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].ends_with(": left out of the attributes: 'normal' has 2 values per point")) << warnings[0];
    EXPECT_EQ(refusal("a.pcd", file, {.attributes = {"normal"}}),
              "a.pcd: field 'normal' has 2 values per point; it cannot be an attribute");
    EXPECT_EQ(refusal("a.pcd", file, {.columns = {"x", "a"}}),
              "a.pcd: field 'a' is not float32, float64 or an integer of at most 32 bits: 'U8'");
  }
}

TEST(PcdAttributes, ValuesInTextFitTheirType) {
  EXPECT_EQ(refusal("a.pcd", pcd("ascii", "1", "1 2 3 256\n", fields("a", "U", "1")), {.attributes = {"a"}}),
            "a.pcd:12: field a is out of range of its integer type: '256'");
}

}  // namespace
}  // namespace kann::formats
