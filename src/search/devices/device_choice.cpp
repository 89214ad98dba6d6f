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
#include "problem/parameters.hpp"
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

/// With DeviceKind::automatic: the other devices that have the name of `first`, if dividing the queries among all of
/// them saves more time than the others take to start and to end.
std::vector<int> worth_adding(int first, const SearchWork& work) {
  const int count = cuda::device_count();
  if (count < 2) return {};
  constexpr double divided_seconds = 1e-3;  // the cost of threads, and of smaller transfers
  const auto saves = [&](std::size_t devices, double cost) {
    const double divided = cuda_search_seconds(work, static_cast<int>(devices));
    return cuda_search_seconds(work) - divided > cost + divided_seconds;
  };
  if (!saves(static_cast<std::size_t>(count), 0)) return {};  // do not query the devices in vain
  std::vector<int> others;
  double start_seconds = 0;
  const std::string name = cuda::traits(first).name;
  for (int index = 0; index < count; ++index) {
    if (index == first || cuda::traits(index).name != name) continue;
    others.push_back(index);
    const StartUpState state = start_up_state(index);
    if (!state.has_begun) start_seconds = k_cuda_start_seconds + k_cuda_end_seconds;
  }
  if (others.empty() || !saves(others.size() + 1, start_seconds)) return {};
  return others;
}

bool is_free_to_choose(const SearchOptions& options) {
  return options.device.kind == DeviceKind::automatic && options.pipeline != Pipeline::paper;
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

std::string divided_text(std::size_t devices) {
  return devices > 1 ? fmt::format("; {} divide the queries", devices) : "";
}

/// @param reason why no CUDA device can be used @throws Error no_device if one was asked for.
void check_may_be_cpu(const SearchOptions& options, const std::string& reason) {
  if (options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::no_device, reason + ", and --pipeline paper needs one");
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
  const double needed = device_bytes(
      {data, queries, static_cast<double>(options.k), size.dimensions, is_float64, size.is_self, size.finds_clusters});
  if (is_free_to_choose(options) && needed > usable_memory(devices[0].index)) return {cpu, too_large_text(needed)};
  return {together(devices), preferred.reason};
}

DevicesForParts choose_cuda_for_parts(const SearchSize& size, const SearchOptions& options) {
  if (!is_free_to_choose(options)) return {};
  const Preference preferred = preferred_device(size, options);
  const int index = options.device.index;
  if (preferred.kind == DeviceKind::cpu || !cuda::status(index).usable) return {};
  DevicesForParts devices;
  devices.choice.kind = DeviceKind::cuda;
  devices.choice.index = index;
  devices.reason = preferred.reason;
  if (options.device.is_shared) return devices;
  problem::Problem p;
  p.dimensions = size.dimensions;
  problem::choose_parameters(options, p);
  const std::int64_t k = std::min(options.k, size.data_points);
  devices.choice.others = worth_adding(index, {size.data_points, size.query_points, k, p.method, size.is_self});
  devices.reason += divided_text(1 + devices.choice.others.size());
  return devices;
}

ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered) {
  const SearchSize size{problem.data_count, problem.query_count, problem.dimensions, problem.self_query(),
                        data_are_ordered};
  ChosenDevice chosen = choose(size, device_bytes(problem), cuda_devices(options.device), options, &problem);
  if (chosen.cuda.empty() || !is_free_to_choose(options) || options.device.is_shared) return chosen;
  const SearchWork work{problem.data_count, problem.query_count, problem.list_size(), problem.method,
                        problem.self_query()};
  if (const std::vector<int> others = worth_adding(chosen.cuda[0]->index, work); !others.empty())
    for (auto& other : wait_for(others, &problem, options, chosen))
      if (other->status.usable) chosen.cuda.push_back(std::move(other));
  chosen.start_up_seconds = longest_start(chosen.cuda);
  chosen.reason += divided_text(chosen.cuda.size());
  return chosen;
}

ChosenDevice choose_one_device(const SearchSize& size, double bytes, const SearchOptions& options) {
  return choose(size, bytes, {cuda_devices(options.device).front()}, options, nullptr);
}

}  // namespace kann::detail
