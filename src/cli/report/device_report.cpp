#include "cli/report/device_report.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"

namespace kann::cli {

std::string device_text(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cpu) return device.name;
  return fmt::format("{} ({})", device.name, base::counted(device.threads, "thread"));
}

void write_device(JsonWriter& json, const std::optional<SearchReport>& search) {
  if (!search) return json.null_member("device");
  const DeviceInfo& device = search->device;
  const bool cpu = device.kind == DeviceKind::cpu;
  json.key("device");
  json.begin_object();
  json.member("name", device.name);
  json.member("kind", cpu ? "cpu" : "cuda");
  if (cpu) json.member("threads", device.threads);
  if (!cpu) json.member("memory_bytes", device.memory_bytes);
  json.end_object();
}

void write_tiles(JsonWriter& json, const flow::FileSearchReport& tiles) {
  json.key("tiles");
  json.begin_object();
  json.member("count", tiles.tiles);
  if (tiles.pieces > 0) json.member("pieces", tiles.pieces);
  json.member("ranks", tiles.ranks);
  json.member("visits", tiles.visits);
  json.member("temporary_bytes", static_cast<std::int64_t>(tiles.temporary_bytes));
  json.member("charged_bytes", static_cast<std::int64_t>(tiles.charged_bytes));
  json.member("budget_bytes", static_cast<std::int64_t>(tiles.budget_bytes));
  json.key("timing_s");
  json.begin_object();
  json.member("survey", tiles.survey_seconds);
  json.member("order", tiles.order_seconds);
  json.member("search", tiles.search_seconds);
  if (tiles.has_parts()) {
    json.member("points", tiles.points_seconds);
    json.member("neighbors", tiles.neighbors_seconds());
    json.member("rows", tiles.rows_seconds());
  }
  json.end_object();
  json.end_object();
}

}  // namespace kann::cli
