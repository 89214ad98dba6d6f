// Where in a file the points are, if each takes a fixed number of bytes; and the functions that read them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kann/points.hpp"

#include "io/files/input.hpp"
#include "io/points/table/fixed_rows.hpp"
#include "io/points/table/row_source.hpp"

namespace kann::io {

/// Where the points of a file are. Whoever makes it has checked that the file holds all rows.
struct RowLayout {
  FixedRows rows = {};                             ///< for an array in Fortran order, those of its first column
  std::vector<RowAxis> axes = {};                  ///< one whose offset is past the stride is a column of its own
  std::array<double, 3> scale{1, 1, 1}, offset{};  ///< for LAS: a coordinate is scale · integer + offset
  bool is_scaled = false;
  std::optional<std::uint32_t> row_head = {};  ///< for fvecs: the dimension, with which each row begins
  std::vector<std::string> columns = {};       ///< as in Cloud
  std::vector<std::string> warnings = {};      ///< likewise, about the layout
};

/// Points `first` to `first + count − 1`; blocks.
/// @throws Error bad_input (as for_each_row_block(); a row with another head, by its number), resources.
Points read_layout(Input& input, const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads);

/// All points.
inline Points read_layout(Input& input, const RowLayout& layout, int threads) {
  return read_layout(input, layout, 0, layout.rows.rows, threads);
}

/// The points as ranges; `input` is a regular file.
RowCloud row_cloud(std::shared_ptr<Input> input, RowLayout layout, int threads);

}  // namespace kann::io
