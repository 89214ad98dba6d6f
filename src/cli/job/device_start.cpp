#include "cli/job/device_start.hpp"

#include "cli/asked/wanted_attributes.hpp"
#include "cli/process/background.hpp"
#include "formats/cloud_rows.hpp"

namespace kann::cli {

std::optional<detail::SearchSize> expected_search(const Options& options) {
  const CloudReadOptions read = read_options_of(options);
  const auto data = formats::estimate_cloud(options.data, read.data);
  if (!data) return std::nullopt;
  // The number of a grid's cells is known once the data are read; until then, it is taken to be the number of data
  // points
  detail::SearchSize size{data->points, data->points, data->dimensions};
  size.is_self = options.self_query();
  size.finds_clusters = options.cluster.has_value();
  if (!options.query) return size;
  const auto query = formats::estimate_cloud(*options.query, read.query);
  if (!query) return std::nullopt;
  size.query_points = query->points;
  return size;
}

DeviceStart::DeviceStart(const SearchOptions& options) : options_(options) {
  const bool is_certain = options.device.kind == DeviceKind::cuda || options.method == Method::paper;
  if (is_certain) start();
}

void DeviceStart::start() {
  if (!start_up_.valid()) start_up_ = in_background([options = options_] { return start_device(options); });
}

bool DeviceStart::is_worth(double cpu_seconds) const {
  return options_.device.kind == DeviceKind::automatic &&
         cpu_seconds > detail::seconds_worth_cuda(options_.device.index);
}

void DeviceStart::expect(double cpu_seconds) {
  const std::lock_guard lock(mutex_);
  if (is_worth(cpu_seconds)) start();
}

void DeviceStart::count(const SearchReport& search) {
  if (search.device.kind != DeviceKind::cpu) return;
  const std::lock_guard lock(mutex_);
  cpu_seconds_ += search.total_seconds;
  if (is_worth(cpu_seconds_)) start();
}

StartUp DeviceStart::start_up() const {
  const std::lock_guard lock(mutex_);
  return start_up_;
}

}  // namespace kann::cli
