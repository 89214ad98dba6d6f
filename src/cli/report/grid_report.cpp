#include "cli/report/grid_report.hpp"

#include <string_view>

namespace kann::cli {
namespace {

void write_numbers(JsonWriter& json, std::string_view key, const auto& numbers) {
  json.key(key);
  json.begin_array();
  for (const auto number : numbers) json.value(number);
  json.end_array();
}

}  // namespace

void write_grid(JsonWriter& json, double step, const std::optional<QueryGrid>& grid) {
  json.key("grid");
  json.begin_object();
  json.member("step", step);
  if (grid) {
    write_numbers(json, "shape", grid->shape());
    write_numbers(json, "origin", grid->origin());
  } else {
    json.null_member("shape");
    json.null_member("origin");
  }
  json.end_object();
}

}  // namespace kann::cli
