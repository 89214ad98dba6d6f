// Which method one attribute gets where a method stands for several.
#include <gtest/gtest.h>

#include "kann/transfer.hpp"

namespace kann {
namespace {

using enum TransferMethod;

TransferMethod chosen(const Attribute& attribute, TransferMethod asked) { return transfer_method(attribute, asked); }

TEST(TransferMethodTest, WholeNumbersAreVotedForUnlessTheyAreQuantities) {
  for (const TransferMethod asked : {mean, idw, rbf}) {
    EXPECT_EQ(chosen({"class", Array<std::uint8_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"depth", Array<std::int32_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"depth", Array<double>{1}}, asked), asked);
    for (const char* const name : {"red", "Intensity", "diffuse_blue", "nir"})
      EXPECT_EQ(chosen({name, Array<std::uint16_t>{1}}, asked), asked) << name;
    EXPECT_EQ(chosen({"shared", Array<std::uint16_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"Height", Array<std::int32_t>{1}, Meaning::coordinate}, asked), asked) << "a coordinate";
  }
  EXPECT_EQ(chosen({"class", Array<std::uint8_t>{1}}, nearest), nearest);
  EXPECT_EQ(chosen({"depth", Array<float>{1}}, vote), mean);
}

}  // namespace
}  // namespace kann
