// Reads NumPy array files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/files/input.hpp"
#include "formats/numpy/npy_layout.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// An array file, which may be a part of another.
struct NpyFile {
  std::shared_ptr<Input> input;
  std::uint64_t begin, size;  ///< in the input
  std::string name;           ///< in messages
};

/// Its header. @throws as the other parse_npy_layout().
NpyLayout parse_npy_layout(const NpyFile& file, const ReadRequest& options);

/// The rows of a NumPy array file (NEP 1) as points of the array's type. Fields of a structured array are attributes;
/// columns of another array have no names, and are no attributes. Bytes after the array are a warning.
/// @throws Error bad_input, with what is wrong in the header.
RowLayout npy_layout(const NpyFile& file, const ReadRequest& options);

/// The same for a file that is an array.
inline RowLayout npy_layout(std::shared_ptr<Input> input, const ReadRequest& options) {
  return npy_layout({input, 0, input->total_size(), input->name()}, options);
}

}  // namespace kann::formats
