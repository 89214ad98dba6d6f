// A query of the exact search in the registers of its thread: in the frame, for the float32 filter, and as it was
// given.
#pragma once

#include "cuda/exact/bound.cuh"
#include "cuda/exact/search.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/filter.hpp"
#include "geometry/lattice.hpp"

namespace kann::cuda::exact {

/// The point of a query as it was given, and the filter for it.
struct FloatQuery {
  float axis[3];

  __device__ __forceinline__ FloatQuery(const Search<float>&, const PlacedPoint& p) : axis{p.x, p.y, p.z} {}
  __device__ __forceinline__ GivenFilter filter() const { return {}; }
};
struct DoubleQuery {
  double axis[3];
  FrameFilter frame_filter;

  __device__ __forceinline__ DoubleQuery(const Search<double>& search, const PlacedPoint& p)
      : frame_filter(fmaxf(fmaxf(fabsf(p.x), fabsf(p.y)), fabsf(p.z)), search.unit) {
    const double* const d_row = search.d_given_queries + static_cast<std::int64_t>(p.index) * search.curve.dimensions;
    axis[0] = d_row[0];
    axis[1] = d_row[1];
    axis[2] = search.curve.dimensions == 3 ? d_row[2] : 0.0;
  }
  __device__ __forceinline__ const FrameFilter& filter() const { return frame_filter; }
};

/// The point of lane `source`. Called by all 32 lanes.
__device__ __forceinline__ PlacedPoint shuffle(PlacedPoint p, int source) {
  p.x = __shfl_sync(warp::k_all_lanes, p.x, source);
  p.y = __shfl_sync(warp::k_all_lanes, p.y, source);
  p.z = __shfl_sync(warp::k_all_lanes, p.z, source);
  p.index = __shfl_sync(warp::k_all_lanes, p.index, source);
  return p;
}

template <class Real>
class Query : public thread::Query {
 public:
  __device__ __forceinline__ Query(const Search<Real>& search, const PlacedPoint& p)
      : thread::Query(p, search.drop_self, search.first_query), given_(search, p) {}

  __device__ __forceinline__ const Real (&given() const)[3] { return given_.axis; }

  /// The maximum float32 squared distance of a point whose exact one is at most `sq_dist`, and the reverse.
  __device__ __forceinline__ float filter_above(double sq_dist) const { return given_.filter().above(sq_dist); }
  __device__ __forceinline__ double exact_above(float sq_dist) const { return given_.filter().exact_above(sq_dist); }
  __device__ __forceinline__ float sure_below(double sq_dist, double unit) const {
    return geometry::sure_below(given_.filter(), sq_dist, unit);
  }

  /// The least last_bit() of its coordinates, where these are float32s.
  __device__ __forceinline__ int last_bit() const {
    return min(min(geometry::last_bit(given()[0]), geometry::last_bit(given()[1])), geometry::last_bit(given()[2]));
  }

  /// The key of a data point as a neighbour of the query.
  __device__ __forceinline__ thread::ExactKey key_of(const Point<Real>& p) const {
    const double dx = static_cast<double>(given_.axis[0]) - p.x, dy = static_cast<double>(given_.axis[1]) - p.y,
                 dz = static_cast<double>(given_.axis[2]) - p.z;
    return thread::ExactKey({sq_distance_3d(dx, dy, dz), p.index});
  }

  /// A lower bound of the keys of all points in the box.
  __device__ __forceinline__ thread::ExactKey min_key(const NodeBox<Real>& box) const {
    return thread::ExactKey(
        {min_sq_dist<double>(box, given_.axis, given_.axis), static_cast<std::uint32_t>(box.min_index)});
  }

 private:
  std::conditional_t<std::is_same_v<Real, float>, FloatQuery, DoubleQuery> given_;
};

}  // namespace kann::cuda::exact
