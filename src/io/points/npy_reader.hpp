// Clouds from NumPy array files (NEP 1).
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

/// The rows of the NPY file of these `bytes`, as points of its own type; `file` is its name for messages. Bytes after
/// the array are a warning. @throws Error bad_input, saying what was found.
Cloud read_npy(std::string_view bytes, const std::string& file);

}  // namespace kann::io
