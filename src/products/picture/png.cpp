// PNG by libpng: the bytes depend on the pixels alone.
#include <algorithm>
#include <png.h>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/render.hpp"

namespace kann {
namespace {

[[noreturn]] void fail(png_structp, png_const_charp message) {
  throw Error(ErrorKind::resources, std::string("PNG: ") + message);
}

void append(png_structp png, png_bytep data, std::size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

/// Frees what libpng has allocated, also when an exception passes through libpng.
struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, [](png_structp, png_const_charp) {});
  png_infop info = png ? png_create_info_struct(png) : nullptr;

  ~Writer() { png_destroy_write_struct(&png, &info); }
};

}  // namespace

std::string png_bytes(const Image& image) {
  const auto row_bytes = 3 * static_cast<std::size_t>(std::max(0, image.width));
  if (image.width < 1 || image.height < 1 || image.rgb.size() != row_bytes * static_cast<std::size_t>(image.height))
    throw Error(ErrorKind::bad_input, "PNG: an image of " + std::to_string(image.width) + " x " +
                                          std::to_string(image.height) + " pixels does not match " +
                                          std::to_string(image.rgb.size()) + " bytes");
  std::string bytes;
  Writer writer;
  if (!writer.info) throw Error(ErrorKind::resources, "PNG: no memory");
  png_set_write_fn(writer.png, &bytes, append, nullptr);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(writer.png, writer.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(writer.png, 3);
  png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_write_info(writer.png, writer.info);
  for (int y = 0; y < image.height; ++y) png_write_row(writer.png, &image.rgb[row_bytes * static_cast<std::size_t>(y)]);
  png_write_end(writer.png, nullptr);
  return bytes;
}

}  // namespace kann
