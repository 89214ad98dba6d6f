// Reads the members of a JSON object without a tree.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kann::cli {

/// Keys and values as they stand in the text (a key without its quotes, a string with them), in their order.
using JsonMembers = std::vector<std::pair<std::string_view, std::string_view>>;

/// The members of the object that `text` holds. None unless `text` is one object, valid by RFC 8259 (whose strings are
/// not checked to be UTF-8), nested at most 64 levels deep, with white space around it at most.
std::optional<JsonMembers> read_json_object(std::string_view text);

}  // namespace kann::cli
