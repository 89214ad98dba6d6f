// What the report says of --grid.
#pragma once

#include <optional>

#include "kann/query_grid.hpp"

#include "cli/json/json_writer.hpp"

namespace kann::cli {

/// Writes the key grid: step, shape and origin, as an .npz has them. The last two are null before the data are read.
void write_grid(JsonWriter& json, double step, const std::optional<QueryGrid>& grid);

}  // namespace kann::cli
