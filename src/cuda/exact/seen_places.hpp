// Which places in a tree a query sees: all, or those of the points of its group, which follow each other.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "cuda/exact/box_tree.hpp"
#include "geometry/host_device.hpp"
#include "geometry/window.hpp"

namespace kann::cuda::exact {

struct AllPlaces {
  KANN_HOST_DEVICE geometry::Window window(std::int64_t point_count) const { return {0, point_count}; }
  KANN_HOST_DEVICE bool has(std::uint32_t) const { return true; }
  KANN_HOST_DEVICE bool has_some_of(int, std::uint32_t) const { return true; }
};

inline constexpr int k_bucket_bits = std::bit_width(std::uint32_t{k_bucket_points}) - 1;
inline constexpr int k_child_bits = std::bit_width(std::uint32_t{k_children}) - 1;

/// Places [begin, end), which are at most 2³¹ − 1.
struct GroupPlaces {
  std::int32_t begin, end;

  KANN_HOST_DEVICE geometry::Window window(std::int64_t) const { return {begin, end}; }
  KANN_HOST_DEVICE bool has(std::uint32_t place) const {
    return place >= static_cast<std::uint32_t>(begin) && place < static_cast<std::uint32_t>(end);
  }

  /// Whether any of them are in a node of a level of the tree.
  KANN_HOST_DEVICE bool has_some_of(int level, std::uint32_t node) const {
    const int bits = k_bucket_bits + level * k_child_bits;
    return std::int64_t{node} << bits < end && (std::int64_t{node} + 1) << bits > begin;
  }
};

#ifdef __CUDACC__

/// What the query at a slot sees. Called by one thread.
template <class Places, class Search>
__device__ __forceinline__ Places places_seen(const Search& search, std::int64_t slot) {
  if constexpr (std::is_same_v<Places, AllPlaces>) {
    return {};
  } else {
    return search.d_group_places[slot];
  }
}

#endif

}  // namespace kann::cuda::exact
