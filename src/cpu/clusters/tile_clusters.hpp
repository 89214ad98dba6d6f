// DBSCAN of the points of a tile, among all points around it: two steps for each tile, with all others between them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kann/points.hpp"

#include "cpu/clusters/cluster_links.hpp"
#include "cpu/clusters/core_points.hpp"
#include "cpu/clusters/disjoint_sets.hpp"
#include "cpu/clusters/point_flags.hpp"
#include "cpu/clusters/point_tree.hpp"

namespace kann::cpu {

/// What makes a cluster.
struct ClusterRule {
  double radius;
  std::int64_t min_points;  ///< that are within the radius of a core point, itself among them
  int threads;
};

/// Points with their numbers; without these, their places are their numbers.
struct ClusteredPoints {
  PointsView points;
  std::span<const std::int64_t> numbers;

  std::int64_t number(std::int64_t place) const {
    return numbers.empty() ? place : numbers[static_cast<std::size_t>(place)];
  }
};

/// Passes the points around a tile to its argument, block by block: all that may be within the radius of a point of the
/// tile, but those of the tile. Images in a periodic box are points with the numbers of their points.
using AroundTile = std::function<void(const std::function<void(const ClusteredPoints&)>&)>;

/// Bytes of memory per point of a tile, and of a block around it, during either step.
/// @param coordinate_bytes of a coordinate as it is searched
constexpr double tile_cluster_bytes(double coordinate_bytes) {
  const bool is_float = coordinate_bytes == sizeof(float);
  const double tree = is_float ? PointTree<float>::k_bytes_per_point : PointTree<double>::k_bytes_per_point;
  constexpr double found = sizeof(NearestCore);  // as many as CorePoints takes, and more
  return sizeof(std::uint32_t) + tree + found + ClusterLinks<float>::k_bytes_per_point;
}

/// The first step: marks the core points of a tile. Points that are not finite are none. Blocks.
/// @tparam T float or double: a type that holds all coordinates
template <class T>
void find_core_points(const ClusteredPoints& tile, const AroundTile& around, const ClusterRule& rule,
                      PointFlags& is_core);

/// The second step: unites the core points of a tile with each other and with those around it. For every other point of
/// the tile, the parent in `sets` becomes its nearest core point, of several the one with the smallest number, or −1.
/// Blocks. @param is_core of all tiles
template <class T>
void link_clusters(const ClusteredPoints& tile, const AroundTile& around, const ClusterRule& rule,
                   const PointFlags& is_core, DisjointSets& sets);

}  // namespace kann::cpu
