// Clusters of a point cloud by density: DBSCAN, and friends of friends.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

namespace kann {

struct ClusterOptions {
  double radius = 0;                  ///< as SearchOptions::radius, but greater than 0
  std::int64_t min_points = 1;        ///< points within the radius of a core point, itself among them; at least 1
  std::vector<double> periodic = {};  ///< as SearchOptions::periodic; it does not repeat within 2.001 radii
  std::optional<AngleUnit> sky = {};  ///< as SearchOptions::sky
  InvalidPoints invalid = InvalidPoints::error;
  DeviceChoice device = {};        ///< as SearchOptions::device
  int threads = 0;                 ///< 0: all of the machine
  std::string data_name = "data";  ///< name of the points in messages
  /// As SearchOptions::on_progress.
  std::function<void(std::string_view step, double fraction)> on_progress = {};
  /// As SearchOptions::start_up.
  std::shared_future<std::shared_ptr<const StartedDevice>> start_up = {};
};

/// What clusters come to.
struct ClusterCounts {
  std::int64_t clusters = 0;
  std::int64_t noise = 0;    ///< points in no cluster; invalid points are among them
  std::int64_t largest = 0;  ///< points of the largest cluster
};

struct ClusterResult {
  Array<std::int32_t> labels;  ///< of each point, the number of its cluster, from 0; −1: noise
  ClusterCounts counts;
  SearchReport report;  ///< of the search for neighbours; without rows, and what is said of them
};

/// DBSCAN (Ester et al. 1996): a point with at least `min_points` points within the radius, itself among them, is a
/// core point. Core points within the radius of each other are in one cluster. Any other point is in the cluster of the
/// nearest core point within the radius, of equally near ones that with the smallest index, or noise if there is none.
/// With `min_points` 1, all points are core points, and clusters are the connected components: friends of friends.
///
/// Two points are within the radius as search_radius() says. Clusters are numbered in the order of their smallest
/// index. The labels are the same on every device and on any number of threads. The graph of neighbours is never held,
/// and crowded places cost no more than others: the points of a box no wider than the radius are not compared with each
/// other. Memory is about 50 bytes per point (float64: 80); of a CUDA device, 80 (130). Blocks.
/// @param points n × d coordinates, d = 2 or 3
/// @throws Error usage (an option out of range), bad_input (invalid points), resources (memory), no_device
///         (DeviceKind::cuda and no usable device).
ClusterResult cluster(const PointsView& points, const ClusterOptions& options);

/// Refuses options that no cloud can have. @throws Error usage.
void check_cluster_options(const ClusterOptions& options);

}  // namespace kann
