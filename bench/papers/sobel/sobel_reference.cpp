#include "papers/sobel/sobel_reference.hpp"

#include <algorithm>
#include <cstdlib>

namespace kann::bench {
namespace {

int four_times_grey(std::uint8_t pixel) { return 4 * pixel; }
int four_times_grey(std::uint32_t pixel) {
  const int red = pixel & 0xff, green = (pixel & 0xff00) >> 8, blue = (pixel & 0xff0000) >> 16;
  return red + green + green + blue;
}

}  // namespace

template <class Pixel>
std::vector<int> sobel_on_host(const std::vector<Pixel>& image, int width, int height) {
  std::vector<int> result;
  result.reserve(image.size());
  for (int y = 0; y < height; ++y) {
    const auto row = [&](int of) {
      return image.data() + static_cast<std::size_t>(std::clamp(of, 0, height - 1)) * width;
    };
    const Pixel *above = row(y - 1), *here = row(y), *below = row(y + 1);
    for (int x = 0; x < width; ++x) {
      const int left = std::max(x - 1, 0), right = std::min(x + 1, width - 1);
      const auto across = [&](const Pixel* line) { return four_times_grey(line[right]) - four_times_grey(line[left]); };
      const auto down = [&](int column) { return four_times_grey(below[column]) - four_times_grey(above[column]); };
      result.push_back(std::abs(across(above) + 2 * across(here) + across(below)) +
                       std::abs(down(left) + 2 * down(x) + down(right)));
    }
  }
  return result;
}

template std::vector<int> sobel_on_host(const std::vector<std::uint8_t>&, int, int);
template std::vector<int> sobel_on_host(const std::vector<std::uint32_t>&, int, int);

template <>
std::uint8_t sobel_pixel(int four_times_magnitude) {
  return static_cast<std::uint8_t>(std::min(four_times_magnitude / 4, 255));
}
template <>
std::uint32_t sobel_pixel(int four_times_magnitude) {
  const std::uint32_t grey = sobel_pixel<std::uint8_t>(four_times_magnitude);
  return 255u << 24 | grey << 16 | grey << 8 | grey;
}

}  // namespace kann::bench
