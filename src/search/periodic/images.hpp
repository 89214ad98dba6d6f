// Finds the images of a query that may have data points nearby.
#pragma once

#include "kann/array.hpp"

#include "geometry/box.hpp"
#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

/// Appends the positions of those images of `query`, other than itself, from which a point within `extent` may be at a
/// squared distance of at most `sq_radius`; d coordinates per image. Returns how many there are, at most 3^d − 1.
int append_images(const PeriodicBox& box, const geometry::Box& extent, const Position& query, double sq_radius,
                  Array<double>& out);

}  // namespace kann::detail
