// Partial pivoting by a parallel reduction (LU paper, 2.4 and figure 5).
#pragma once

#include <cmath>
#include <cstdint>

namespace kann::bench {

/// The row in [k, n) of a column whose element has the largest magnitude; of several, the first, as in LAPACK. The
/// paper's text says the smallest, but its purpose is stability. Each thread first searches its own rows in sequence,
/// then halves of the threads are compared. Called by all `threads` threads of a block, a power of two; valid in all.
/// k = 1, column 5 -2 4 -4: row 2.
template <int threads, class Real>
__device__ int pivot_row(const Real* d_column, int k, int n, int thread) {
  __shared__ Real magnitudes[threads];
  __shared__ int rows[threads];
  Real magnitude = -1;
  int row = k;
  for (int i = k + thread; i < n; i += threads) {
    const Real other = fabs(d_column[i]);
    if (other > magnitude) {
      magnitude = other;
      row = i;
    }
  }
  magnitudes[thread] = magnitude;
  rows[thread] = row;
  __syncthreads();

  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) {
      const int other = thread + half;
      const bool is_larger = magnitudes[other] > magnitudes[thread];
      if (is_larger || (magnitudes[other] == magnitudes[thread] && rows[other] < rows[thread])) {
        magnitudes[thread] = magnitudes[other];
        rows[thread] = rows[other];
      }
    }
    __syncthreads();
  }
  const int result = rows[0];
  __syncthreads();  // the next call overwrites rows[0]
  return result;
}

}  // namespace kann::bench
