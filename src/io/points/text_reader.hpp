// Clouds from text: XYZ, TXT and CSV.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"

namespace kann::io {

/// The rows of the text file of these `bytes`, as float64 points; `file` is its name for messages. Every row has as
/// many fields as the first; fields that are no coordinates may hold anything. Comments (# or //) and blank lines are
/// left out. Layout as guess_text_layout() tells. @throws Error bad_input, with the line.
Cloud read_text(std::string_view bytes, const std::string& file);

}  // namespace kann::io
