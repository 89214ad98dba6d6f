// Lower bounds of the squared distance to a box, computed by one thread. They come from the gaps between query and box
// by the same chain of operations as squared distances from differences. The chain is monotone in every difference,
// rounding included, so no point of the box has a smaller squared distance of that type.
#pragma once

#include "cuda/exact/box_tree.hpp"
#include "cuda/runtime/names.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::exact {

__device__ __forceinline__ NodeBox<float> load_box(const NodeBox<float>* d_box) {
  const float4 lo = reinterpret_cast<const float4*>(d_box)[0], hi = reinterpret_cast<const float4*>(d_box)[1];
  return {{lo.x, lo.y, lo.z}, __float_as_uint(lo.w), {hi.x, hi.y, hi.z}, __float_as_int(hi.w)};
}
__device__ __forceinline__ NodeBox<double> load_box(const NodeBox<double>* d_box) { return *d_box; }

/// The distance between two intervals; 0 if they overlap. [1, 2] and [5, 9]: 3.
template <class Real>
__device__ __forceinline__ Real gap(Real lo, Real hi, Real other_lo, Real other_hi) {
  return fmax(fmax(lo - other_hi, other_lo - hi), Real{0});
}

/// The minimum squared distance between a point of `box` and a point of the box [lo, hi], computed in `Out`.
template <class Out, class Real>
__device__ __forceinline__ Out min_sq_dist(const NodeBox<Real>& box, const Real (&lo)[3], const Real (&hi)[3]) {
  return sq_distance_3d<Out>(gap<Out>(box.lo[0], box.hi[0], lo[0], hi[0]), gap<Out>(box.lo[1], box.hi[1], lo[1], hi[1]),
                             gap<Out>(box.lo[2], box.hi[2], lo[2], hi[2]));
}

}  // namespace kann::cuda::exact
