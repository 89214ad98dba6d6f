// The LZF compression of PCD's binary_compressed (Lehmann's liblzf, of which only the decoder is needed).
//
// These are thirty lines of our own, not Debian's liblzf-dev: that is release 3.6 of 2011, has no CMake or pkg-config
// files, and its decoder stops where its output is full, so that excess input would go unnoticed.
#pragma once

#include <span>
#include <string_view>

namespace kann::formats {

/// The most output bytes per input byte: three bytes make a copy of 264.
inline constexpr unsigned k_lzf_ratio = 88;

/// Decompresses `from` to `to`; false unless all of `from` is valid and its output is exactly as long as `to`.
/// Example: 01 'a' 'b' 20 01 is "ab", then three bytes from two before: "ababa".
bool decompress_lzf(std::string_view from, std::span<char> to);

}  // namespace kann::formats
