// One image on the device, and what the host makes of it.
#pragma once

#include "papers/arrays.hpp"
#include "papers/linear_texture.hpp"
#include "papers/random_words.hpp"
#include "papers/sobel/sobel.hpp"
#include "papers/sobel/sobel_reference.hpp"

namespace kann::bench {

/// Random pixels whose contrast differs from tile to tile, so that some results are small and others reach 255.
template <class Pixel>
std::vector<Pixel> random_image(int width, int height, std::uint64_t seed) {
  RandomWords words(seed);
  std::vector<Pixel> image;
  image.reserve(static_cast<std::size_t>(width) * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int shift = (x / 7 + y / 5) % 5;
      const std::uint32_t mask = (0xffu >> shift) * 0x01010101u;
      image.push_back(static_cast<Pixel>(words.next() & mask));
    }
  return image;
}

template <class Pixel>
class SobelCase {
 public:
  SobelCase(int width, int height, std::uint64_t seed)
      : width_(width),
        height_(height),
        pool_(stream_),
        host_image_(random_image<Pixel>(width, height, seed)),
        host_result_(sobel_on_host(host_image_, width, height)),
        in_(uploaded(pool_, host_image_, stream_)),
        out_(pool_, in_.size()),
        coefficients_(uploaded(
            pool_, std::vector<float>(std::begin(k_sobel_coefficients), std::end(k_sobel_coefficients)), stream_)),
        texture_(in_) {}

  const cuda::Stream& stream() const { return stream_; }
  cuda::Pool& pool() { return pool_; }
  std::int64_t pixels() const { return in_.size(); }

  SobelImage<Pixel> image() const {
    return {in_.data(), texture_, out_.data(), coefficients_.data(), width_, height_, sizeof(Pixel) == 1 ? 1.0f : 4.0f};
  }

  /// Runs a way once; whether each pixel is the host's.
  bool is_right(const SobelWay<Pixel>& way) {
    wipe(out_, stream_);
    way.launch(image(), stream_);
    const std::vector<Pixel> result = downloaded(out_, stream_);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (result[i] != sobel_pixel<Pixel>(host_result_[i])) return false;
    return true;
  }

  /// 4 (|Gx| + |Gy|) by the host.
  const std::vector<int>& host_result() const { return host_result_; }

 private:
  int width_, height_;
  cuda::Stream stream_;
  cuda::Pool pool_;
  std::vector<Pixel> host_image_;
  std::vector<int> host_result_;
  cuda::Buffer<Pixel> in_, out_;
  cuda::Buffer<float> coefficients_;
  LinearTexture<Pixel> texture_;
};

template <class Pixel>
constexpr const char* pixels_name() {
  return sizeof(Pixel) == 1 ? "bytes" : "words";
}

}  // namespace kann::bench
