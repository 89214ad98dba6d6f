// Clusters on the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/clusters/cluster_links.hpp"
#include "cpu/clusters/core_points.hpp"
#include "cpu/clusters/point_tree.hpp"
#include "problem/cluster_device.hpp"

namespace kann::cpu {

/// Bytes of memory per point of a tile, and of a block around it, during either step.
/// @param coordinate_bytes of a coordinate as it is searched
constexpr double tile_cluster_bytes(double coordinate_bytes) {
  const bool is_float = coordinate_bytes == sizeof(float);
  const double tree = is_float ? PointTree<float>::k_bytes_per_point : PointTree<double>::k_bytes_per_point;
  constexpr double found = sizeof(NearestCore);  // as many as CorePoints takes, and more
  return sizeof(std::int32_t) + tree + found + ClusterLinks<float>::k_bytes_per_point;
}

/// @param is_float64 whether coordinates are float64s; else, all are float32s
std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule& rule, bool is_float64);

}  // namespace kann::cpu
