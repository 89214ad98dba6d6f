// What is refused about clusters, and what is warned of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kann/clusters.hpp"

namespace kann::detail {

/// The warnings about clusters of so many valid points.
std::vector<std::string> cluster_warnings(const ClusterOptions& options, const ClusterCounts& counts,
                                          std::int64_t valid);

}  // namespace kann::detail
