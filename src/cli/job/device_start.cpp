#include "cli/job/device_start.hpp"

#include <algorithm>

#include "kann/io.hpp"

#include "cli/asked/wanted_attributes.hpp"
#include "cli/process/background.hpp"

namespace kann::cli {

ExpectedSearches expected_search(const Options& options) {
  const CloudReadOptions read = read_options_of(options);
  const auto data = estimate_cloud(options.data, read.data);
  if (!data) return {};
  ExpectedSearches expected{{{data->points, data->points, data->dimensions, true}}, 1, data->read_seconds};
  // The number of a grid's cells is known once the data are read; until then, it is taken to be the number of data
  // points
  expected.sizes[0].is_self = options.self_query();
  expected.sizes[0].finds_clusters = options.cluster.has_value();
  if (!options.query) return expected;
  const auto query = estimate_cloud(*options.query, read.query);
  if (!query) return {};
  expected.sizes[0] = {data->points, query->points, data->dimensions};
  expected.seconds_before = std::max(data->read_seconds, query->read_seconds);  // both are read at the same time
  return expected;
}

DeviceStart::DeviceStart(const SearchOptions& options) : options_(options) {
  const bool is_certain = options.device.kind == DeviceKind::cuda || options.method == Method::paper;
  if (is_certain) start();
}

void DeviceStart::start() {
  if (!start_up_.valid()) start_up_ = in_background([options = options_] { return start_device(options); });
}

void DeviceStart::expect(const ExpectedSearches& searches) {
  if (options_.device.kind != DeviceKind::automatic) return;
  const double start_seconds = forecast_device(options_, {}, searches.seconds_before).cuda_seconds;
  const DeviceForecast forecast = forecast_device(options_, searches.sizes, searches.seconds_before);
  const double gained_seconds = searches.repeats * (forecast.cpu_seconds - (forecast.cuda_seconds - start_seconds));
  const std::lock_guard lock(mutex_);
  if (gained_seconds > start_seconds) start();
}

void DeviceStart::count(const SearchReport& search) {
  if (options_.device.kind != DeviceKind::automatic || search.device.kind != DeviceKind::cpu) return;
  const SearchSize size{search.data_points, search.query_points, search.dimensions};
  const DeviceForecast with_start = forecast_device(options_, {&size, 1});
  const DeviceForecast start = forecast_device(options_, {});
  const std::lock_guard lock(mutex_);
  lost_seconds_ += search.total_seconds - (with_start.cuda_seconds - start.cuda_seconds);
  if (lost_seconds_ > start.cuda_seconds) this->start();
}

StartUp DeviceStart::start_up() const {
  const std::lock_guard lock(mutex_);
  return start_up_;
}

}  // namespace kann::cli
