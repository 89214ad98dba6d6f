// The range of a column: of every type, over blocks, with values that are no numbers.
#include "products/statistics/column_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "gtest/gtest.h"

namespace kann::statistics {
namespace {

template <class T>
class ColumnRangeOf : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ColumnRangeOf, Types);

template <class T>
using Held = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;

TYPED_TEST(ColumnRangeOf, AllBlocksTogetherGiveTheSmallestAndTheLargestValue) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {1u, 2u, 7u, 1000u})
    for (const std::size_t block : {1u, 3u, 1000u}) {
      Array<TypeParam> all(size);
      for (TypeParam& value : all) value = static_cast<TypeParam>(random());
      ColumnRange range;
      for (std::size_t first = 0; first < size; first += block) {
        Array<TypeParam> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(std::min(size, first + block)));
        range.add(part);
      }
      EXPECT_EQ(range.finite, static_cast<std::int64_t>(size));
      EXPECT_EQ(range.others, 0);
      EXPECT_EQ(std::get<Held<TypeParam>>(range.minimum), static_cast<Held<TypeParam>>(*std::ranges::min_element(all)));
      EXPECT_EQ(std::get<Held<TypeParam>>(range.maximum), static_cast<Held<TypeParam>>(*std::ranges::max_element(all)));
    }
}

TYPED_TEST(ColumnRangeOf, ItsLimitsAreHeldExactly) {
  ColumnRange range;
  range.add(Array<TypeParam>{std::numeric_limits<TypeParam>::max(), std::numeric_limits<TypeParam>::lowest()});
  EXPECT_EQ(std::get<Held<TypeParam>>(range.minimum), std::numeric_limits<TypeParam>::lowest());
  EXPECT_EQ(std::get<Held<TypeParam>>(range.maximum), std::numeric_limits<TypeParam>::max());
}

TEST(ColumnRange, CountsWhatIsNoNumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  ColumnRange range;
  range.add(Array<double>{nan, infinity});
  EXPECT_EQ(range.finite, 0);
  EXPECT_EQ(range.others, 2);
  range.add(Array<double>{-infinity, 3, -4.5, nan});
  range.add(Array<double>{});
  EXPECT_EQ(range.finite, 2);
  EXPECT_EQ(range.others, 4);
  EXPECT_EQ(std::get<double>(range.minimum), -4.5);
  EXPECT_EQ(std::get<double>(range.maximum), 3);
}

}  // namespace
}  // namespace kann::statistics
