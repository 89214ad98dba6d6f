// From sets of points to clusters: their numbers, and what is warned of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kann/array.hpp"
#include "kann/clusters.hpp"

namespace kann::detail {

/// Replaces the parent of each point by the number of its cluster; −1 stays. Clusters are numbered in the order of
/// their smallest points. Blocks.
/// @param parents of core points: cpu::DisjointSets::parents(); of others: a core point, or −1
ClusterCounts number_clusters(Array<std::int64_t>& parents);

/// The warnings about clusters of so many valid points.
std::vector<std::string> cluster_warnings(const ClusterOptions& options, const ClusterCounts& counts,
                                          std::int64_t valid);

}  // namespace kann::detail
