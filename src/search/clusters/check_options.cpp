// check_cluster_options() of kann/clusters.hpp.
#include <cmath>
#include <fmt/format.h>

#include "kann/clusters.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

#include "problem/parameters.hpp"

namespace kann {

void check_cluster_options(const ClusterOptions& options) {
  if (!(std::isfinite(options.radius) && options.radius > 0))
    throw Error(ErrorKind::usage,
                fmt::format("--cluster expects a finite radius greater than 0, got '{}'", options.radius));
  if (options.min_points < 1)
    throw Error(ErrorKind::usage,
                fmt::format("--cluster expects at least 1 point within the radius, got '{}'", options.min_points));
  SearchOptions search;
  search.periodic = options.periodic;
  search.sky = options.sky;
  check_options(search);
  if (!options.periodic.empty()) problem::check_repeats_after(options.periodic, options.radius, "--cluster");
}

}  // namespace kann
