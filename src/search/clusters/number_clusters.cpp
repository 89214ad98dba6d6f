#include "search/clusters/number_clusters.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace kann::detail {
namespace {

/// Numbers are kept among parents, as what no parent is: −1 is noise, −2 is the first cluster.
std::int64_t kept(std::int64_t cluster) { return -2 - cluster; }

}  // namespace

ClusterCounts number_clusters(Array<std::int64_t>& parents) {
  ClusterCounts counts;
  Array<std::int64_t> sizes;
  for (std::int64_t& parent : parents) {
    if (parent == -1) {
      ++counts.noise;
      continue;
    }
    std::int64_t* at = &parent;
    const auto place = [&] { return at - parents.data(); };
    while (*at >= 0 && *at != place()) at = &parents[static_cast<std::size_t>(*at)];
    if (*at >= 0) {
      *at = kept(counts.clusters++);
      sizes.push_back(0);
    }
    const std::int64_t cluster = *at;
    counts.largest = std::max(counts.largest, ++sizes[static_cast<std::size_t>(kept(cluster))]);
    // What is passed on the way to the root is the shortcut of others
    for (at = &parent; *at >= 0;) {
      std::int64_t* const next = &parents[static_cast<std::size_t>(*at)];
      *at = cluster;
      at = next;
    }
  }
  for (std::int64_t& parent : parents)
    if (parent != -1) parent = kept(parent);
  return counts;
}

std::vector<std::string> cluster_warnings(const ClusterOptions& options, const ClusterCounts& counts,
                                          std::int64_t valid) {
  if (counts.clusters > 0 || valid == 0) return {};
  return {
      fmt::format("all points are noise: none has {} points within {}, itself among them; take a larger radius or "
                  "fewer points",
                  options.min_points, options.radius)};
}

}  // namespace kann::detail
