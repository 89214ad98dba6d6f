// Writes rows of binary values, made from columns on several threads, for the points of PLY and LAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// Writes the value of each of `count` rows, from row `first` on, to its place: rows follow each other from `out` on,
/// `stride` bytes apart, and are zero where nothing has been written. Called on several threads.
using RowColumn = std::function<void(std::int64_t first, std::int64_t count, char* out, std::size_t stride)>;

/// A column at `offset` in the row, whose value in row i is what `value(i)` returns.
template <class Value>
RowColumn row_column(std::size_t offset, Value value) {
  return [offset, value](std::int64_t first, std::int64_t count, char* out, std::size_t stride) {
    for (std::int64_t i = first; i < first + count; ++i, out += stride) {
      const auto bytes = value(i);
      std::memcpy(out + offset, &bytes, sizeof bytes);
    }
  };
}

/// Writes `rows` rows of `stride` bytes; in each block of rows, the columns are written in their order. Uses up to
/// `threads` threads, as write_blocks() says; blocks. @throws Error resources, or what a column throws.
void write_rows(std::int64_t rows, std::size_t stride, std::span<const RowColumn> columns, ByteSink& sink, int threads);

}  // namespace kann::io
