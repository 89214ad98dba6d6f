// The header of a NumPy array file, as far as an array of points can have one.
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
  std::uint64_t rows = 0;  ///< as claimed: nothing says yet that the file holds so many
  int columns = 0;         ///< 2 or 3
  std::size_t data = 0;    ///< offset of the first value
};

/// Parses the header of the NPY file (versions 1.0, 2.0 and 3.0) of these `bytes`; `file` is for messages.
/// @throws Error bad_input for anything but float32 or float64 of shape (n, 2) or (n, 3), saying what was found.
NpyLayout parse_npy_layout(std::string_view bytes, const std::string& file);

}  // namespace kann::io
