// The header of a NumPy array file that holds points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

/// The longest header that is read. NumPy itself reads 10,000 bytes, unless it is told to read more.
inline constexpr std::size_t k_npy_header_bytes = std::size_t{1} << 20;

/// A field of a structured array, as an attribute.
struct NpyAttribute {
  std::string name;
  std::string fault;  ///< why it cannot be one; empty if it can
  RowField values = {};
  bool is_bool = false;
};

struct NpyLayout {
  std::uint64_t rows = 0;      ///< as the header claims; the file may hold fewer
  std::vector<RowField> axes;  ///< offsets are those of the first point, and have no meaning if the file is too short
  std::vector<NpyAttribute> fields;      ///< all; empty for an array without fields
  std::vector<std::size_t> axis_fields;  ///< which of them are the axes
  std::uint64_t stride = 0;              ///< bytes from one point to the next
  WideSize bytes = 0;                    ///< bytes of the whole array
  std::string shape;                     ///< "(5, 3)", for messages
  std::vector<std::string> columns;      ///< as in Cloud
  std::size_t data = 0;                  ///< offset of the first value
};

/// Parses the header of an NPY file (versions 1.0, 2.0 and 3.0) that begins with `bytes`; `file` is its name in
/// messages. The coordinates are the columns or fields of `options.columns`; without it, both columns
/// of an (n, 2) array, all of an (n, 3) array, and the fields that named_axes() finds.
/// @throws Error bad_input, with the value, unless the array is of shape (n, m) with numbers of up to 64 bits, or of
///         shape (n,) with fields.
NpyLayout parse_npy_layout(std::string_view bytes, const std::string& file, const ReadRequest& options = {});

}  // namespace kann::formats
