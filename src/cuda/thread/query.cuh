// A query as its thread sees it.
#pragma once

#include <cstdint>

#include "cuda/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

struct Query {
  float x, y, z;
  std::uint32_t row;      ///< where its neighbours go
  std::uint32_t dropped;  ///< the index of the data point that is the query itself; no point's where there is none

  __device__ __forceinline__ Query(const PlacedPoint& p, bool drops_itself)
      : x(p.x), y(p.y), z(p.z), row(p.index), dropped(drops_itself ? p.index : 0xffffffffu) {}

  __device__ __forceinline__ float sq_dist_to(const PlacedPoint& p) const {
    return sq_distance_3d(x - p.x, y - p.y, z - p.z);
  }
  __device__ __forceinline__ bool is(std::uint32_t index) const { return index == dropped; }
};

}  // namespace kann::cuda::thread
