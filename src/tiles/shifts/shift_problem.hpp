// The parameters of a shifted sort in tiles, and where its tiles begin.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/search.hpp"

#include "problem/frame.hpp"
#include "problem/problem.hpp"
#include "tiles/shifts/order_key.hpp"
#include "tiles/shifts/point_picker.hpp"

namespace kann::tiles {

/// What problem::prepare() has for a search in `valid` data points of this frame and grid, without the points.
/// @throws as problem::choose_parameters().
problem::Problem shifted_problem(const SearchOptions& options, const problem::FrameGrid& in, std::int64_t valid,
                                 int dimensions, bool is_self);

/// The splitters of all shifts, each of `tiles` ≥ 1. @param sample points of the data
template <int D>
std::vector<Splitters> shift_splitters(const problem::Problem& p, const problem::Frame& frame,
                                       const std::vector<PickedPoint>& sample, std::size_t tiles);

}  // namespace kann::tiles
