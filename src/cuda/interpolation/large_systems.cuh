// Solves systems of more than 32 rows in shared memory, one per block.
#pragma once

#include "cuda/interpolation/assemble.cuh"

namespace kann::cuda {

inline constexpr int k_large_threads = 128;

/// The count of numbers in shared memory for systems of n rows: the tile, points, frame, and the weights and values.
inline int large_system_numbers(int n) { return n * (n + 2) + 3 * n + 9 + 2 * n; }

/// Step k: chooses the pivot as cpu::solve_lanes() does, and moves its row to position k of `order`, the list of the
/// rows by position. Writes the pivot's reciprocal to the diagonal. Called by the first warp of a block; others see
/// what it wrote after a barrier. Returns whether the pivot is large enough.
__device__ __forceinline__ bool choose_pivot(const SystemTile& tile, int n, int k, double smallest, int* order) {
  double largest = -1;
  int position = 0x7fffffff;
  for (int i = k + static_cast<int>(threadIdx.x); i < n; i += 32) {
    const double size = fabs(tile.at(order[i], k));
    const double value = size >= 0 ? size : -1;
    if (value > largest || (value == largest && i < position)) {
      largest = value;
      position = i;
    }
  }
  for (int other = 1; other < 32; other *= 2) {
    const double value = __shfl_xor_sync(~0u, largest, other);
    const int at = __shfl_xor_sync(~0u, position, other);
    if (value > largest || (value == largest && at < position)) {
      largest = value;
      position = at;
    }
  }
  __syncwarp();  // all have read the order
  if (threadIdx.x == 0) {
    const int row = order[position];
    order[position] = order[k];
    order[k] = row;
    tile.at(row, k) = 1 / tile.at(row, k);
  }
  return largest > smallest && largest < INFINITY;
}

/// One block per query; if there are more queries than blocks, each block loops over some.
__global__ void __launch_bounds__(k_large_threads) large_systems_kernel(RbfSystems s, int most_rows) {
  extern __shared__ double large_memory[];
  __shared__ int order[interpolation::k_max_rows];
  __shared__ int is_good;
  const int rank = static_cast<int>(threadIdx.x), lane = rank % 32, warp = rank / 32;
  const int stride = (most_rows + 1) | 1;  // odd
  double* const after = large_memory + most_rows * stride;
  const SystemTile tile{large_memory, stride, most_rows, after, after + 3 * most_rows};
  double* const values = after + 3 * most_rows + 9;

  for (std::int64_t query = blockIdx.x; query < s.queries; query += gridDim.x) {
    const TeamQuery q = team_query(s, query);
    const int n = q.rows;
    const bool sees_coincident = assemble(s, q, tile, rank, k_large_threads, [] { __syncthreads(); });
    const bool coincident = __syncthreads_or(sees_coincident) != 0;
    for (int i = rank; i < n; i += k_large_threads) order[i] = i;
    if (rank == 0) is_good = q.points > 0;
    __syncthreads();

    for (int k = 0; k < n; ++k) {
      if (warp == 0 && !choose_pivot(tile, n, k, interpolation::smallest_pivot(n), order) && rank == 0) is_good = 0;
      __syncthreads();  // the order and the reciprocal are written
      const int pivot = order[k];
      const double reciprocal = tile.at(pivot, k);
      for (int i = k + 1 + warp; i < n; i += k_large_threads / 32) {
        const int row = order[i];
        const double factor = tile.at(row, k) * reciprocal;
        for (int j = k + 1 + lane; j <= n; j += 32) {
          const int column = j == n ? tile.rhs : j;
          tile.at(row, column) = fma(-factor, tile.at(pivot, column), tile.at(row, column));
        }
      }
      __syncthreads();  // column k + 1 is complete
    }
    // The first warp substitutes back, a column at a time; a lane has a row.
    if (warp == 0)
      for (int k = n - 1; k >= 0; --k) {
        const double x = tile.at(order[k], tile.rhs) * tile.at(order[k], k);
        if (lane == 0) values[k] = x;
        for (int i = lane; i < k; i += 32)
          tile.at(order[i], tile.rhs) = fma(-x, tile.at(order[i], k), tile.at(order[i], tile.rhs));
        __syncwarp();
      }
    __syncthreads();

    bool good = is_good != 0;
    const double* const weights = values;
    for (int i = 0; i < q.points; ++i) good = good && fabs(weights[i]) < INFINITY;
    bool finite = true;
    for (int c = rank; c < s.attributes; c += k_large_threads) {
      double sum = 0;
      for (int i = 0; i < q.points; ++i) {
        const double value = s.d_columns[c * s.points + s.d_ids[query * s.k + i]];
        finite = finite && fabs(value) < INFINITY;
        sum = fma(weights[i], value, sum);
      }
      s.d_values[c * s.queries + query] = sum;
    }
    const bool all_finite = __syncthreads_and(finite) != 0;
    if (rank == 0)
      s.d_states[query] = good && all_finite && !(coincident && s.options.smoothing == 0)
                              ? interpolation::QueryState::done
                              : interpolation::QueryState::irregular;
    __syncthreads();  // the next query overwrites the tile
  }
}

}  // namespace kann::cuda
