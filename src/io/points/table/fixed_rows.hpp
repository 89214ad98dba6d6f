// Rows of a fixed size, read block by block on several threads, for PCD, LAS and the raw formats: the file is not held
// beside its points.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kann/points.hpp"

#include "io/files/input.hpp"
#include "io/points/table/columns.hpp"

namespace kann::io {

struct FixedRows {
  std::size_t begin = 0;  ///< offset of the first row in the input
  std::uint64_t rows = 0;
  std::size_t stride = 0;  ///< bytes per row, at least 1
};

/// One coordinate of every row.
struct RowAxis {
  ScalarType type = ScalarType::float32;
  std::size_t offset = 0;  ///< in the row
  std::endian order = std::endian::little;
};

/// Checks that the input holds the rows; blocks where it is no regular file, which is then read.
/// @throws Error bad_input ("FILE: point count 20 needs 240 bytes, file holds 60"), and as Input::total_size().
void check_row_count(Input& input, const FixedRows& rows);

/// Called with blocks of rows: `count` rows from row `first` on begin at `bytes`.
using RowBlock = std::function<void(std::uint64_t first, std::size_t count, const char* bytes)>;

/// Calls f for blocks of the rows, which check_row_count() has found to be there. The calls come in any order, on up to
/// `threads` threads; blocks. @throws as Input::for_each_block().
void for_each_row_block(Input& input, const FixedRows& rows, int threads, const RowBlock& f);

/// The coordinates of the rows, which are checked as by check_row_count(): float32 if that holds every value of their
/// types, else float64. Memory is checked before it is allocated; blocks. `look`, if there is one, sees every block,
/// too.
/// @throws Error bad_input, resources.
Points read_fixed_rows(Input& input, const FixedRows& rows, std::span<const RowAxis> axes, int threads,
                       const RowBlock& look = {});

}  // namespace kann::io
