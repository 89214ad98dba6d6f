// The header of a NumPy array file that holds points.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/points/columns.hpp"

namespace kann::io {

struct NpyLayout {
  ScalarType type = ScalarType::float32;  ///< float32 or float64
  std::endian order = std::endian::little;
  bool is_fortran_order = false;
  std::uint64_t rows = 0;  ///< as the header claims; the file may hold fewer
  int columns = 0;         ///< 2 or 3
  std::size_t data = 0;    ///< offset of the first value
};

/// Parses the header of an NPY file (versions 1.0, 2.0 and 3.0) that begins with `bytes`; `file` is its name in
/// messages. @throws Error bad_input, with the value, unless the array is float32 or float64 of shape (n, 2) or (n, 3).
NpyLayout parse_npy_layout(std::string_view bytes, const std::string& file);

}  // namespace kann::io
