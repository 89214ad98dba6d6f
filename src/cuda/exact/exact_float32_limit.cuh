// Where float32 distances are exact: among points of a binary lattice, such as integers (geometry/lattice.hpp).
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "geometry/lattice.hpp"

namespace kann::cuda::exact {

/// The limit below which float32 squared distances to the warp's queries are exact. Called by all 32 lanes; valid in
/// all.
__device__ __forceinline__ float exact_float32_limit(const BoxTreeView<float>& tree, const Query<float>& query) {
  if (tree.levels == 0) return 0;
  const int top = tree.levels - 1;
  int step = query.last_bit();
  if (warp::lane_id() < tree.count[top]) step = min(step, tree.d_boxes[tree.first[top] + warp::lane_id()].last_bit);
  return geometry::exact_float32_limit(warp::reduce_min(step));
}

}  // namespace kann::cuda::exact
