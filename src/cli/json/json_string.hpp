// Reads a JSON string.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kann::cli {

/// The text of a string as it stands in JSON, with its quotes; escapes become UTF-8. None for other values, and for a
/// text with half of a surrogate pair.
std::optional<std::string> read_json_string(std::string_view quoted);

}  // namespace kann::cli
