#include "search/start_up.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>

#include "base/copy_threads.hpp"
#include "problem/prepare.hpp"

namespace kann {
namespace {

using Clock = std::chrono::steady_clock;

/// Uniform points in the unit cube.
Points uniform_points(std::int64_t count, std::uint64_t seed) {
  Array<float> coordinates(static_cast<std::size_t>(3 * count));
  for (float& x : coordinates) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    x = static_cast<float>(seed >> 40) * 0x1p-24f;
  }
  return {3, std::move(coordinates)};
}

/// Runs a small search with `options`, since the driver loads a kernel at its first launch, which takes longer than
/// most kernels run. The search is large enough for the sort of large clouds, and in 3-D, like most clouds.
void load_kernels(SearchOptions options, const StartedDevice& device) {
  options.start_up = {};
  options.on_progress = nullptr;
  options.on_rows = nullptr;
  options.threads = 1;
  const std::int64_t count = std::clamp<std::int64_t>((1 << 20) / std::max<std::int64_t>(1, options.k), 1024, 1 << 14);
  const Points data = uniform_points(count, 1), queries = uniform_points(count, 2);
  const problem::Prepared prepared = problem::prepare(data, queries, options);
  cuda::solve(prepared.problem, device.index, {device.staging, {}});
}

}  // namespace

std::shared_ptr<const StartedDevice> start_device(const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) return nullptr;
  const auto start = Clock::now();
  auto device = std::make_shared<StartedDevice>();
  device->index = options.device.index;
  device->status = cuda::status(device->index);
  if (device->status.usable) {
    device->staging = cuda::make_staging(device->index);
    try {
      load_kernels(options, *device);
    } catch (const std::exception&) {
      // Invalid options or a failing device: the search itself will report the error.
    }
  }
  device->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return device;
}

namespace detail {

std::shared_ptr<const StartedDevice> started_device(const SearchOptions& options) {
  if (options.start_up.valid())
    if (auto device = options.start_up.get(); device && device->index == options.device.index) return device;
  const auto start = Clock::now();
  auto device = std::make_shared<StartedDevice>();
  device->index = options.device.index;
  device->status = cuda::status(device->index);
  device->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return device;
}

bool is_starting(const SearchOptions& options) {
  return options.device.kind != DeviceKind::cpu && options.start_up.valid() &&
         options.start_up.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Neighbors prefault_result(std::int64_t queries, std::int64_t k, int threads) {
  Neighbors result{queries, k, {}, {}};
  result.ids.resize(static_cast<std::size_t>(queries * k));
  result.distances.resize(result.ids.size());
  const auto touch = [threads](auto& values) {
    constexpr std::size_t page = 4096 / sizeof(values[0]), grain = k_large_bytes / sizeof(values[0]);
    const std::size_t workers = base::copy_threads((values.size() + grain - 1) / grain, threads);
    base::on_threads(values.size(), grain, workers, [&](std::size_t begin, std::size_t count) {
      for (std::size_t i = begin; i < begin + count; i += page) values[i] = 0;
    });
  };
  touch(result.ids);
  touch(result.distances);
  return result;
}

}  // namespace detail

}  // namespace kann
