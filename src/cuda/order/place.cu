#include <algorithm>

#include "cuda/order/on_curve.cuh"
#include "cuda/order/place.hpp"
#include "cuda/order/sort_depth.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

// Runs of up to this many points are put in order here. Of 2²³ points of a LiDAR scan, whose box is much longer than
// wide, 12 runs have more than 32 points, and none has more than 41; all orders would be made again by all bits.
constexpr int k_short_run = 64;

/// Point `from` of the source; its index is `from`.
template <int D>
__device__ __forceinline__ PlacedPoint point_from(const PointSource& source, std::uint32_t from) {
  PlacedPoint p = point_at<D>(source, from);
  p.index = from;
  return p;
}

/// The places of the points of sorted packed keys. Used by one thread per key.
template <int D>
struct Placer : Placing {
  __device__ std::uint32_t payload(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << layout.payload_bits) - 1));
  }
  __device__ bool is_of_run(std::uint64_t key, std::int64_t i) const {
    return i >= 0 && i < count && (d_keys[i] ^ key) >> layout.first_sorted_bit() == 0;
  }

  /// The number of keys after the i-th (step 1) or before it (step −1) that are of its run, at most k_short_run.
  __device__ int run_beside(std::uint64_t key, std::int64_t i, int step) const {
    int found = 0;
    while (found < k_short_run && is_of_run(key, i + step * (found + 1))) ++found;
    return found;
  }

  __device__ OnMortonCurve<D> on_curve(const PlacedPoint& point) const { return {point, source.grid, shift}; }

  /// Whether the point of the run's j-th key comes before the point of `key`, which is `own` on the curve.
  __device__ bool precedes(std::int64_t j, std::uint64_t key, const OnMortonCurve<D>& own) const {
    const std::uint64_t other = d_keys[j];
    const bool differs_in_prefix = !layout.sorts_prefix() && (other ^ key) >> layout.payload_bits != 0;
    const int difference = differs_in_prefix ? 0 : on_curve(point_from<D>(source, payload(other))).compare(own);
    return difference < 0 || (difference == 0 && other < key);
  }

  /// The place of the i-th key's point. In a short run: the run's first place plus the number of its points that come
  /// before this one. In a longer run: i, and the report says incomplete if the next point should come before this one.
  __device__ std::int64_t place_of(std::uint64_t key, std::int64_t i, const PlacedPoint& point) const {
    const bool has_before = is_of_run(key, i - 1), has_after = is_of_run(key, i + 1);
    if (!has_before && !has_after) return i;
    const int before = has_before ? run_beside(key, i, -1) : 0, after = has_after ? run_beside(key, i, 1) : 0;
    const OnMortonCurve<D> own = on_curve(point);
    std::int64_t place = i;
    if (before + after < k_short_run) {
      place -= before;
      for (int j = -before; j <= after; ++j) place += j != 0 && precedes(i + j, key, own);
    } else if (has_after && precedes(i + 1, key, own)) {
      d_report->incomplete = 1;
    }
    return place;
  }

  /// Writes the keys of later shifts of a point, whose place is known.
  __device__ void make_keys(const PlacedPoint& point, std::int64_t place) const {
    const Coordinates xyz = coordinates_of(point);
    const std::uint64_t code = morton_code<D>(xyz.axis, source.grid);
#pragma unroll
    for (int j = 0; j < k_max_later_shifts; ++j)
      if (j < later.count)
        later.d_keys[j][place] = sort_key<D>(code, later.shift_codes[j], later.prefix_bits[j]) << layout.payload_bits |
                                 static_cast<std::uint64_t>(place);
  }
};

/// Reports whether more than k_long_coarse_run keys share their k_coarse_bits leading bits, and, in one block of
/// k_sample_blocks, adds the number of keys that share them with the key before. Unused bits count among the leading
/// bits, so that cells are as large as those that later shifts are sorted by. Called by all threads of a block with the
/// i-th key each.
__device__ void report_coarse_runs(const Placing& placing, std::uint64_t key, std::int64_t i) {
  const int coarse_bit = placing.layout.payload_bits + placing.layout.prefix_bits - k_coarse_bits;
  const auto shares_with = [&](std::int64_t j) {
    return i < placing.count && j >= 0 && j < placing.count && (placing.d_keys[j] ^ key) >> coarse_bit == 0;
  };
  const bool has_long = __syncthreads_or(shares_with(i + k_long_coarse_run));
  if (threadIdx.x == 0 && has_long) placing.d_report->has_long_coarse_runs = 1;
  if (blockIdx.x % k_sample_blocks != 0) return;
  const int shared = __syncthreads_count(shares_with(i - 1));
  if (threadIdx.x == 0 && shared > 0) atomicAdd(&placing.d_report->sampled_coarse_runs, shared);
}

/// One thread per key. k_is_first: writes the keys of later shifts, and reports coarse runs.
template <int D, bool k_is_first>
__global__ void __launch_bounds__(k_block_threads, 8) place_packed_kernel(const __grid_constant__ Placer<D> placer) {
  const KeyLayout& layout = placer.layout;
  const std::int64_t i = first_element();
  const std::uint64_t key = i < placer.count ? placer.d_keys[i] : 0;
  if constexpr (k_is_first) {
    if (placer.reports_runs) report_coarse_runs(placer, key, i);
  }
  if (i >= placer.count) return;
  const PlacedPoint point = point_from<D>(placer.source, placer.payload(key));
  const bool is_sorted = layout.rest_bits == 0 && layout.sorts_prefix();
  const std::int64_t place = is_sorted ? i : placer.place_of(key, i, point);
  placer.d_placed[place] = point;
  if (placer.d_placed_keys) placer.d_placed_keys[place] = key;
  if constexpr (k_is_first) placer.make_keys(point, place);
}

/// One thread per index.
template <int D>
__global__ void place_indices_kernel(const std::uint32_t* d_indices, std::int64_t count, PointSource source,
                                     PlacedPoint* d_placed) {
  const std::int64_t i = first_element();
  if (i < count) d_placed[i] = point_from<D>(source, d_indices[i]);
}

/// Whether two points of a source are at different places.
template <int D>
__device__ __forceinline__ bool differ(const PointSource& source, std::uint32_t i, std::uint32_t j) {
  const auto differs = [&](const auto* d_points) {
    bool any = false;
    for (int a = 0; a < D; ++a) any |= d_points[std::int64_t{i} * D + a] != d_points[std::int64_t{j} * D + a];
    return any;
  };
  return source.d_given ? differs(source.d_given) : differs(source.d_points);
}

/// One thread per key.
template <int D>
__global__ void place_along_curve_kernel(const std::uint64_t* d_keys, int key_bit, int coarse_bit,
                                         const std::uint32_t* d_indices, std::int64_t count, PointSource source,
                                         PlacedPoint* d_placed, OrderReport* d_report) {
  const std::int64_t i = first_element();
  const auto index_of = [&](std::int64_t place) {
    return d_indices ? d_indices[place]
                     : static_cast<std::uint32_t>(d_keys[place] & ((std::uint64_t{1} << key_bit) - 1));
  };
  std::uint64_t key = 0;
  std::uint32_t index = 0;
  if (i < count) {
    key = d_keys[i];
    index = index_of(i);
    d_placed[i] = point_from<D>(source, index);
  }
  const auto shares = [&](int steps, int bit) { return i + steps < count && (d_keys[i + steps] ^ key) >> bit == 0; };
  const auto is_apart = [&](int steps) {
    return shares(steps, key_bit) && differ<D>(source, index, index_of(i + steps));
  };
  if (is_apart(k_long_crowd)) d_report->incomplete = 1;
  if (blockIdx.x % sampled_blocks_step(count) != 0) return;
  const int crowded = __syncthreads_count(is_apart(k_crowd)),
            coarse = __syncthreads_count(shares(k_coarse_crowd, coarse_bit));
  if (threadIdx.x != 0) return;
  if (crowded > 0) atomicAdd(&d_report->crowded, crowded);
  if (coarse > 0) atomicAdd(&d_report->coarse_neighbors, coarse);
}

/// One thread per key.
__global__ void unpack_rows_kernel(const std::uint64_t* d_keys, int payload_bits, std::int64_t count,
                                   std::uint32_t* d_rows) {
  const std::int64_t i = first_element();
  if (i < count) d_rows[i] = static_cast<std::uint32_t>(d_keys[i] & ((std::uint64_t{1} << payload_bits) - 1));
}

/// One thread per point.
template <int D>
__global__ void place_given_kernel(const double* d_given, const PlacedPoint* d_placed, std::int64_t count,
                                   GivenPoint* d_placed_given) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint32_t index = d_placed[i].index;
  const double* const d_row = d_given + static_cast<std::int64_t>(index) * D;
  d_placed_given[i] = {d_row[0], d_row[1], D == 3 ? d_row[D - 1] : 0.0, index};
}

}  // namespace

void place_packed(const Placing& placing, cudaStream_t stream) {
  if (placing.count == 0) return;
  const auto place = [&]<int D>() {
    const auto kernel = placing.later.count > 0 ? place_packed_kernel<D, true> : place_packed_kernel<D, false>;
    kernel<<<blocks_for(placing.count), k_block_threads, 0, stream>>>(Placer<D>{placing});
  };
  placing.shift.dimensions == 3 ? place.template operator()<3>() : place.template operator()<2>();
  check_launch("place_packed");
}

void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? place_indices_kernel<3> : place_indices_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_indices, count, source, d_placed);
  check_launch("place_indices");
}

void place_along_curve(const std::uint64_t* d_keys, int key_bit, const std::uint32_t* d_indices, std::int64_t count,
                       const Shift& curve, const PointSource& source, PlacedPoint* d_placed, OrderReport* d_report,
                       cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = curve.dimensions == 3 ? place_along_curve_kernel<3> : place_along_curve_kernel<2>;
  const int coarse_bit = key_bit + std::max(0, curve.bits - k_coarse_bits);
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_keys, key_bit, coarse_bit, d_indices, count, source,
                                                            d_placed, d_report);
  check_launch("place_along_curve");
}

void unpack_rows(const std::uint64_t* d_keys, int payload_bits, std::int64_t count, std::uint32_t* d_rows,
                 cudaStream_t stream) {
  if (count == 0) return;
  unpack_rows_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_keys, payload_bits, count, d_rows);
  check_launch("unpack_rows");
}

void place_given(const double* d_given, const PlacedPoint* d_placed, std::int64_t count, int dimensions,
                 GivenPoint* d_placed_given, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? place_given_kernel<3> : place_given_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_given, d_placed, count, d_placed_given);
  check_launch("place_given");
}

}  // namespace kann::cuda
