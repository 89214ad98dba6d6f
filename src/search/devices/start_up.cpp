#include "search/devices/start_up.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <span>

#include "base/seconds_since.hpp"
#include "base/threads/copy_threads.hpp"
#include "problem/prepare.hpp"

namespace kann {
namespace {

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

/// @param prepare called with a device that is usable
template <class Prepare>
std::shared_ptr<StartedDevice> start(int index, Prepare&& prepare) {
  const auto begin = std::chrono::steady_clock::now();
  auto device = std::make_shared<StartedDevice>();
  device->index = index;
  device->status = cuda::status(index);
  if (device->status.usable) prepare(*device);
  device->seconds = base::seconds_since(begin);
  return device;
}

}  // namespace

std::shared_ptr<const StartedDevice> start_device(const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) return nullptr;
  return start(options.device.index, [&](StartedDevice& device) {
    cuda::make_staging(device.index);
    try {
      load_kernels(options, device);
    } catch (const std::exception&) {
      // Invalid options or a failing device: the search itself will report the error.
    }
  });
}

namespace detail {

std::shared_ptr<const StartedDevice> started_device(const SearchOptions& options) {
  if (options.start_up.valid())
    if (auto device = options.start_up.get(); device && device->index == options.device.index) return device;
  return start(options.device.index, [](StartedDevice&) {});
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
