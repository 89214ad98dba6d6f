// The images of a query from which data points may be near.
#pragma once

#include "kann/array.hpp"

#include "search/periodic/placement.hpp"

namespace kann::detail {

/// Bounds the rounding of distances from the image of a query at `image`: η + ρ of margin.hpp.
double slack_of(const Placement& placement, const Placement::Place& query, const Position& image);

/// Appends the positions of those images of `query`, other than its place, from which a data point may be at a squared
/// distance of at most `sq_radius` by the definition, by its nearest image; d coordinates per image. Returns how many
/// there are, at most 3^d − 1. `query` is not blurred.
int append_images(const Placement& placement, const Placement::Place& query, double sq_radius, Array<double>& out);

}  // namespace kann::detail
