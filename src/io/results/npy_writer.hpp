// NumPy's array format (NEP 1), as a header to put before the array's own bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kann::io {

/// Everything before the data of a C-ordered array of `shape`. `descr` is NumPy's name of the type ("<i4"). The length
/// is a multiple of 64, so that the data of a file that begins aligned are aligned.
std::string npy_header(std::string_view descr, std::initializer_list<std::int64_t> shape);

/// A whole array of no dimensions that holds `utf8` as NumPy text, header and data: `str(numpy.load(file))` is the
/// text again, without allow_pickle. Bytes that are not UTF-8 (in a path, say) become U+FFFD.
std::string npy_text(std::string_view utf8);

}  // namespace kann::io
