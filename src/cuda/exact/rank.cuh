// Where a query would stand among the data along the curve.
#pragma once

#include "cuda/exact/search.hpp"
#include "cuda/point_source.hpp"
#include "cuda/warp/partition_point.cuh"

namespace kann::cuda::exact {

/// A query's code, as many bits as the data are in order of.
__device__ __forceinline__ std::uint64_t rank_key(const Search& search, const PlacedPoint& query) {
  return search.curve.dimensions == 3 ? full_key<3>(query, search.grid, search.curve)
                                      : full_key<2>(query, search.grid, search.curve);
}

/// How many data points have a code below that. Called by all 32 lanes of a warp with the same key.
__device__ __forceinline__ std::int64_t rank_of(const Search& search, std::uint64_t rank_key) {
  const std::uint64_t key = rank_key << search.key_bit;
  return warp::partition_point(0, search.tree.point_count,
                               [&](std::int64_t place) { return search.d_data_keys[place] < key; });
}

}  // namespace kann::cuda::exact
