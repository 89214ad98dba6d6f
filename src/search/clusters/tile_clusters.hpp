// DBSCAN of the points of a tile, among all points around it: two steps for each tile, with all others between them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kann/search.hpp"

#include "problem/cluster_device.hpp"
#include "search/devices/auto_rule.hpp"

namespace kann::detail {

/// Passes the points around a tile to its argument, block by block: all that may be within the radius of a point of the
/// tile, but those of the tile. Images in a periodic box are points with the numbers of their points.
using AroundTile = std::function<void(const std::function<void(const problem::ClusteredPoints&)>&)>;

/// Points that are clustered.
struct ClusterWork {
  SearchSize size;           ///< of all tiles
  std::int64_t tile_points;  ///< of the largest tile
  bool is_float64;           ///< whether coordinates are float64s, in tiles or around them; else, all are float32s
  problem::ClusterRule rule;
};

class TileClusters {
 public:
  /// Takes the device that the options ask for, or that will finish first. Blocks until it has started.
  /// @throws Error no_device, resources.
  TileClusters(const ClusterWork& work, const SearchOptions& options);

  /// The first step: marks the core points of a tile. Points that are not finite are none. Blocks.
  void find_core_points(const problem::ClusteredPoints& tile, const AroundTile& around, problem::PointFlags& is_core);

  /// The second step: unites the core points of a tile with each other and with those around it. Every other point in
  /// the tile gets its nearest core point as its parent in `sets`: the smallest number if several are as near, −1 if
  /// none is within the radius. Blocks. @param is_core of all tiles
  void link(const problem::ClusteredPoints& tile, const AroundTile& around, const problem::PointFlags& is_core,
            problem::DisjointSets& sets);

  /// Sets what a report says of the device, and of both steps.
  void describe(SearchReport& report) const;

 private:
  const problem::ClusterRule rule_;
  std::unique_ptr<problem::ClusterDevice> device_;
  std::string reason_;  // as SearchReport has them
  double start_up_seconds_ = 0, waited_seconds_ = 0;
};

}  // namespace kann::detail
