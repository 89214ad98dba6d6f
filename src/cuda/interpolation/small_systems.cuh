// Solves systems of up to 32 rows in registers, several per warp.
#pragma once

#include "cuda/interpolation/assemble.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda {

/// Systems of at most `rows` rows, each solved by a team of `team` threads. Thread t has `per_thread` rows: r·team + t.
template <int rows, int team, int per_thread>
struct SmallSystems {
  static_assert(team * per_thread >= rows && 32 % team == 0 && rows % 2 == 0);

  static constexpr int k_threads = 64;
  static constexpr int k_teams = k_threads / team;
  static constexpr int k_stride = rows + 1;  // odd: rows begin in different banks
  /// The count of numbers in shared memory per team. It is 4 more than a multiple of 16, so that the teams of a warp
  /// read different banks.
  static constexpr int k_used = rows * k_stride + 3 * rows + 9;
  static constexpr int k_numbers = (k_used + 11) / 16 * 16 + 4;

  /// The rows of one thread. They stay in registers, since all indexes are known to the compiler.
  struct Rows {
    double a[per_thread][rows + 1];  // the last column is the right-hand side
    int position[per_thread];        // a row's place in the order of the pivots; 0x7fffffff if it does not exist
  };

  /// Finds the largest magnitude of column k in the rows at positions k and above, and its position; among equal ones,
  /// the lowest position. NaN counts as −1. Called by all threads of a warp; valid in all threads of a team.
  template <int k>
  static __device__ __forceinline__ void find_pivot(const Rows& own, double& largest, int& position) {
    largest = -1;
    position = 0x7fffffff;
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
      if (own.position[r] < k) continue;
      const double size = fabs(own.a[r][k]);
      const double value = size >= 0 && own.position[r] < 0x7fffffff ? size : -1;
      if (value > largest || (value == largest && own.position[r] < position)) {
        largest = value;
        position = own.position[r];
      }
    }
#pragma unroll
    for (int other = 1; other < team; other *= 2) {
      const double value = __shfl_xor_sync(~0u, largest, other);
      const int at = __shfl_xor_sync(~0u, position, other);
      if (value > largest || (value == largest && at < position)) {
        largest = value;
        position = at;
      }
    }
  }

  /// Step k of the elimination. `pivot_row`: shared memory of the team, rows + 2 numbers. Called by all threads of a
  /// warp; teams with no more than k rows change nothing.
  template <int k>
  static __device__ __forceinline__ void eliminate(Rows& own, int n, double smallest, double* pivot_row, bool& good) {
    double largest;
    int position;
    find_pivot<k>(own, largest, position);
    if (k < n) {
      good = good && largest > smallest && largest < INFINITY;
#pragma unroll
      for (int r = 0; r < per_thread; ++r) {
        if (own.position[r] == position) {
          own.position[r] = k;
#pragma unroll
          for (int j = k / 2 * 2; j < rows; j += 2)
            *reinterpret_cast<double2*>(pivot_row + j) = make_double2(own.a[r][j], own.a[r][j + 1]);
          pivot_row[rows] = own.a[r][rows];
        } else if (own.position[r] == k) {
          own.position[r] = position;
        }
      }
    }
    __syncwarp();  // the pivot's row is written; all have read that of the step before last
    if (k < n) {
      const double reciprocal = 1 / pivot_row[k];
      double factor[per_thread];
#pragma unroll
      for (int r = 0; r < per_thread; ++r) {
        factor[r] = own.a[r][k] * reciprocal;
        if (own.position[r] == k) own.a[r][k] = reciprocal;
      }
#pragma unroll
      for (int j = k + 1; j <= rows; ++j) {
        const double pivot = pivot_row[j];
#pragma unroll
        for (int r = 0; r < per_thread; ++r)
          if (own.position[r] > k) own.a[r][j] = fma(-factor[r], pivot, own.a[r][j]);
      }
    }
  }

  /// Writes component k of the solution to `solution` in shared memory. Called by all threads of a warp, for the last
  /// component first.
  template <int k>
  static __device__ __forceinline__ void substitute(Rows& own, int n, double* solution) {
    if (k < n) {
#pragma unroll
      for (int r = 0; r < per_thread; ++r)
        if (own.position[r] == k) solution[k] = own.a[r][rows] * own.a[r][k];
    }
    __syncwarp();
    if (k < n) {
      const double x = solution[k];
#pragma unroll
      for (int r = 0; r < per_thread; ++r)
        if (own.position[r] < k) own.a[r][rows] = fma(-x, own.a[r][k], own.a[r][rows]);
    }
  }

  template <int k>
  static __device__ __forceinline__ void eliminate_from(Rows& own, int n, int steps, double smallest, double* buffers,
                                                        bool& good) {
    if constexpr (k < rows) {
      // Two buffers in turn: one is written while threads may still read the other.
      if (k < steps) eliminate<k>(own, n, smallest, buffers + (k % 2) * (rows + 2), good);
      eliminate_from<k + 1>(own, n, steps, smallest, buffers, good);
    }
  }
  template <int k>
  static __device__ __forceinline__ void substitute_from(Rows& own, int n, int steps, double* solution) {
    if constexpr (k >= 0) {
      if (k < steps) substitute<k>(own, n, solution);
      substitute_from<k - 1>(own, n, steps, solution);
    }
  }
};

/// One team per query. Blocks of k_threads threads.
template <int rows, int team, int per_thread>
__global__ void __launch_bounds__(64) small_systems_kernel(RbfSystems s) {
  using Small = SmallSystems<rows, team, per_thread>;
  alignas(16) __shared__ double memory[Small::k_teams * Small::k_numbers];
  const int rank = static_cast<int>(threadIdx.x) % team;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Small::k_teams + threadIdx.x / team;
  const bool exists = first < s.queries;  // a team without a query takes part in what its warp does
  double* const own_memory = memory + threadIdx.x / team * Small::k_numbers;
  const SystemTile tile{own_memory, Small::k_stride, rows, own_memory + rows * Small::k_stride,
                        own_memory + rows * Small::k_stride + 3 * rows};

  // Assemble.
  const TeamQuery q = team_query(s, exists ? first : s.queries - 1);
  const bool sees_coincident = assemble(s, q, tile, rank, team, [] { __syncwarp(); });
  const unsigned of_team = (team == 32 ? ~0u : (1u << (team % 32)) - 1) << (threadIdx.x % 32 / team * team);
  const bool coincident = (__ballot_sync(~0u, sees_coincident) & of_team) != 0;
  typename Small::Rows own;
#pragma unroll
  for (int r = 0; r < per_thread; ++r) {
    const int row = r * team + rank;
    own.position[r] = row < q.rows ? row : 0x7fffffff;
#pragma unroll
    for (int j = 0; j <= rows; ++j) own.a[r][j] = row < q.rows && (j < q.rows || j == rows) ? tile.at(row, j) : 0;
  }
  __syncwarp();  // the tile has been read, and its memory is free

  // Solve.
  const int steps = warp::reduce_max(q.rows);
  bool good = q.points > 0;
  Small::template eliminate_from<0>(own, q.rows, steps, interpolation::smallest_pivot(q.rows), own_memory, good);
  __syncwarp();
  double* const solution = own_memory + 2 * (rows + 2);
  Small::template substitute_from<rows - 1>(own, q.rows, steps, solution);
  __syncwarp();

  // Sum.
  double* const values = solution + rows;
  for (int i = 0; i < q.points; ++i) good = good && fabs(solution[i]) < INFINITY;
  for (int c = 0; c < s.attributes; ++c) {
    for (int i = rank; i < q.points; i += team) values[i] = s.d_columns[c * s.points + s.d_ids[q.query * s.k + i]];
    __syncwarp();
    double sum = 0;
    for (int i = 0; i < q.points; ++i) {
      good = good && fabs(values[i]) < INFINITY;
      sum = fma(solution[i], values[i], sum);
    }
    if (exists && rank == 0) s.d_values[c * s.queries + q.query] = sum;
    __syncwarp();  // the next attribute overwrites the values
  }
  if (exists && rank == 0)
    s.d_states[q.query] = good && !(coincident && s.options.smoothing == 0) ? interpolation::QueryState::done
                                                                            : interpolation::QueryState::irregular;
}

}  // namespace kann::cuda
