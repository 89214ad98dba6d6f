// A query in the registers of its thread.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

struct Query {
  float x, y, z;
  std::uint32_t row;      ///< its row in the results
  std::uint32_t dropped;  ///< index of the data point that is the query itself; 0xffffffff, which no point has, if none

  /// @param first_query as Problem::first_query
  __device__ __forceinline__ Query(const PlacedPoint& p, bool drops_itself, std::uint32_t first_query = 0)
      : x(p.x), y(p.y), z(p.z), row(p.index), dropped(drops_itself ? first_query + p.index : 0xffffffffu) {}

  __device__ __forceinline__ float sq_dist_to(const PlacedPoint& p) const {
    return sq_distance_3d(x - p.x, y - p.y, z - p.z);
  }
  __device__ __forceinline__ bool drops_self() const { return dropped != 0xffffffffu; }
  /// Whether the data point of that index is the query itself, which is no neighbour.
  __device__ __forceinline__ bool is(std::uint32_t index) const { return index == dropped; }
};

}  // namespace kann::cuda::thread
