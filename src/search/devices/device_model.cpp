// Times in ms, measured on an H200 and 16 threads of its host, for n data points and n queries on a smooth surface in
// 3-D:
//
//   n, k           10⁵, 8    10⁶, 1   10⁶, 8   10⁶, 32   10⁶, 100   10⁵, 1000   10⁷, 8   10⁷, 32   10⁷, 100
//   CPU            11        28       47       73        185        143         386      722       1,833
//   model          7         26       42       72        191        153         392      692       1,887
//   CUDA           3         7        10       15        34         31          42       117       300
//   model          1.5       4        6        13        34         31          51       123       327
//
// Clusters of 10⁶ and 10⁷ points, on the average of sparse, dense and crowded ones: .2 and 1.7 s on the CPU, .05 and .4
// s with CUDA. Two threads take .7 and 6.7 s.
#include "search/devices/device_model.hpp"

#include <algorithm>

namespace kann::detail {
namespace {

constexpr double k_ns = 1e-9;

/// Nanoseconds that one thread takes for a query of the exact method; interpolated linearly between the entries.
struct QueryCost {
  double k, ns;
};
constexpr QueryCost k_query_costs[] = {{1, 130}, {8, 170}, {32, 720}, {100, 2'250}, {1'000, 19'000}};

double exact_query_ns(double k) {
  const QueryCost* const last = std::end(k_query_costs) - 1;
  if (k >= last->k) return last->ns * k / last->k;
  const QueryCost* const above =
      std::ranges::find_if(k_query_costs + 1, last, [k](const QueryCost& cost) { return k <= cost.k; });
  const QueryCost &a = above[-1], &b = *above;
  return a.ns + (b.ns - a.ns) * (k - a.k) / (b.k - a.k);
}

}  // namespace

double cpu_search_seconds(const SearchWork& work, double threads) {
  constexpr double fixed = 3e-3;
  constexpr double data_ns = 90;
  const double order_ns = work.is_self ? 50 : 0;  // the queries have the order of the data
  const double query_ns = exact_query_ns(static_cast<double>(work.k)) - order_ns;
  // Threads share caches and memory, which limit the ordering of the data, but hardly the search
  const double others = std::max(1.0, threads) - 1;
  const double thread_ns = data_ns * static_cast<double>(work.data_points) * (1 + others / 12) +
                           query_ns * static_cast<double>(work.query_points) * (1 + others / 60);
  return fixed + k_ns * thread_ns / (others + 1);
}

double cuda_search_seconds(const SearchWork& work) {
  constexpr double fixed = 1e-3, point_ns = 1.3, neighbor_ns = 0.3;  // the transfer is most of both
  const double queries = static_cast<double>(work.query_points);
  return fixed + k_ns * (point_ns * (static_cast<double>(work.data_points) + queries) +
                         neighbor_ns * queries * static_cast<double>(work.k));
}

double cpu_cluster_seconds(std::int64_t points, double threads) {
  constexpr double fixed = 1e-3, point_ns = 1'350;
  const double others = std::max(1.0, threads) - 1;
  return fixed + k_ns * point_ns * (1 + others / 10) * static_cast<double>(points) / (others + 1);
}

double cuda_cluster_seconds(std::int64_t points, double threads) {
  // The host chooses the points and numbers the clusters, which takes most of the time
  constexpr double fixed = 8e-3, point_ns = 35, host_ns = 100;
  return fixed + k_ns * (point_ns + host_ns / std::max(1.0, threads)) * static_cast<double>(points);
}

}  // namespace kann::detail
