// What the report says of the device of a search, or of several.
#pragma once

#include <optional>

#include "kann/search.hpp"

#include "cli/json/json_writer.hpp"

namespace kann::cli {

/// Writes the key `device`, which is null without a search. It has a list of devices if several divided the queries.
void write_device(JsonWriter& json, const std::optional<SearchReport>& search);

}  // namespace kann::cli
