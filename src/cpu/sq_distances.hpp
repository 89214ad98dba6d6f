// Squared distances from one query to a run of points, as wide as the processor allows.
#pragma once

#include <cstdint>

namespace kann::cpu {

/// out[i] = sq_distance(query, point i) for `count` points that lie axis by axis in `x`, `y` (and `z`). Uses fused
/// instructions where the processor has them and the library's fma where not: the same bits.
void sq_distances_2d(const float* x, const float* y, std::int64_t count, const float* query, float* out);
void sq_distances_3d(const float* x, const float* y, const float* z, std::int64_t count, const float* query,
                     float* out);

}  // namespace kann::cpu
