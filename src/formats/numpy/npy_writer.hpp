// NumPy's array format (NEP 1): the header that precedes the array's bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kann/attributes.hpp"

namespace kann::formats {

/// The bytes before the data of a C-ordered array of `shape`. `descr` is NumPy's name of the type ("<i4"). The length
/// is a multiple of 64, so that the data are aligned if the header is.
std::string npy_header(std::string_view descr, std::initializer_list<std::int64_t> shape);

/// NumPy's name for the type of the values, in this machine's byte order: "<f8".
std::string npy_type(const AttributeValues& values);

/// An array of no dimensions, header and data, that holds `utf8` as NumPy text: `str(numpy.load(file))` returns it,
/// without allow_pickle. Bytes that are not UTF-8 (in a path, for example) become U+FFFD.
std::string npy_text(std::string_view utf8);

}  // namespace kann::formats
