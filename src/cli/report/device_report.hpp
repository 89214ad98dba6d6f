// What the report says of the devices of a search, and of the tiles or pieces in which it was made.
#pragma once

#include <optional>
#include <string>

#include "kann/search.hpp"

#include "cli/json/json_writer.hpp"
#include "flow/file_search_report.hpp"

namespace kann::cli {

/// The name of a device, with the threads of a CPU: "CPU (2 threads)".
std::string device_text(const DeviceInfo& device);

/// Writes the key `device`, which is null without a search.
void write_device(JsonWriter& json, const std::optional<SearchReport>& search);

/// Writes the key `tiles`.
void write_tiles(JsonWriter& json, const flow::FileSearchReport& tiles);

}  // namespace kann::cli
