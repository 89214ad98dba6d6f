// The Sobel operators that bench_sobel compares, as functions that queue them, so that only the kernels need nvcc.
//
// S. Kim, D. Kim, S. Woo and I. Ihm, "Analysis of Programming Techniques for Creating Optimized CUDA Software", Journal
// of KIISE: Computing Practices and Letters 16(7), 2010, section 4: |Gx| + |Gy| of a grey image. The paper's pixels are
// words of an OpenGL buffer, which every read converts to grey; here also 8-bit grey ones.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kann::bench {

/// Where a thread reads the pixels around its own (4.2; codes 1 to 5 of the appendix).
enum class SobelMemory { global, texture, shared_1, shared_2, shared_3, shared_4 };

/// The optimisations of 4.3, each with those before it, as the rows of Table 5; and two that the paper does not have.
enum class SobelStep {
  none,          ///< coefficients in global memory, an if per bound of the image, a division, blockDim, rolled loops
  constant,      ///< coefficients in constant memory (4.3.1)
  conditionals,  ///< minimum and maximum instead of ifs, a multiplication instead of the division (4.3.2)
  fixed_block,   ///< the block's size is a constant of the compilation (4.3.3)
  unrolled,      ///< the loops over the 3 × 3 pixels are unrolled (4.3.4)
  by_compiler,   ///< as `none`, but the compiler may unroll: the paper's compiler did not
  literal,       ///< as `unrolled`, with coefficients that the compiler knows
};

/// An image in device memory, row by row. A pixel is a byte, its grey value, or a word whose lower three bytes are red,
/// green and blue, with the grey value (r + 2g + b) / 4: the paper names no weights, and with these, float32 is exact,
/// so that all ways agree to the bit. Outside of the image is its nearest pixel. The result is the least of 255 and
/// |Gx| + |Gy| rounded down: a byte, or a word with it in its lower three bytes and 255 in the highest.
template <class Pixel>
struct SobelImage {
  const Pixel* d_in;
  cudaTextureObject_t texture;  ///< of d_in, one-dimensional (4.3); read as elements
  Pixel* d_out;
  const float* d_coefficients;  ///< k_sobel_coefficients in device memory
  int width, height;            ///< the product is at most 2²⁸, CUDA's limit for such a texture
  float divisor;                ///< 4 for words, 1 for bytes; an argument, so that the compiler has to divide
};

/// Figures 8 and 9: nine coefficients of the horizontal filter, row by row, and nine of the vertical one.
inline constexpr float k_sobel_coefficients[18] = {-1, 0, 1, -2, 0, 2, -1, 0, 1, -1, -2, -1, 0, 0, 0, 1, 2, 1};

template <class Pixel>
struct SobelWay {
  SobelMemory memory;
  SobelStep step;
  std::function<void(const SobelImage<Pixel>&, cudaStream_t)> launch;  ///< does not block
};

/// All memories, and of each all steps; Pixel is std::uint8_t or std::uint32_t.
template <class Pixel>
std::vector<SobelWay<Pixel>> sobel_ways();

/// The parts of sobel_ways(): global and texture; shared I to III; shared IV.
template <class Pixel>
void add_direct_ways(std::vector<SobelWay<Pixel>>& ways);
template <class Pixel>
void add_shared_square_ways(std::vector<SobelWay<Pixel>>& ways);
template <class Pixel>
void add_shared_rows_ways(std::vector<SobelWay<Pixel>>& ways);

std::string name_of(SobelMemory memory);
std::string name_of(SobelStep step);

/// NPP's Sobel magnitude, |Gx| + |Gy| as 16-bit integers, of bytes.
class VendorSobel {
 public:
  virtual ~VendorSobel() = default;
  /// Does not block. @throws Error internal.
  virtual void launch(const std::uint8_t* d_in, std::int16_t* d_out, int width, int height) = 0;
};

/// Null in a build without NPP. @throws Error internal.
std::unique_ptr<VendorSobel> make_vendor_sobel(cudaStream_t stream);

}  // namespace kann::bench
