#include <algorithm>
#include <fmt/format.h>

#include "kann/device.hpp"

#include "base/threads/granted_processors.hpp"
#include "base/threads/parallel.hpp"
#include "problem/parameters.hpp"
#include "search/devices/device_model.hpp"
#include "search/devices/start_up.hpp"

namespace kann {
namespace {

double processors(int threads) {
  return std::min(static_cast<double>(base::thread_count(threads)), std::max(1.0, base::granted_processors()));
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.0f} ms", 1e3 * seconds) : fmt::format("{:.1f} s", seconds);
}

/// Seconds that the CUDA device takes to start and end, beside the searches.
double start_and_end_seconds(int index, double seconds_before) {
  const detail::StartUpState state = detail::start_up_state(index);
  return std::max(0.0, state.seconds_left - seconds_before) + (state.has_begun ? 0 : detail::k_cuda_end_seconds);
}

}  // namespace

DeviceForecast forecast_device(const SearchOptions& options, std::span<const SearchSize> searches,
                               double seconds_before) {
  const double threads = processors(options.threads);
  const double start = start_and_end_seconds(options.device.index, seconds_before);
  DeviceForecast forecast{0, start, ""};
  for (const SearchSize& size : searches) {
    if (size.finds_clusters) {
      forecast.cuda_seconds += detail::cuda_cluster_seconds(size.data_points, threads);
      forecast.cpu_seconds += detail::cpu_cluster_seconds(size.data_points, threads);
      continue;
    }
    detail::SearchWork work{size.data_points, size.query_points, std::min(options.k, size.data_points), size.is_self};
    forecast.cuda_seconds += detail::cuda_search_seconds(work);
    if (size.data_are_ordered) work.data_points = 0;
    forecast.cpu_seconds += detail::cpu_search_seconds(work, threads);
  }
  forecast.reason = fmt::format("about {} by the CPU; a CUDA device would take {}", seconds_text(forecast.cpu_seconds),
                                seconds_text(forecast.cuda_seconds));
  if (start > 0) forecast.reason += ", of which " + seconds_text(start) + " to start and end";
  return forecast;
}

}  // namespace kann
