// Scalars of binary types, written as text: for the ASCII encodings of PLY and PCD.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/table/columns.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {

/// The least and the greatest value of an integer type of at most 32 bits.
std::pair<std::int64_t, std::int64_t> integer_range(ScalarType type);

/// Parses all of `word` as a value of `type`; for an integer type, it must be a whole number in the type's range.
/// Writes its bytes, as this machine holds them, to `out`.
NumberFault parse_to_bytes(ScalarType type, std::string_view word, char* out);

}  // namespace kann::formats
