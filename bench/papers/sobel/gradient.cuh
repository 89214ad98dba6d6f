// What all ways of the Sobel operator share: how a step of Table 5 reads a pixel and applies the filters. The values
// are small multiples of 1/4, which float32 holds exactly, so the order of the sums does not matter.
#pragma once

#include "cuda/runtime/launch.cuh"
#include "papers/sobel/sobel.hpp"

namespace kann::bench {

/// The side of the square blocks of all ways but shared IV; the paper names none.
inline constexpr int k_sobel_side = 16;

// Not const, so that the compiler reads it. A copy in each file that launches kernels.
static __constant__ float c_sobel_coefficients[18] = {-1, 0, 1, -2, 0, 2, -1, 0, 1, -1, -2, -1, 0, 0, 0, 1, 2, 1};

/// What a step does; the optimisations add up.
template <SobelStep step>
inline constexpr bool is_unoptimised = step == SobelStep::none || step == SobelStep::by_compiler;
template <SobelStep step>
inline constexpr bool has_conditionals = is_unoptimised<step> || step == SobelStep::constant;
template <SobelStep step>
inline constexpr bool has_fixed_block = !has_conditionals<step> && step != SobelStep::conditionals;
template <SobelStep step>
inline constexpr bool has_rolled_loops = step < SobelStep::unrolled;

/// The width of the block, as a constant of the compilation or as the launch has it.
template <SobelStep step, int width>
__device__ __forceinline__ int block_width() {
  return has_fixed_block<step> ? width : static_cast<int>(blockDim.x);
}

/// Column x, row y, or the nearest pixel if that is outside of the image.
template <SobelStep step, bool by_texture, class Pixel>
__device__ __forceinline__ Pixel pixel_at(const SobelImage<Pixel>& image, int x, int y) {
  if constexpr (has_conditionals<step>) {
    if (x < 0) x = 0;
    if (x >= image.width) x = image.width - 1;
    if (y < 0) y = 0;
    if (y >= image.height) y = image.height - 1;
  } else {
    x = min(max(x, 0), image.width - 1);
    y = min(max(y, 0), image.height - 1);
  }
  const int place = y * image.width + x;
  if constexpr (by_texture)
    return tex1Dfetch<Pixel>(image.texture, place);
  else
    return image.d_in[place];
}

template <SobelStep step>
__device__ __forceinline__ float grey_of(const SobelImage<std::uint8_t>&, std::uint8_t pixel) {
  return pixel;
}
template <SobelStep step>
__device__ __forceinline__ float grey_of(const SobelImage<std::uint32_t>& image, std::uint32_t pixel) {
  const auto sum = static_cast<float>((pixel & 255) + 2 * (pixel >> 8 & 255) + (pixel >> 16 & 255));
  return has_conditionals<step> ? sum / image.divisor : sum * 0.25f;
}

__device__ __forceinline__ void store(const SobelImage<std::uint8_t>& image, int x, int y, int value) {
  image.d_out[y * image.width + x] = static_cast<std::uint8_t>(value);
}
__device__ __forceinline__ void store(const SobelImage<std::uint32_t>& image, int x, int y, int value) {
  image.d_out[y * image.width + x] = 0xff000000u | static_cast<std::uint32_t>(value) * 0x010101u;
}

/// Calls visit(column, row) for the 3 × 3 taps, row by row, in loops as the step has them.
template <SobelStep step, class Visit>
__device__ __forceinline__ void for_each_tap(Visit&& visit) {
  if constexpr (step == SobelStep::by_compiler) {
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) visit(column, row);
  } else if constexpr (has_rolled_loops<step>) {
#pragma unroll 1
    for (int row = 0; row < 3; ++row)
#pragma unroll 1
      for (int column = 0; column < 3; ++column) visit(column, row);
  } else {
#pragma unroll
    for (int row = 0; row < 3; ++row)
#pragma unroll
      for (int column = 0; column < 3; ++column) visit(column, row);
  }
}

/// One coefficient, from where the step keeps it: 0 to 8 horizontal, 9 to 17 vertical.
template <SobelStep step, class Pixel>
__device__ __forceinline__ float coefficient_at(const SobelImage<Pixel>& image, int place) {
  if constexpr (is_unoptimised<step>)
    return image.d_coefficients[place];
  else
    return c_sobel_coefficients[place];
}

/// min(255, |Gx| + |Gy|), rounded down. pixel(column, row) is the pixel at 0 … 2 of the 3 × 3 around the result.
template <SobelStep step, class Pixel, class Fetch>
__device__ __forceinline__ int gradient(const SobelImage<Pixel>& image, Fetch&& pixel) {
  float horizontal = 0, vertical = 0;
  for_each_tap<step>([&](int column, int row) {
    const float grey = grey_of<step>(image, pixel(column, row));
    const int tap = 3 * row + column;
    if constexpr (step == SobelStep::literal) {
      // Coefficients that the compiler knows once the loops are unrolled: 0 costs nothing.
      const int x = (column - 1) * (row == 1 ? 2 : 1), y = (row - 1) * (column == 1 ? 2 : 1);
      if (x != 0) horizontal = fmaf(grey, static_cast<float>(x), horizontal);
      if (y != 0) vertical = fmaf(grey, static_cast<float>(y), vertical);
    } else {
      horizontal = fmaf(grey, coefficient_at<step>(image, tap), horizontal);
      vertical = fmaf(grey, coefficient_at<step>(image, 9 + tap), vertical);
    }
  });
  return static_cast<int>(fminf(fabsf(horizontal) + fabsf(vertical), 255.0f));
}

/// Calls add.operator()<step>() for all steps.
template <class Add>
void for_each_step(Add&& add) {
  add.template operator()<SobelStep::none>();
  add.template operator()<SobelStep::constant>();
  add.template operator()<SobelStep::conditionals>();
  add.template operator()<SobelStep::fixed_block>();
  add.template operator()<SobelStep::unrolled>();
  add.template operator()<SobelStep::by_compiler>();
  add.template operator()<SobelStep::literal>();
}

}  // namespace kann::bench
