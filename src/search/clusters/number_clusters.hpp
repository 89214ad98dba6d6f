// From sets of points to the numbers of clusters.
#pragma once

#include <cstdint>

#include "kann/array.hpp"
#include "kann/clusters.hpp"

namespace kann::detail {

/// Replaces the parent of each point by the number of its cluster; −1 stays. Clusters are numbered in the order of
/// their smallest points. Blocks.
/// @param parents of core points: cpu::DisjointSets::parents(); of others: a core point, or −1
ClusterCounts number_clusters(Array<std::int64_t>& parents);

}  // namespace kann::detail
