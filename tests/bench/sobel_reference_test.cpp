// The host's Sobel operator against a convolution in double, written down as it is defined.
#include "papers/sobel/sobel_reference.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace kann::bench {
namespace {

double grey(std::uint8_t pixel) { return pixel; }
double grey(std::uint32_t pixel) { return (pixel % 256 + 2. * (pixel / 256 % 256) + pixel / 65536 % 256) / 4; }

template <class Pixel>
double magnitude(const std::vector<Pixel>& image, int width, int height, int x, int y) {
  const double filter[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  double across = 0, down = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int column = std::clamp(x + j - 1, 0, width - 1), row = std::clamp(y + i - 1, 0, height - 1);
      const double value = grey(image[static_cast<std::size_t>(row * width + column)]);
      across += value * filter[i][j];
      down += value * filter[j][i];
    }
  return std::abs(across) + std::abs(down);
}

template <class Pixel>
class SobelOf : public testing::Test {};
using Pixels = testing::Types<std::uint8_t, std::uint32_t>;
TYPED_TEST_SUITE(SobelOf, Pixels);

TYPED_TEST(SobelOf, EqualsTheConvolutionOnImagesOfAwkwardSizes) {
  std::mt19937 random(5);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 3}, {16, 15}, {17, 33}}) {
    std::vector<TypeParam> image;
    for (int i = 0; i < width * height; ++i) image.push_back(static_cast<TypeParam>(random()));
    const std::vector<int> result = sobel_on_host(image, width, height);
    ASSERT_EQ(result.size(), image.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        ASSERT_EQ(result[static_cast<std::size_t>(y * width + x)], 4 * magnitude(image, width, height, x, y))
            << width << " × " << height << ' ' << x << ' ' << y;
  }
}

TEST(SobelReference, AStepFromBlackToWhiteIsFourTimes255) {
  const std::vector<std::uint8_t> image = {0, 0, 255, 255, 0, 0, 255, 255};
  EXPECT_EQ(sobel_on_host(image, 4, 2), (std::vector<int>{0, 4080, 4080, 0, 0, 4080, 4080, 0}));
}

TEST(SobelReference, PixelsAreRoundedDownAndEndAt255) {
  EXPECT_EQ(sobel_pixel<std::uint8_t>(7), 1);
  EXPECT_EQ(sobel_pixel<std::uint8_t>(1019), 254);
  EXPECT_EQ(sobel_pixel<std::uint8_t>(1020), 255);
  EXPECT_EQ(sobel_pixel<std::uint8_t>(8160), 255);
  EXPECT_EQ(sobel_pixel<std::uint32_t>(4 * 0x12 + 3), 0xff121212u);
}

}  // namespace
}  // namespace kann::bench
