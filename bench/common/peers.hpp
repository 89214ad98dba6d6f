// Times of other programs, and the targets derived from them, in milliseconds. Measured on one NVIDIA H200 with n = m =
// 2²³ and separate queries, points and results on the device, best of 7; the whole job is build + sort of queries +
// search.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace kann::bench {

inline constexpr int k_peer_log2 = 23;  ///< the size at which the peers were measured and the targets hold

/// All peers are exact. The name of a figure says if it is the search alone, without the build.
struct PeerFigure {
  std::string_view peer, cloud;
  int k;
  double ms;
};
inline constexpr std::array<PeerFigure, 26> k_peers = {{
    {"cuBQL, as it comes", "uniform", 4, 18.5},
    {"cuBQL, as it comes", "uniform", 8, 28.6},
    {"cuBQL, as it comes", "uniform", 16, 62.6},
    {"cuBQL, as it comes", "uniform", 32, 205},
    {"cuBQL, as it comes", "surface", 8, 15.6},
    {"cuBQL, as it comes", "clusters", 8, 33.3},
    {"cuBQL, best of 32 settings", "uniform", 4, 13.2},
    {"cuBQL, best of 32 settings", "uniform", 8, 18.7},
    {"cuBQL, best of 32 settings", "uniform", 16, 31.4},
    {"cuBQL, best of 32 settings", "uniform", 32, 81.6},
    {"cuBQL, best of 32 settings", "surface", 8, 10.2},
    {"cuBQL, best of 32 settings", "clusters", 8, 22.4},
    {"cudaKDTree, spatial k-d tree", "uniform", 4, 59.5},
    {"cudaKDTree, spatial k-d tree", "uniform", 8, 55.9},
    {"cudaKDTree, spatial k-d tree", "uniform", 16, 65.8},
    {"cudaKDTree, spatial k-d tree", "uniform", 32, 97.4},
    {"cudaKDTree, spatial k-d tree", "surface", 8, 50.0},
    {"cudaKDTree, spatial k-d tree", "clusters", 8, 67.0},
    {"jz-tree 1.1.0, best leaf size", "uniform", 4, 41.5},
    {"jz-tree 1.1.0, best leaf size", "uniform", 8, 41.7},
    {"jz-tree 1.1.0, best leaf size", "uniform", 16, 44.4},
    {"jz-tree 1.1.0, best leaf size", "uniform", 32, 61.0},
    {"jz-tree 1.1.0, best leaf size", "surface", 8, 35.4},
    {"jz-tree 1.1.0, best leaf size", "clusters", 8, 45.5},
    {"cudaKDTree, its search alone", "uniform", 8, 12.7},
    {"cudaKDTree, its search alone", "uniform", 32, 42.1},
}};

inline std::optional<double> best_peer_ms(std::string_view cloud, int k) {
  std::optional<double> best;
  for (const PeerFigure& p : k_peers)
    if (p.cloud == cloud && p.k == k && p.peer.find("alone") == std::string_view::npos && (!best || p.ms < *best))
      best = p.ms;
  return best;
}

/// The maximum time of a method on a cloud of 2²³ points with as many separate queries.
struct TargetFigure {
  std::string_view method, cloud;
  int k;
  double ms;
};
inline constexpr std::array<TargetFigure, 37> k_targets = {{
    {"exact", "uniform", 4, 2.1},       {"exact", "uniform", 8, 2.2},         {"exact", "uniform", 16, 3.2},
    {"exact", "uniform", 32, 5.4},      {"exact", "uniform", 33, 9},          {"exact", "uniform", 64, 14},
    {"exact", "uniform", 100, 38.9},    {"exact", "uniform", 128, 44.9},      {"exact", "uniform", 256, 73},
    {"exact", "uniform", 512, 165},     {"exact", "uniform", 1024, 415},      {"exact", "surface", 4, 3.7},
    {"exact", "surface", 8, 4.5},       {"exact", "surface", 16, 7.5},        {"exact", "surface", 32, 13.5},
    {"exact", "surface", 64, 24.7},     {"exact", "surface", 200, 48},        {"exact", "clusters", 4, 4.8},
    {"exact", "clusters", 8, 6.1},      {"exact", "clusters", 16, 9.9},       {"exact", "clusters", 32, 19.5},
    {"exact", "clusters", 64, 35.5},    {"exact", "clusters", 200, 69},       {"shifted-sort", "uniform", 4, 3.3},
    {"window-24", "uniform", 8, 4.5},   {"shifted-sort", "uniform", 16, 5.5}, {"shifted-sort", "uniform", 32, 16},
    {"window-24", "surface", 8, 4.5},   {"window-24", "clusters", 8, 4.5},    {"exact", "square", 8, 2.4},
    {"exact", "blobs", 8, 3},           {"exact", "streets", 8, 3},           {"exact", "grid", 8, 3},
    {"shifted-sort", "square", 8, 3.5}, {"shifted-sort", "blobs", 8, 3.5},    {"shifted-sort", "streets", 8, 3.5},
    {"shifted-sort", "grid", 8, 3.5},
}};

inline std::optional<double> target_ms(std::string_view method, std::string_view cloud, int k) {
  for (const TargetFigure& t : k_targets)
    if (t.method == method && t.cloud == cloud && t.k == k) return t.ms;
  return std::nullopt;
}

inline constexpr double k_exact_search_alone_ms = 1.5;  ///< uniform, k = 8: the step `select`
inline constexpr double k_long_list_ns = 0.08;          ///< per neighbour, k > 1,024
inline constexpr double k_ugly_to_uniform = 2;
inline constexpr double k_hard_to_uniform = 5;
inline constexpr double k_peak_bytes_per_point = 64;
inline constexpr double k_min_recall = 0.97;
inline constexpr double k_linear = 1.2;    ///< time and memory per point, relative to 2²⁰, up to 2²⁷
inline constexpr double k_small_ms = 0.5;  ///< 2¹⁰ × 2¹⁰

}  // namespace kann::bench
