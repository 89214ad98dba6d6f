// Writes text in an image, with letters of its own, so that pictures need no font library.
#pragma once

#include <string_view>

#include "kann/render.hpp"

#include "products/picture/cloud.hpp"

namespace kann::picture {

/// The signs for "at most" and "at least", which ASCII lacks.
inline constexpr char k_at_most = '\x01', k_at_least = '\x02';

inline constexpr Color k_text = 0x2b3138;

/// The width of `text` in capitals' heights of `size` pixels. Text has printable ASCII characters, k_at_most and
/// k_at_least; others are drawn as spaces.
int text_width(std::string_view text, int size);

/// Writes `text`; capitals reach from the row `top` to the row top + size. What is not in the image is left out.
void write(Image& image, std::string_view text, int left, int top, int size);

/// Tints a pixel with `color`. @param part of the colour, from 0 to 1
void tint(Image& image, int x, int y, Color color, double part);

}  // namespace kann::picture
