// Rows of a file that are made in blocks on several threads, and written in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// Consecutive rows: lines of text, or records.
struct MadeRows {
  std::int64_t count;
  std::int64_t all;  ///< rows of the whole file, of which these are some: a sink is to expect() as many bytes for each
  std::size_t longest;  ///< bytes of a row
  /// Writes the rows from `begin` to before `end` to `out`, and returns their end. Called on several threads.
  std::function<char*(std::int64_t begin, std::int64_t end, char* out)> make;
};

/// Writes all rows to `sink`. They are made on up to `threads` threads, as in base::copy_threads(); one thread at a
/// time writes, while the others make the next blocks. Blocks. @throws Error resources, std::bad_alloc (no memory for
/// one block; if there is memory for few blocks, fewer threads work).
void write_made_rows(const MadeRows& rows, ByteSink& sink, int threads);

}  // namespace kann::formats
