// The memory that compressed points may take: a small file must not fill the machine's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/files/refusal.hpp"

namespace kann::formats {

/// Compressed data may take so many bytes of memory, whatever their size, or so many times their size. Coordinates of
/// real clouds shrink to a half or a third; to a thousandth shrink only a few kilobytes that claim to be gigabytes.
inline constexpr std::uint64_t k_expansion_bytes = std::uint64_t{48} << 20;
inline constexpr std::uint64_t k_expansion_ratio = 64;

/// The most bytes that so many may take.
inline std::uint64_t most_expanded(std::uint64_t compressed) {
  return std::max(k_expansion_bytes, k_expansion_ratio * compressed);
}

/// Checks the memory that `compressed` bytes take when they have been decompressed and made points, before any is
/// allocated. @throws Error bad_input, resources (memory).
void check_expansion(const std::string& file, std::uint64_t compressed, WideSize memory);

/// Like check_expansion(), for memory that will not be allocated. @throws Error bad_input.
void check_expansion_ratio(const std::string& file, std::uint64_t compressed, WideSize memory);

}  // namespace kann::formats
