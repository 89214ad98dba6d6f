// Reads NumPy array files. `bytes` is the whole file, `file` its name in messages, `columns` as in ReadOptions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

/// The rows of a NumPy array file (NEP 1) as points of the array's type. Bytes after the array are a warning.
/// @throws Error bad_input, with what is wrong in the header.
Cloud read_npy(std::string_view bytes, const std::string& file, std::span<const std::string> columns = {});

}  // namespace kann::io
