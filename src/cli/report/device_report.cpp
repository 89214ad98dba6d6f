#include "cli/report/device_report.hpp"

namespace kann::cli {

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
  if (!search->devices.empty()) {
    json.key("devices");
    json.begin_array();
    for (const DeviceInfo& one : search->devices) {
      json.begin_object();
      json.member("index", one.index);
      json.member("name", one.name);
      json.member("memory_bytes", one.memory_bytes);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace kann::cli
