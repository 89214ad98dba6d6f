// Times of the CPU in ms, measured with 16 threads, for n data points and n queries on a smooth surface in 3-D:
//
//   n, k           10⁵, 8    10⁶, 1   10⁶, 8   10⁶, 32   10⁶, 100   10⁵, 1000   10⁷, 8   10⁷, 32   10⁷, 100
//   measured       11        28       47       73        185        143         386      722       1,833
//   the rule's     7         28       39       77        183        162         364      739       1,802
//   CUDA, started  3         7        10       15        34         31          42       117       300
//
// Clusters of 10⁶ and 10⁷ points, on the average of sparse, dense and crowded ones: .2 and 1.7 s with 16 threads, .7
// and 6.7 s with two, .05 and .4 s with CUDA. A CUDA device starts in .24 s, and the driver makes the process wait for
// .1 s at its end. So a wrong choice costs a third of a second.
#include "search/devices/auto_rule.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/threads/granted_processors.hpp"
#include "base/threads/parallel.hpp"
#include "cuda/backend.hpp"

namespace kann::detail {
namespace {

double processors(int threads) {
  return std::max(1.0, std::min(static_cast<double>(base::thread_count(threads)), base::granted_processors()));
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.0f} ms", 1e3 * seconds) : fmt::format("{:.1f} s", seconds);
}

}  // namespace

double cpu_seconds(const SearchSize& size, std::int64_t k, double threads) {
  const double others = threads - 1;
  const auto data = static_cast<double>(size.data_points), queries = static_cast<double>(size.query_points);
  if (size.finds_clusters) return 1'350e-9 * data * (1 + others / 10) / threads;
  // Threads share caches and memory, which limit the ordering of the data, but hardly the search
  const double order = size.data_are_ordered ? 0 : 90e-9 * data * (1 + others / 12);
  const double found = std::min(static_cast<double>(k), data);
  return 3e-3 + 1.25 * (order + (100e-9 + 20e-9 * found) * queries) / threads;
}

double cpu_seconds(const SearchSize& size, const SearchOptions& options) {
  return cpu_seconds(size, options.k, processors(options.threads));
}

double seconds_worth_cuda(int index) { return cuda::seconds_worth(index); }

AutoChoice auto_choice(const SearchSize& size, const SearchOptions& options) {
  const double seconds = cpu_seconds(size, options), worth_it = seconds_worth_cuda(options.device.index);
  return {seconds > worth_it ? DeviceKind::cuda : DeviceKind::cpu,
          fmt::format("about {} by the CPU; a CUDA device is taken from {} on", seconds_text(seconds),
                      seconds_text(worth_it))};
}

}  // namespace kann::detail
