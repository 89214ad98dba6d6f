// libpng reads back what was written.
#include <cstring>
#include <gtest/gtest.h>
#include <png.h>

#include "kann/error.hpp"
#include "kann/render.hpp"

#include "clouds.hpp"

namespace kann {
namespace {

TEST(Png, IsReadBack) {
  test::Random r(1);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {17, 31}, {640, 480}}) {
    Image image{width, height, {}};
    image.rgb.resize(3 * static_cast<std::size_t>(width) * height);
    for (std::uint8_t& byte : image.rgb) byte = static_cast<std::uint8_t>(r.below(256));
    const std::string bytes = png_bytes(image);
    EXPECT_EQ(bytes, png_bytes(image));

    png_image decoded{};
    decoded.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_memory(&decoded, bytes.data(), bytes.size())) << decoded.message;
    EXPECT_EQ(decoded.width, static_cast<png_uint_32>(width));
    EXPECT_EQ(decoded.height, static_cast<png_uint_32>(height));
    EXPECT_EQ(decoded.format & (PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_LINEAR),
              static_cast<png_uint_32>(PNG_FORMAT_FLAG_COLOR));
    decoded.format = PNG_FORMAT_RGB;
    std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(decoded));
    ASSERT_TRUE(png_image_finish_read(&decoded, nullptr, rgb.data(), 0, nullptr)) << decoded.message;
    ASSERT_EQ(rgb.size(), image.rgb.size());
    EXPECT_EQ(std::memcmp(rgb.data(), image.rgb.data(), rgb.size()), 0);
  }
}

TEST(Png, RefusesImagesThatAreNone) {
  for (const Image& image : {Image{}, Image{2, 2, Array<std::uint8_t>(11)}, Image{-1, 1, {}}, Image{0, 5, {}}}) try {
      png_bytes(image);
      ADD_FAILURE() << image.width << " x " << image.height;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    }
}

}  // namespace
}  // namespace kann
