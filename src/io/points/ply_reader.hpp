// Clouds from PLY files (Turk 1994): ASCII and both binary encodings, any scalar types, lists and other elements.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

/// The vertices of the PLY file of these `bytes`; `file` is its name for messages. Strict: every element is checked to
/// its last row, the faces too. Bytes after the last element are a warning.
/// @throws Error bad_input, naming line or byte.
Cloud read_ply(std::string_view bytes, const std::string& file);

}  // namespace kann::io
