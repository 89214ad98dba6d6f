// Reads NumPy array files. `bytes` is the whole file, `file` its name in messages, what ReadOptions ask for.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

/// The rows of a NumPy array file (NEP 1) as points of the array's type. Fields of a structured array are attributes;
/// columns of another array have no names, and are none. Bytes after the array are a warning.
/// @throws Error bad_input, with what is wrong in the header.
Cloud read_npy(std::string_view bytes, const std::string& file, const ReadOptions& options = {});

}  // namespace kann::io
