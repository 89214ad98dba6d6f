// Reads PLY files. `bytes` is the whole file, `file` its name in messages.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

#include "formats/files/byte_progress.hpp"

namespace kann::formats {

/// The vertices of a PLY file (Turk 1994): ASCII and both binary encodings, any scalar types, lists and other elements.
/// Every element is checked to its last row, the faces too. Attributes are scalar properties of the vertices. Bytes
/// after the last element are a warning.
/// @throws Error bad_input, with the line or byte.
Cloud read_ply(std::string_view bytes, const std::string& file, const ReadOptions& options = {},
               ByteProgress* progress = nullptr);

}  // namespace kann::formats
