// The order of the neighbours in rows of any length: a warp sorts one row after another.
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "cuda/exact/within.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/warp/key_order.cuh"
#include "cuda/warp/scratch_sort.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// The counts of valid rows, and 0 for the row after the last.
struct CountAt {
  const std::uint32_t* d_counts;
  const bool* d_are_valid;
  std::int64_t count;

  __device__ __forceinline__ std::int64_t operator()(std::int64_t row) const {
    return row < count && (!d_are_valid || d_are_valid[row]) ? d_counts[row] : 0;
  }
};

/// Where a row goes.
struct WrittenRow {
  std::int32_t* d_ids;
  float* d_distances;
  const std::int32_t* d_names;

  __device__ __forceinline__ void set(std::int64_t i, NeighborKey key) const {
    d_ids[i] = d_names ? d_names[neighbor_id(key)] : neighbor_id(key);
    d_distances[i] = sq_dist_of(key);  // here, the distance itself
  }
};

/// Sorts a row of at most 32·R keys in registers. Called by all 32 lanes of a warp.
template <int R>
__device__ __forceinline__ void sort_row(NeighborKey* d_keys, int count, const WrittenRow& to) {
  NeighborKey keys[R];
  if constexpr (R == 1) {
    keys[0] = warp::lane_id() < count ? d_keys[warp::lane_id()] : k_absent;
    warp::sort(keys);
  } else {
    warp::load_sorted(keys, d_keys, count);
  }
#pragma unroll
  for (int r = 0; r < R; ++r)
    if (const int i = r * warp::k_lanes + warp::lane_id(); i < count) to.set(i, keys[r]);
}

/// One warp per row.
__global__ void __launch_bounds__(k_threads)
    sort_rows_kernel(ListRows rows, NeighborKey* d_scratch, std::int32_t* d_ids, float* d_distances) {
  __shared__ warp::ScratchSortMemory s_memory[k_warps];
  const std::int64_t step = element_stride() / warp::k_lanes;
  for (std::int64_t row = rows.first + first_element() / warp::k_lanes; row < rows.last; row += step) {
    if (!rows.has(row)) continue;
    const std::int64_t begin = rows.d_begins[row] - rows.first_begin;
    const auto count = static_cast<int>(rows.d_begins[row + 1] - rows.first_begin - begin);
    NeighborKey* const d_keys = rows.d_keys + begin;
    const WrittenRow to{d_ids + begin, d_distances + begin, rows.d_names};
    if (count <= warp::k_lanes) {
      sort_row<1>(d_keys, count, to);
    } else if (count <= 4 * warp::k_lanes) {
      sort_row<4>(d_keys, count, to);
    } else if (count <= k_sorted_in_registers) {
      sort_row<16>(d_keys, count, to);
    } else {
      warp::ScratchSort sorter(s_memory[threadIdx.x / warp::k_lanes], false);
      sorter.sort(d_keys, count, count, d_scratch + begin);
      __syncwarp();  // the keys are in order
      for (int i = warp::lane_id(); i < count; i += warp::k_lanes) to.set(i, d_scratch[begin + i]);
      __syncwarp();  // the shared memory has been read
    }
  }
}

}  // namespace

void begins_of(Pool& pool, const std::uint32_t* d_counts, const bool* d_are_valid, std::int64_t count,
               std::int64_t* d_begins) {
  const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                      CountAt{d_counts, d_are_valid, count});
  const auto sum = [&](void* d_work, std::size_t& bytes) {
    check(cub::DeviceScan::ExclusiveSum(d_work, bytes, counts, d_begins, count + 1, pool.stream()),
          "neighbours within the radius: scan");
  };
  std::size_t bytes = 0;
  sum(nullptr, bytes);
  const Buffer<std::byte> work(pool, static_cast<std::int64_t>(bytes));
  sum(work.data(), bytes);
}

void sort_rows(cudaStream_t stream, const ListRows& rows, NeighborKey* d_scratch, std::int32_t* d_ids,
               float* d_distances) {
  const std::int64_t count = rows.last - rows.first;
  if (count == 0) return;
  sort_rows_kernel<<<blocks_for(count * warp::k_lanes, k_threads), k_threads, 0, stream>>>(rows, d_scratch, d_ids,
                                                                                           d_distances);
  check_launch("neighbours within the radius: sort");
}

}  // namespace kann::cuda::exact
