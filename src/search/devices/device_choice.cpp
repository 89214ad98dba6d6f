#include "search/devices/device_choice.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "kann/error.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "cuda/backend.hpp"
#include "search/devices/device_memory.hpp"
#include "search/devices/device_model.hpp"
#include "search/devices/several_devices.hpp"

namespace kann::detail {
namespace {

using Devices = std::vector<std::shared_ptr<const StartedDevice>>;

/// The longest time that one of these devices took to start.
double longest_start(const Devices& devices) {
  return std::ranges::max(devices, {}, [](const auto& device) { return device->seconds; })->seconds;
}

/// Waits for CUDA devices. While they start, allocates the result of `problem`, unless it is null.
Devices wait_for(std::span<const int> devices, const problem::Problem* problem, const SearchOptions& options,
                 ChosenDevice& chosen) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (problem && !problem->parts.take && is_starting(options))
    chosen.result = prefault_result(problem->query_count, problem->k, problem->threads);
  Devices started = started_devices(options, devices);
  chosen.waited_seconds += base::seconds_since(start);
  return started;
}

bool is_free_to_choose(const SearchOptions& options) {
  return options.device.kind == DeviceKind::automatic && options.method != Method::paper;
}

/// The kind of device that is asked for or will finish first, whether or not there is one.
struct Preference {
  DeviceKind kind;
  std::string reason = {};
};

Preference preferred_device(const SearchSize& size, const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) return {DeviceKind::cpu};
  if (!is_free_to_choose(options)) return {DeviceKind::cuda};
  const DeviceForecast forecast = forecast_device(options, {&size, 1});
  if (forecast.first() == DeviceKind::cpu && !cuda::is_built())
    return {DeviceKind::cpu, "no CUDA device (built without CUDA)"};
  return {forecast.first(), forecast.reason};
}

std::string no_device_text(const CudaStatus& status) { return "no CUDA device (" + status.reason + ")"; }

std::string too_large_text(double bytes) {
  return fmt::format("the search needs about {:.3g} GB of device memory, more than there are", bytes / 1e9);
}

/// @param reason why no CUDA device can be used @throws Error no_device if one was asked for.
void check_may_be_cpu(const SearchOptions& options, const std::string& reason) {
  if (options.method == Method::paper)
    throw Error(
        ErrorKind::no_device,
        reason + ", and --method paper needs one; --method shifted-sort with its --shifts and --window finds the same");
  if (options.device.kind == DeviceKind::cuda) throw Error(ErrorKind::no_device, reason + "; use --device cpu");
}

/// Chooses the CPU or these CUDA devices, and starts them. @param bytes of device memory that the search needs
/// @param problem as for wait_for()
ChosenDevice choose(const SearchSize& size, double bytes, const std::vector<int>& cuda_devices,
                    const SearchOptions& options, const problem::Problem* problem) {
  ChosenDevice chosen;
  const Preference preferred = preferred_device(size, options);
  chosen.reason = preferred.reason;
  if (preferred.kind == DeviceKind::cpu) return chosen;

  Devices devices = wait_for(cuda_devices, problem, options, chosen);
  const auto unusable = std::ranges::find_if(devices, [](const auto& device) { return !device->status.usable; });
  const bool fits =
      !is_free_to_choose(options) || unusable != devices.end() || bytes <= usable_memory(devices[0]->index);
  chosen.start_up_seconds = longest_start(devices);
  if (unusable == devices.end() && fits) {
    chosen.kind = DeviceKind::cuda;
    chosen.cuda = std::move(devices);
    return chosen;
  }
  chosen.reason = fits ? no_device_text((*unusable)->status) : too_large_text(bytes);
  check_may_be_cpu(options, chosen.reason);
  chosen.result = {};  // freed, as the CPU search needs the memory
  return chosen;
}

}  // namespace

ExpectedDevice expected_device(const SearchSize& size, bool is_float64, const SearchOptions& options) {
  Preference preferred = preferred_device(size, options);
  const DeviceInfo cpu{"CPU", DeviceKind::cpu, base::thread_count(options.threads)};
  if (preferred.kind == DeviceKind::cpu) return {cpu, preferred.reason};
  std::vector<DeviceInfo> devices;
  for (const int index : cuda_devices(options.device)) {
    const CudaStatus status = cuda_status(index);
    if (!status.usable) {
      check_may_be_cpu(options, no_device_text(status));
      return {cpu, no_device_text(status)};
    }
    const cuda::DeviceTraits traits = cuda::traits(index);
    devices.push_back({traits.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(traits.memory_bytes), index});
  }
  const auto data = static_cast<double>(size.data_points), queries = static_cast<double>(size.query_points);
  const double needed = device_bytes({data, queries, static_cast<double>(options.k), size.dimensions, is_float64,
                                      size.is_self, options.method == Method::exact, size.finds_clusters});
  if (is_free_to_choose(options) && needed > usable_memory(devices[0].index)) return {cpu, too_large_text(needed)};
  return {together(devices), preferred.reason};
}

DeviceForParts choose_cuda_for_parts(const SearchSize& size, const SearchOptions& options) {
  if (!is_free_to_choose(options)) return {};
  const Preference preferred = preferred_device(size, options);
  const int index = options.device.index;
  if (preferred.kind == DeviceKind::cpu || !cuda::status(index).usable) return {};
  return {{DeviceKind::cuda, index}, preferred.reason};
}

ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered) {
  const SearchSize size{problem.data_count, problem.query_count, problem.dimensions, problem.self_query(),
                        data_are_ordered};
  return choose(size, device_bytes(problem), cuda_devices(options.device), options, &problem);
}

ChosenDevice choose_one_device(const SearchSize& size, double bytes, const SearchOptions& options) {
  return choose(size, bytes, {cuda_devices(options.device).front()}, options, nullptr);
}

}  // namespace kann::detail
