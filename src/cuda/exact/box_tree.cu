#include "cuda/exact/box_tree.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/lattice.hpp"

namespace kann::cuda::exact {
namespace {

template <class Real>
struct Extent {
  Real lo[3] = {INFINITY, INFINITY, INFINITY};
  Real hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  std::uint32_t min_index = 0xffffffffu;
  std::int32_t last_bit = k_no_last_bit;

  __device__ void add(const Extent& other) {
    for (int a = 0; a < 3; ++a) {
      lo[a] = fmin(lo[a], other.lo[a]);
      hi[a] = fmax(hi[a], other.hi[a]);
    }
    min_index = min(min_index, other.min_index);
    last_bit = min(last_bit, other.last_bit);
  }
  __device__ NodeBox<Real> box() const { return {{lo[0], lo[1], lo[2]}, min_index, {hi[0], hi[1], hi[2]}, last_bit}; }
};

__device__ Extent<float> extent_of(const PlacedPoint& p) {
  return {{p.x, p.y, p.z}, {p.x, p.y, p.z}, p.index, min(min(last_bit(p.x), last_bit(p.y)), last_bit(p.z))};
}
__device__ Extent<double> extent_of(const GivenPoint& p) { return {{p.x, p.y, p.z}, {p.x, p.y, p.z}, p.index}; }
template <class Real>
__device__ Extent<Real> extent_of(const NodeBox<Real>& b) {
  return {{b.lo[0], b.lo[1], b.lo[2]},
          {b.hi[0], b.hi[1], b.hi[2]},
          static_cast<std::uint32_t>(b.min_index),
          static_cast<std::int32_t>(b.last_bit)};
}

/// The extent of each group of `width` neighbouring lanes. Called by all 32 lanes; valid in the first of each group.
template <int width, class Real>
__device__ Extent<Real> joined(Extent<Real> extent) {
  for (int distance = width / 2; distance > 0; distance /= 2) {
    Extent<Real> other;
    for (int a = 0; a < 3; ++a) {
      other.lo[a] = __shfl_down_sync(warp::k_all_lanes, extent.lo[a], distance, width);
      other.hi[a] = __shfl_down_sync(warp::k_all_lanes, extent.hi[a], distance, width);
    }
    other.min_index = __shfl_down_sync(warp::k_all_lanes, extent.min_index, distance, width);
    if constexpr (std::is_same_v<Real, float>)
      other.last_bit = __shfl_down_sync(warp::k_all_lanes, extent.last_bit, distance, width);
    extent.add(other);
  }
  return extent;
}

/// One thread per item, in whole warps: d_boxes[i] = the box of items [width·i, width·(i + 1)) of `count`.
template <int width, class Item, class Real>
__global__ void boxes_kernel(const Item* d_items, std::int64_t count, NodeBox<Real>* d_boxes) {
  const std::int64_t i = first_element();
  const Extent<Real> extent = joined<width>(i < count ? extent_of(d_items[i]) : Extent<Real>());
  if (i < count && i % width == 0) d_boxes[i / width] = extent.box();
}

template <int width, class Item, class Real>
void launch(const Item* d_items, std::int64_t count, NodeBox<Real>* d_boxes, cudaStream_t stream) {
  boxes_kernel<width><<<blocks_for(count), k_block_threads, 0, stream>>>(d_items, count, d_boxes);
  check_launch("boxes");
}

}  // namespace

template <class Real>
BoxTree<Real>::BoxTree(Pool& pool, const PlacedPoint* d_points, const Point<Real>* d_given, std::int64_t count) {
  view_.d_points = d_points;
  view_.d_given = d_given;
  view_.point_count = count;
  if (count == 0) return;
  std::int64_t total = 0;
  for (std::int64_t nodes = (count + k_bucket_points - 1) / k_bucket_points;;
       nodes = (nodes + k_children - 1) / k_children) {
    view_.first[view_.levels] = total;
    view_.count[view_.levels++] = nodes;
    total += nodes;
    if (nodes <= k_children) break;
  }
  boxes_ = Buffer<NodeBox<Real>>(pool, total);
  view_.d_boxes = boxes_.data();
  launch<k_bucket_points>(d_given, count, boxes_.data(), pool.stream());
  for (int level = 1; level < view_.levels; ++level)
    launch<k_children>(boxes_.data() + view_.first[level - 1], view_.count[level - 1],
                       boxes_.data() + view_.first[level], pool.stream());
}

template class BoxTree<float>;
template class BoxTree<double>;

}  // namespace kann::cuda::exact
