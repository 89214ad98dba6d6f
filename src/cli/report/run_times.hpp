// How long the parts of a run took.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json/json_writer.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The names and the seconds of the parts of a run so far, from "read" to "other", which add up to `total`. None: a
/// part that was not reached. Parts that were not asked for are left out.
struct RunTimes {
  std::vector<std::pair<std::string_view, std::optional<double>>> parts;
  double total = 0;
};
RunTimes run_times(const Report& report);

/// The members of the report's `timing_s`.
void write_timing(JsonWriter& json, const Report& report);

}  // namespace kann::cli
