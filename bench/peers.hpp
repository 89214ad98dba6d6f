// Times of other programs, and the targets derived from them, in milliseconds. Measured on one NVIDIA H200 with n = m =
// 2²³ and separate queries, points and results on the device, best of 3; the whole job is build + sort of queries +
// search.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace kann::bench {

/// All peers are exact. The name of a figure says if it is the search alone, without the build.
struct PeerFigure {
  std::string_view peer, cloud;
  int k;
  double ms;
};
inline constexpr std::array<PeerFigure, 15> k_peers = {{
    {"cuBQL, radix builder", "uniform", 4, 19.5},
    {"cuBQL, radix builder", "uniform", 8, 32.8},
    {"cuBQL, radix builder", "uniform", 16, 65},
    {"cuBQL, radix builder", "surface", 8, 17.5},
    {"cuBQL, radix builder", "clusters", 8, 37.7},
    {"cudaKDTree, spatial k-d tree", "uniform", 4, 55.8},
    {"cudaKDTree, spatial k-d tree", "uniform", 8, 58.3},
    {"cudaKDTree, spatial k-d tree", "uniform", 16, 68},
    {"cudaKDTree, spatial k-d tree", "surface", 8, 52.0},
    {"cudaKDTree, spatial k-d tree", "clusters", 8, 69},
    {"cupy-knn (LBVH)", "uniform", 4, 415},
    {"cupy-knn (LBVH)", "uniform", 8, 530},
    {"cupy-knn (LBVH)", "uniform", 16, 799},
    {"cupy-knn (LBVH)", "surface", 8, 217},
    {"cudaKDTree, its search alone", "uniform", 8, 13.1},
}};

inline std::optional<double> best_peer_ms(std::string_view cloud, int k) {
  std::optional<double> best;
  for (const PeerFigure& p : k_peers)
    if (p.cloud == cloud && p.k == k && p.peer.find("alone") == std::string_view::npos && (!best || p.ms < *best))
      best = p.ms;
  return best;
}

/// The maximum time of a method ("fused", "exact") on a cloud with separate queries.
inline std::optional<double> target_ms(std::string_view method, std::string_view cloud, int k) {
  if (method == "fused" && cloud != "clusters") return k == 4 ? 4 : k == 8 ? 5 : 8;
  if (method == "exact" && cloud == "uniform") return k == 4 ? 6 : k == 8 ? 8 : 13;
  if (method == "exact" && cloud == "surface" && k == 8) return 5;
  return std::nullopt;
}

inline constexpr double k_exact_search_alone_ms = 6.5;  ///< uniform, k = 8: the step `select`
inline constexpr double k_clusters_to_uniform = 1.3;
inline constexpr double k_ugly_to_uniform = 2;
inline constexpr double k_peak_bytes_per_point = 64;
inline constexpr double k_min_recall = 0.97;
inline constexpr double k_linear = 1.2;    ///< time and memory per point, relative to 2²⁰, up to 2²⁷
inline constexpr double k_small_ms = 0.5;  ///< 2¹⁰ × 2¹⁰

}  // namespace kann::bench
