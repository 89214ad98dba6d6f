#include "search/devices/device_choice.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "kann/error.hpp"

#include "base/seconds_since.hpp"
#include "cuda/backend.hpp"
#include "search/devices/device_memory.hpp"
#include "search/devices/device_model.hpp"

namespace kann::detail {
namespace {

using Devices = std::vector<std::shared_ptr<const StartedDevice>>;

/// The longest time that one of these devices took to start.
double longest_start(const Devices& devices) {
  return std::ranges::max(devices, {}, [](const auto& device) { return device->seconds; })->seconds;
}

/// Waits for CUDA devices. While they start, allocates the result of `problem`.
Devices wait_for(std::span<const int> devices, const problem::Problem& problem, const SearchOptions& options,
                 ChosenDevice& chosen) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (is_starting(options)) chosen.result = prefault_result(problem.query_count, problem.k, problem.threads);
  Devices started = started_devices(options, devices);
  chosen.waited_seconds += base::seconds_since(start);
  return started;
}

/// With DeviceKind::automatic: the other devices that have the name of `first`, if dividing the queries among all of
/// them saves more time than the others take to start and to end.
std::vector<int> worth_adding(int first, const problem::Problem& p) {
  const int count = cuda::device_count();
  if (count < 2) return {};
  const SearchWork work{p.data_count, p.query_count, p.list_size(), p.method, p.self_query()};
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

}  // namespace

ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered) {
  ChosenDevice chosen;
  if (options.device.kind == DeviceKind::cpu) return chosen;
  const bool is_free = options.device.kind == DeviceKind::automatic && options.pipeline != Pipeline::paper;
  if (is_free) {
    const SearchSize size{problem.data_count, problem.query_count, problem.dimensions, problem.self_query(),
                          data_are_ordered};
    const DeviceForecast forecast = forecast_device(options, {&size, 1});
    chosen.reason = forecast.reason;
    if (forecast.first() == DeviceKind::cpu) {
      if (!cuda::is_built()) chosen.reason = "no CUDA device (built without CUDA)";
      return chosen;
    }
  }

  Devices devices = wait_for(cuda_devices(options.device), problem, options, chosen);
  const auto unusable = std::ranges::find_if(devices, [](const auto& device) { return !device->status.usable; });
  const double needed = device_bytes(problem);
  const bool fits = !is_free || unusable != devices.end() || needed <= usable_memory(devices[0]->index);
  if (unusable == devices.end() && fits) {
    chosen.kind = DeviceKind::cuda;
    chosen.cuda = std::move(devices);
    chosen.start_up_seconds = longest_start(chosen.cuda);
    if (!is_free || options.device.is_shared) return chosen;
    if (const std::vector<int> others = worth_adding(chosen.cuda[0]->index, problem); !others.empty())
      for (auto& other : wait_for(others, problem, options, chosen))
        if (other->status.usable) chosen.cuda.push_back(std::move(other));
    chosen.start_up_seconds = longest_start(chosen.cuda);
    if (chosen.cuda.size() > 1) chosen.reason += fmt::format("; {} divide the queries", chosen.cuda.size());
    return chosen;
  }
  const std::string reason =
      fits ? "no CUDA device (" + (*unusable)->status.reason + ")"
           : fmt::format("the search needs about {:.3g} GB of device memory, more than there are", needed / 1e9);
  if (options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::no_device, reason + ", and --pipeline paper needs one");
  if (options.device.kind == DeviceKind::cuda) throw Error(ErrorKind::no_device, reason + "; use --device cpu");
  chosen.reason = reason;
  chosen.start_up_seconds = longest_start(devices);
  chosen.result = {};  // freed, as the CPU search needs the memory
  return chosen;
}

}  // namespace kann::detail
