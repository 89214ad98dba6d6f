#include "search/devices/device_choice.hpp"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "kann/error.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "cuda/backend.hpp"
#include "search/devices/device_memory.hpp"
#include "search/devices/start_up.hpp"

namespace kann::detail {
namespace {

/// Waits for the CUDA device. While it starts, allocates the result of `problem`, unless it is null.
std::shared_ptr<const StartedDevice> wait_for_device(const problem::Problem* problem, const SearchOptions& options,
                                                     ChosenDevice& chosen) {
  const auto start = std::chrono::steady_clock::now();
  if (problem && !problem->parts.take && is_starting(options))
    chosen.result = prefault_result(problem->query_count, problem->k, problem->threads);
  std::shared_ptr<const StartedDevice> started = started_device(options);
  chosen.waited_seconds += base::seconds_since(start);
  return started;
}

bool is_free_to_choose(const SearchOptions& options) {
  return options.device.kind == DeviceKind::automatic && options.method != Method::paper;
}

/// The kind of device that is asked for or that the rule takes, whether or not there is one.
AutoChoice preferred_device(const SearchSize& size, const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) return {DeviceKind::cpu, ""};
  if (!is_free_to_choose(options)) return {DeviceKind::cuda, ""};
  AutoChoice choice = auto_choice(size, options);
  if (choice.kind == DeviceKind::cpu && !cuda::is_built()) choice.reason = "no CUDA device (built without CUDA)";
  return choice;
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

/// Chooses the CPU or the CUDA device, and starts it. @param bytes of device memory that the search needs
/// @param problem as for wait_for_device()
ChosenDevice choose(const SearchSize& size, double bytes, const SearchOptions& options,
                    const problem::Problem* problem) {
  ChosenDevice chosen;
  AutoChoice preferred = preferred_device(size, options);
  chosen.reason = std::move(preferred.reason);
  if (preferred.kind == DeviceKind::cpu) return chosen;

  const auto device = wait_for_device(problem, options, chosen);
  chosen.start_up_seconds = device->seconds;
  const bool is_usable = device->status.usable;
  if (is_usable && (!is_free_to_choose(options) || bytes <= usable_memory(device->index))) {
    chosen.kind = DeviceKind::cuda;
    chosen.index = device->index;
    return chosen;
  }
  chosen.reason = is_usable ? too_large_text(bytes) : no_device_text(device->status);
  check_may_be_cpu(options, chosen.reason);
  chosen.result = {};  // freed, as the CPU search needs the memory
  return chosen;
}

}  // namespace

int cuda_device_count() { return cuda::device_count(); }

ExpectedDevice expected_device(const SearchSize& size, bool is_float64, const SearchOptions& options) {
  AutoChoice preferred = preferred_device(size, options);
  const DeviceInfo cpu{"CPU", DeviceKind::cpu, base::thread_count(options.threads)};
  if (preferred.kind == DeviceKind::cpu) return {cpu, preferred.reason};
  const int index = options.device.index;
  if (const CudaStatus status = cuda_status(index); !status.usable) {
    check_may_be_cpu(options, no_device_text(status));
    return {cpu, no_device_text(status)};
  }
  const auto data = static_cast<double>(size.data_points), queries = static_cast<double>(size.query_points);
  const double needed = device_bytes({data, queries, static_cast<double>(options.k), size.dimensions, is_float64,
                                      size.is_self, options.method == Method::exact, size.finds_clusters});
  if (is_free_to_choose(options) && needed > usable_memory(index)) return {cpu, too_large_text(needed)};
  const cuda::DeviceTraits traits = cuda::traits(index);
  return {{traits.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(traits.memory_bytes)}, preferred.reason};
}

DeviceForParts choose_cuda_for_parts(const SearchSize& size, const SearchOptions& options) {
  if (!is_free_to_choose(options)) return {};
  const AutoChoice preferred = preferred_device(size, options);
  const int index = options.device.index;
  if (preferred.kind == DeviceKind::cpu || !cuda::status(index).usable) return {};
  return {{DeviceKind::cuda, index}, preferred.reason};
}

ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered) {
  const SearchSize size{problem.data_count, problem.query_count, problem.dimensions, problem.self_query(),
                        data_are_ordered};
  return choose(size, device_bytes(problem), options, &problem);
}

ChosenDevice choose_device(const SearchSize& size, double bytes, const SearchOptions& options) {
  return choose(size, bytes, options, nullptr);
}

}  // namespace kann::detail
