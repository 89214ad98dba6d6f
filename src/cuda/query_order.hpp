// The order that separate queries are taken in.
#pragma once

#include "cuda/device/buffer.hpp"
#include "cuda/placed_point.hpp"
#include "cuda/run.hpp"
#include "cuda/shift.hpp"

namespace kann::cuda {

/// The queries of a run along an unshifted curve, so that neighbouring threads, whose queries are near, read the same
/// candidates. No answer depends on it, so that 32 bits do, in two thirds of the bytes of the data's sort (24 are too
/// few: the search took 1.25 times as long on 2²³ uniform points, three times on clusters). With `closely`, all bits
/// are sorted by where many queries share 32 with eight others, and it blocks for that word. Queued, and timed.
Buffer<PlacedPoint> order_queries(Run& run, const Shift& curve, bool closely);

}  // namespace kann::cuda
