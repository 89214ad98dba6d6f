// Blocks of a file that are made on several threads and written in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// What a file is made of, block by block.
struct Blocks {
  std::int64_t count;
  std::size_t maximum_size;  ///< bytes of one block
  /// Fills `out` with block `block`, of maximum_size bytes at most, and returns its size. Called on several threads.
  std::function<std::size_t(std::int64_t block, std::byte* out)> make;
  /// What the sink is to expect() once the first `blocks` blocks, of so many bytes, are written; if empty, as many
  /// bytes for each of all blocks.
  std::function<std::uint64_t(std::int64_t blocks, std::uint64_t bytes)> expected = {};
};

/// Writes all blocks to `sink`. They are made on up to `threads` threads, as in base::copy_threads(); one thread at a
/// time writes, while the others make the next blocks. Blocks. @throws Error resources, std::bad_alloc (no memory for
/// one block; if there is memory for few blocks, fewer threads work).
void write_blocks(const Blocks& blocks, ByteSink& sink, int threads);

}  // namespace kann::formats
