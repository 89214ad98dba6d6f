#include <algorithm>

#include "cuda/order/kd_order.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/float_bits.hpp"

namespace kann::cuda {
namespace {

constexpr std::int64_t k_leaf = 32;  // at most so many points

/// The box of a range: ordered_bits() of the least coordinates, and those of the largest, inverted; so both are least.
struct RangeBox {
  unsigned long long lo[3], not_hi[3];
};

__device__ __forceinline__ double of_ordered_bits(unsigned long long bits) {
  return double_of(bits >> 63 ? bits ^ std::uint64_t{1} << 63 : ~bits);
}

/// Coordinates are compared as they were given, if these are rounded in the frame.
template <int D>
__device__ __forceinline__ double coordinate(const PointSource& source, std::uint32_t row, int axis) {
  const std::int64_t at = static_cast<std::int64_t>(row) * D + axis;
  return source.d_given ? source.d_given[at] : static_cast<double>(source.d_points[at]);
}

/// The range of place i at a level: the last that does not begin after it.
__device__ __forceinline__ std::int64_t range_of(const KdTreeView& tree, std::int64_t i, int level) {
  std::int64_t range = (i << level) / tree.count;
  if (tree.begin(range + 1, level) <= i) ++range;
  return range;
}

/// The axis along which a box is widest.
template <int D>
__device__ __forceinline__ int widest_axis(const RangeBox& box) {
  int widest = 0;
  double width = -1;
  for (int a = 0; a < D; ++a) {
    const double side = of_ordered_bits(~box.not_hi[a]) - of_ordered_bits(box.lo[a]);
    if (side > width) {
      width = side;
      widest = a;
    }
  }
  return widest;
}

/// One thread per place. Ranges are contiguous, so that a warp mostly has points of one alone.
template <int D>
__global__ void boxes_kernel(KdTreeView tree, PointSource source, const std::uint32_t* d_rows, int level,
                             RangeBox* d_boxes) {
  const std::int64_t i = first_element();
  const std::int64_t last = tree.count - 1, place = i < last ? i : last;  // a point again is the same box
  const std::int64_t range = range_of(tree, place, level);
  const bool is_one = __all_sync(warp::k_all_lanes, range == __shfl_sync(warp::k_all_lanes, range, 0));
  RangeBox& box = d_boxes[range];
  for (int a = 0; a < D; ++a) {
    unsigned long long lo = ordered_bits(coordinate<D>(source, d_rows[place], a)), not_hi = ~lo;
    if (is_one) {
      for (int step = warp::k_lanes / 2; step > 0; step /= 2) {
        lo = min(lo, __shfl_xor_sync(warp::k_all_lanes, lo, step));
        not_hi = min(not_hi, __shfl_xor_sync(warp::k_all_lanes, not_hi, step));
      }
      if (warp::lane_id() != 0) continue;
    }
    if (lo < box.lo[a]) atomicMin(&box.lo[a], lo);
    if (not_hi < box.not_hi[a]) atomicMin(&box.not_hi[a], not_hi);
  }
}

/// One thread per place. A key is the coordinate of the place's point along the widest axis of its range. A float32
/// stands behind the number of the range, and its value is the row; a float64 fills the key, and its value is the
/// place, which tells the range.
template <int D>
__global__ void keys_kernel(KdTreeView tree, PointSource source, const std::uint32_t* d_from, int level,
                            const RangeBox* d_boxes, std::uint64_t* d_keys, std::uint32_t* d_values) {
  const std::int64_t i = first_element();
  if (i >= tree.count) return;
  const std::uint32_t row = d_from[i];
  const std::int64_t range = range_of(tree, i, level);
  const double x = coordinate<D>(source, row, widest_axis<D>(d_boxes[range]));
  d_keys[i] =
      tree.is_given ? ordered_bits(x) : static_cast<std::uint64_t>(range) << 32 | ordered_bits(static_cast<float>(x));
  d_values[i] = tree.is_given ? static_cast<std::uint32_t>(i) : row;
}

/// One thread per sorted float64: the range that its place is in, and its row.
__global__ void ranges_kernel(KdTreeView tree, const std::uint32_t* d_places, const std::uint32_t* d_from, int level,
                              std::uint64_t* d_keys, std::uint32_t* d_rows) {
  const std::int64_t i = first_element();
  if (i >= tree.count) return;
  const std::uint32_t place = d_places[i];
  d_keys[i] = static_cast<std::uint64_t>(range_of(tree, place, level));
  d_rows[i] = d_from[place];
}

/// One thread per range of a level, which is in order.
template <int D>
__global__ void nodes_kernel(KdTreeView tree, PointSource source, const std::uint32_t* d_rows, int level,
                             const RangeBox* d_boxes, KdNode* d_nodes) {
  const std::int64_t range = first_element();
  if (range >= std::int64_t{1} << level) return;
  const int axis = widest_axis<D>(d_boxes[range]);
  const std::uint32_t row = d_rows[tree.begin(2 * range + 1, level + 1)];
  d_nodes[(std::int64_t{1} << level) + range] = {coordinate<D>(source, row, axis), axis};
}

/// One thread per row.
template <int D>
__global__ void leaves_kernel(KdTreeView tree, PointSource source, std::int64_t count, std::uint32_t* d_keys,
                              std::uint32_t* d_rows) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const auto place =
      tree.is_given && source.d_given ? tree.place_of(source.d_given + i * D) : tree.place_of(source.d_points + i * D);
  d_keys[i] = static_cast<std::uint32_t>(place);
  d_rows[i] = static_cast<std::uint32_t>(i);
}

}  // namespace

KdOrder::KdOrder(SearchContext& context, const PointSource& source, int dimensions, std::int64_t count,
                 PairSorter<std::uint64_t>& sorter) {
  view_.count = count;
  view_.is_given = source.d_given != nullptr;
  while (count > k_leaf << view_.levels) ++view_.levels;
  const std::int64_t leaves = std::int64_t{1} << view_.levels;
  nodes_ = Buffer<KdNode>(context.pool, leaves);
  view_.d_nodes = nodes_.data();
  const Buffer<RangeBox> boxes(context.pool, leaves / 2);
  const Buffer<std::uint32_t> before(context.pool, view_.is_given ? count : 0);
  const cudaStream_t stream = context.stream;
  const auto with_dimensions = [&](auto f) {
    dimensions == 3 ? f.template operator()<3>() : f.template operator()<2>();
  };
  const unsigned blocks = blocks_for(count);
  for (int level = 0; level < view_.levels; ++level) {
    check(cudaMemsetAsync(boxes.data(), 0xff, sizeof(RangeBox) << level, stream), "k-d tree: boxes");
    with_dimensions([&]<int D>() {
      boxes_kernel<D><<<blocks, k_block_threads, 0, stream>>>(view_, source, sorter.indices(), level, boxes.data());
      if (view_.is_given)
        check(cudaMemcpyAsync(before.data(), sorter.indices(), before.size() * sizeof(std::uint32_t),
                              cudaMemcpyDeviceToDevice, stream),
              "k-d tree: rows");
      keys_kernel<D><<<blocks, k_block_threads, 0, stream>>>(view_, source, sorter.indices(), level, boxes.data(),
                                                             sorter.keys_in(), sorter.indices_in());
    });
    constexpr int float_bits = 32, double_bits = 64;
    sorter.sort(count, 0, view_.is_given ? double_bits : float_bits + level, stream);
    if (view_.is_given) {
      ranges_kernel<<<blocks, k_block_threads, 0, stream>>>(view_, sorter.indices(), before.data(), level,
                                                            sorter.keys_in(), sorter.indices_in());
      sorter.sort(count, 0, std::max(1, level), stream);
    }
    with_dimensions([&]<int D>() {
      nodes_kernel<D><<<blocks_for(std::int64_t{1} << level), k_block_threads, 0, stream>>>(
          view_, source, sorter.indices(), level, boxes.data(), nodes_.data());
    });
    check_launch("k-d tree");
  }
  context.timer.lap(context.steps.sort);
}

void keys_in_tree(const KdTreeView& tree, const PointSource& source, int dimensions, std::int64_t count,
                  std::uint32_t* d_keys, std::uint32_t* d_rows, cudaStream_t stream) {
  const auto kernel = dimensions == 3 ? leaves_kernel<3> : leaves_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(tree, source, count, d_keys, d_rows);
  check_launch("places in a k-d tree");
}

}  // namespace kann::cuda
