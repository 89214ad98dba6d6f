// check_cluster_options() of kann/clusters.hpp.
#include <cmath>
#include <fmt/format.h>

#include "kann/clusters.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

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
  // Two images of a point could be within the radius of another, and be counted twice; 0.1 % is far more than rounding
  constexpr double sides = 2.001;
  for (const double side : options.periodic)
    if (side > 0 && side <= sides * options.radius)
      throw Error(ErrorKind::usage,
                  fmt::format("--cluster {} needs sides of --periodic longer than twice the radius, got {}",
                              options.radius, side));
}

}  // namespace kann
