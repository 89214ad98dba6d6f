// The places among the data of the queries of a warp, which limit how far apart queries may be that are searched for
// together.
#pragma once

#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/nearest_around.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

/// If the queries of a warp are further apart than this, in places among the data, they are not searched for together:
/// a box around all of them would hold most of the data.
inline constexpr std::int64_t k_max_places_apart = 8192;

/// The place among the data of the query of lane `source`. Called by all 32 lanes with their queries' slots, points and
/// keys; valid in all. `from`: as place_of().
template <class Real>
__device__ __forceinline__ std::int64_t place_of_lane(const Search<Real>& search, int source, std::uint32_t slot,
                                                      const PlacedPoint& point, std::uint64_t key, std::int64_t from) {
  if (!search.d_data_keys) return known_place(search, __shfl_sync(warp::k_all_lanes, slot, source));
  return place_of(search, __shfl_sync(warp::k_all_lanes, key, source),
                  Query<Real>(search, shuffle(point, source)).given(), from);
}

/// The places of the queries of two lanes, likewise.
struct PlaceRange {
  std::int64_t first, last;
};
template <class Real>
__device__ __forceinline__ PlaceRange place_range(const Search<Real>& search, std::uint32_t slot,
                                                  const PlacedPoint& point, int first = 0,
                                                  int last = warp::k_lanes - 1) {
  const std::uint64_t key = search.d_data_keys ? rank_key(search, point) : 0;
  const std::int64_t first_place = place_of_lane(search, first, slot, point, key, 0);
  const bool is_after = __shfl_sync(warp::k_all_lanes, key, first) < __shfl_sync(warp::k_all_lanes, key, last);
  return {first_place, place_of_lane(search, last, slot, point, key, is_after ? first_place : 0)};
}

/// nearest_around() of the lane's query, where the warp's queries have these places among the data.
template <int K, class Real>
__device__ __forceinline__ float nearest_around(const Search<Real>& search, const Query<Real>& query,
                                                const PlaceRange& places) {
  return nearest_around<K>(search.tree, query, min(places.first, places.last), max(places.first, places.last));
}

/// Whether queries are too far apart to be searched for together. Valid in all lanes if the places are.
__device__ __forceinline__ bool are_apart(const PlaceRange& places) {
  return places.last - places.first > k_max_places_apart || places.first - places.last > k_max_places_apart;
}

}  // namespace kann::cuda::exact
