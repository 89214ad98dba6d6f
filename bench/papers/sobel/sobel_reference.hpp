// The Sobel operator on the host, in integers. Shares no code with the kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace kann::bench {

/// 4 (|Gx| + |Gy|) of an image of bytes, or of words as SobelImage has them, row by row; outside of the image is its
/// nearest pixel. At most 4 · 2040.
template <class Pixel>
std::vector<int> sobel_on_host(const std::vector<Pixel>& image, int width, int height);

/// The pixel that SobelImage's result has for such a value.
template <class Pixel>
Pixel sobel_pixel(int four_times_magnitude);

}  // namespace kann::bench
