// Lower bounds of the squared distance to a box, computed by one thread. They come from the gaps between query and box
// by the same chain of operations as squared distances from differences. The chain is monotone in every difference,
// rounding included, so no point of the box has a smaller squared distance.
#pragma once

#include "cuda/exact/box_tree.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::exact {

__device__ __forceinline__ NodeBox load_box(const NodeBox* d_box) {
  const float4 lo = reinterpret_cast<const float4*>(d_box)[0], hi = reinterpret_cast<const float4*>(d_box)[1];
  return {{lo.x, lo.y, lo.z}, __float_as_uint(lo.w), {hi.x, hi.y, hi.z}, 0};
}

/// The distance between two intervals; 0 if they overlap. [1, 2] and [5, 9]: 3.
__device__ __forceinline__ float gap(float lo, float hi, float other_lo, float other_hi) {
  return fmaxf(fmaxf(lo - other_hi, other_lo - hi), 0.0f);
}

/// The minimum squared distance between a point of `box` and a point of the box [lo, hi].
__device__ __forceinline__ float min_sq_dist(const NodeBox& box, const float (&lo)[3], const float (&hi)[3]) {
  return sq_distance_3d(gap(box.lo[0], box.hi[0], lo[0], hi[0]), gap(box.lo[1], box.hi[1], lo[1], hi[1]),
                        gap(box.lo[2], box.hi[2], lo[2], hi[2]));
}

/// The same from one point.
__device__ __forceinline__ float min_sq_dist(const NodeBox& box, float x, float y, float z) {
  return sq_distance_3d(gap(box.lo[0], box.hi[0], x, x), gap(box.lo[1], box.hi[1], y, y),
                        gap(box.lo[2], box.hi[2], z, z));
}

/// Whether a point of the box may come before `last` in the order of (squared distance, index).
__device__ __forceinline__ bool may_enter(const NodeBox& box, float sq_dist, NeighborKey last) {
  return neighbor_key(sq_dist, box.min_index) < last;
}

}  // namespace kann::cuda::exact
