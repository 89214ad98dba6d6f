// Reads NumPy array files. `bytes` is the whole file, `file` its name in messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/numpy/npy_layout.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// Why an array is not read in ranges.
inline constexpr std::string_view k_wide_integers = "an array of 64-bit integers";

/// The rows of a NumPy array file (NEP 1) as points of the array's type. Fields of a structured array are attributes;
/// columns of another array have no names, and are no attributes. Bytes after the array are a warning.
/// @throws Error bad_input, with what is wrong in the header.
Cloud read_npy(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

/// The same cloud, as ranges of a regular file. @throws as read_npy().
RowCloud npy_rows(std::shared_ptr<Input> input, const ReadOptions& options);

/// The first bytes of an array file of `size` bytes that begins at byte `begin` of a regular file: all of its header,
/// unless parse_npy_layout() refuses its length.
std::string npy_front(const Input& input, std::uint64_t begin, std::uint64_t size);

/// Where the rows are in an array file of `size` bytes that begins at byte `begin` of an input; `file` is its name in
/// messages. @throws as read_npy().
RowLayout npy_layout(const NpyLayout& layout, const ReadOptions& options, std::uint64_t begin, std::uint64_t size,
                     const std::string& file);

}  // namespace kann::formats
