// The chunks of a LAZ file, each of which is decompressed by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/input.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/laz_encoding.hpp"

namespace kann::formats {

struct LazChunk {
  std::uint64_t first = 0;  ///< number of its first point
  std::uint64_t points = 0;
  std::size_t offset = 0;  ///< in the file
  std::size_t bytes = 0;
};

/// Finds the chunks, and checks that they are in the file and have all points. Blocks. Reads the table of the chunks,
/// or, where fields are compressed by themselves, the sizes that every chunk begins with: the table is not needed then.
/// @throws Error bad_input: the file is cut, or its chunks contradict the header.
std::vector<LazChunk> find_laz_chunks(Input& input, const LasHeader& header, const LazEncoding& encoding);

/// Whether the library can be given the bytes of a chunk. It trusts the sizes of the layers, and that the arithmetic
/// decoder does not begin with 32 bits that are 1, past which it would read and write outside of its tables.
bool is_safe_chunk(const LazChunk& chunk, const char* bytes, const LasHeader& header, const LazEncoding& encoding);

/// A LAZ file of this chunk alone. It has no table of the chunks, as that of a writer that was interrupted.
std::string chunk_file(const LasHeader& header, const LazEncoding& encoding, const LazChunk& chunk,
                       std::string_view bytes);

}  // namespace kann::formats
