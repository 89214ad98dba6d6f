// A bitmap font, so that pictures have text without a font library.
#pragma once

#include <array>
#include <cstdint>

namespace kann::picture {

inline constexpr int k_glyph_width = 5, k_glyph_height = 8;  ///< in pixels of the font; the last row is for descenders
inline constexpr int k_glyph_advance = k_glyph_width + 1;

/// Rows from the top, the leftmost pixel in bit 4.
using Glyph = std::array<std::uint8_t, k_glyph_height>;

/// The signs for "at most" and "at least", which ASCII lacks.
inline constexpr char k_at_most = '\x01', k_at_least = '\x02';

/// The glyph of a printable ASCII character, or of k_at_most or k_at_least; a box for all others.
const Glyph& glyph_of(char c);

}  // namespace kann::picture
