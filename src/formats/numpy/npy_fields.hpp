// The fields of a structured NumPy array: [('x', '<f4'), ('y', '<f4'), ('rgb', '|u1', (3,))]
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/numpy/npy_literal.hpp"
#include "formats/table/columns.hpp"

namespace kann::formats {

/// The type of one value, as in '<f4'.
struct NpyType {
  std::string_view text;           ///< as in the header
  std::optional<ScalarType> type;  ///< none if it is no number (text, dates, ...), or none that is read
  std::endian order = std::endian::little;
  std::uint64_t bytes = 0;
  bool is_array = false;  ///< whether it is an array of such values, within the structure
};

struct NpyField {
  std::string_view name;
  NpyType type;              ///< type of the value; its `type` is none for arrays and structures within the structure
  std::uint64_t offset = 0;  ///< in the row
};

struct NpyFields {
  std::vector<NpyField> fields;  ///< in the order of the row, without unnamed padding
  std::uint64_t row_bytes = 0;
};

/// The type that `text` names. `start` is its place in the header. @throws Error bad_input if its size is not known.
NpyType parse_npy_type(std::string_view text, std::size_t start, const NpyLiteral& header);

/// Reads a list of fields. @throws Error bad_input.
NpyFields read_npy_fields(NpyLiteral& header);

}  // namespace kann::formats
