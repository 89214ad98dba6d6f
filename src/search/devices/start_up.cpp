#include "search/devices/start_up.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <span>

#include "base/seconds_since.hpp"
#include "base/threads/copy_threads.hpp"
#include "base/threads/signal_stack.hpp"
#include "problem/prepare.hpp"
#include "search/devices/device_model.hpp"

namespace kann {
namespace {

using Clock = std::chrono::steady_clock;

/// Remembers when devices were started: a process has one context per device, which all its searches share.
class StartTimes {
 public:
  void begin(int index) {
    const std::lock_guard lock(mutex_);
    times_.try_emplace(index, Times{Clock::now(), false});
  }
  void end(int index) {
    const std::lock_guard lock(mutex_);
    times_[index].has_ended = true;
  }
  detail::StartUpState state(int index) {
    const std::lock_guard lock(mutex_);
    const auto found = times_.find(index);
    if (found == times_.end()) return {false, detail::k_cuda_start_seconds};
    if (found->second.has_ended) return {true, 0};
    // A start that has taken longer than the model says still takes a while
    constexpr double minimum = 0.02;
    const std::chrono::duration<double> passed = Clock::now() - found->second.begun;
    return {true, std::max(minimum, detail::k_cuda_start_seconds - passed.count())};
  }

 private:
  struct Times {
    Clock::time_point begun;
    bool has_ended = false;
  };
  std::mutex mutex_;
  std::map<int, Times> times_;
};
StartTimes start_times;

/// Uniform points in the unit cube.
Points uniform_points(std::int64_t count, std::uint64_t seed) {
  Array<float> coordinates(static_cast<std::size_t>(3 * count));
  for (float& x : coordinates) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    x = static_cast<float>(seed >> 40) * 0x1p-24f;
  }
  return {3, std::move(coordinates)};
}

/// Runs a small search with `options`, so that kernels are loaded: the driver loads each at its first launch, which
/// takes longer than most kernels run. The search is large enough to use the sort of large clouds, and 3-D like most
/// clouds.
void load_kernels(SearchOptions options, const StartedDevice& device) {
  options.start_up = {};
  options.on_progress = nullptr;
  options.threads = 1;
  const std::int64_t count = std::clamp<std::int64_t>((1 << 20) / std::max<std::int64_t>(1, options.k), 1024, 1 << 14);
  const Points data = uniform_points(count, 1), queries = uniform_points(count, 2);
  const problem::Prepared prepared = problem::prepare(data, queries, options);
  cuda::solve(prepared.problem, device.index);
}

}  // namespace

namespace {

/// @param prepare called with a device that is usable
template <class Prepare>
std::shared_ptr<StartedDevice> start(int index, Prepare&& prepare) {
  const auto begin = Clock::now();
  auto device = std::make_shared<StartedDevice>();
  device->index = index;
  start_times.begin(index);
  device->status = cuda::status(index);
  if (device->status.usable) prepare(*device);
  device->seconds = base::seconds_since(begin);
  start_times.end(index);
  return device;
}

/// Starts devices side by side by start_one(index), the last of them on this thread. A device for which no thread can
/// be started is started when it is waited for.
template <class StartOne>
std::vector<std::shared_ptr<StartedDevice>> start_side_by_side(std::span<const int> indexes, StartOne&& start_one) {
  std::vector<std::future<std::shared_ptr<StartedDevice>>> beside;
  for (const int index : indexes.first(indexes.size() - 1))
    beside.push_back(std::async(std::launch::async | std::launch::deferred, [&start_one, index] {
      const base::SignalStack stack;
      return start_one(index);
    }));
  std::shared_ptr<StartedDevice> last = start_one(indexes.back());
  std::vector<std::shared_ptr<StartedDevice>> devices;
  for (auto& device : beside) devices.push_back(device.get());
  devices.push_back(std::move(last));
  return devices;
}

}  // namespace

std::shared_ptr<const StartedDevice> start_device(const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) return nullptr;
  const auto ready_to_search = [&](StartedDevice& device) {
    cuda::make_staging(device.index);
    try {
      load_kernels(options, device);
    } catch (const std::exception&) {
      // Invalid options or a failing device: the search itself will report the error.
    }
  };
  auto devices = start_side_by_side(detail::cuda_devices(options.device),
                                    [&](int index) { return start(index, ready_to_search); });
  std::shared_ptr<StartedDevice> first = std::move(devices.front());
  first->others.assign(devices.begin() + 1, devices.end());
  return first;
}

namespace detail {

StartUpState start_up_state(int index) { return start_times.state(index); }

std::vector<int> cuda_devices(const DeviceChoice& choice) {
  std::vector<int> devices = {choice.all ? 0 : choice.index};
  if (choice.all) {
    for (int index = 1; index < cuda::device_count(); ++index) devices.push_back(index);
  } else {
    devices.insert(devices.end(), choice.others.begin(), choice.others.end());
  }
  return devices;
}

std::vector<std::shared_ptr<const StartedDevice>> started_devices(const SearchOptions& options,
                                                                  std::span<const int> devices) {
  std::map<int, std::shared_ptr<const StartedDevice>> started;
  if (options.start_up.valid())
    if (const auto device = options.start_up.get()) {
      started[device->index] = device;
      for (const auto& other : device->others) started[other->index] = other;
    }
  std::vector<int> missing;
  for (const int index : devices)
    if (!started.contains(index)) missing.push_back(index);
  if (!missing.empty())
    for (auto& device : start_side_by_side(missing, [](int index) { return start(index, [](StartedDevice&) {}); }))
      started[device->index] = std::move(device);
  std::vector<std::shared_ptr<const StartedDevice>> all;
  for (const int index : devices) all.push_back(started.at(index));
  return all;
}

bool is_starting(const SearchOptions& options) {
  return options.device.kind != DeviceKind::cpu && options.start_up.valid() &&
         options.start_up.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Neighbors prefault_result(std::int64_t queries, std::int64_t k, int threads) {
  Neighbors result{queries, k, {}, {}};
  result.ids.resize(static_cast<std::size_t>(queries * k));
  result.distances.resize(result.ids.size());
  base::touch_pages(std::span(result.ids), threads);
  base::touch_pages(std::span(result.distances), threads);
  return result;
}

}  // namespace detail

}  // namespace kann
