#include "search/device_choice.hpp"

#include <chrono>
#include <memory>

#include "kann/error.hpp"

#include "search/start_up.hpp"

namespace kann::detail {
namespace {

/// Waits for the device that `options` name. While it starts, allocates the result of `problem`.
std::shared_ptr<const StartedDevice> wait_for_device(const problem::Problem& problem, const SearchOptions& options,
                                                     ChosenDevice& chosen) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (is_starting(options)) chosen.prewarmed.result = prefault_result(problem.query_count, problem.k, problem.threads);
  std::shared_ptr<const StartedDevice> device = started_device(options);
  chosen.waited_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  chosen.start_up_seconds = device->seconds;
  chosen.prewarmed.staging = device->staging;
  return device;
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
    if (forecast.first() == DeviceKind::cpu) return chosen;
  }

  const auto device = wait_for_device(problem, options, chosen);
  if (device->status.usable) {
    chosen.kind = DeviceKind::cuda;
    return chosen;
  }
  const std::string reason = "no CUDA device (" + device->status.reason + ")";
  if (options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::no_device, reason + ", and --pipeline paper needs one");
  if (options.device.kind == DeviceKind::cuda) throw Error(ErrorKind::no_device, reason + "; use --device cpu");
  chosen.reason = reason;
  chosen.prewarmed = {};  // free it: the CPU search needs the memory
  return chosen;
}

}  // namespace kann::detail
