// The steps of the LU paper, each a kernel over the whole grid. The paper gave all work to one block because the blocks
// of a grid run in any order; the end of a kernel orders them, too, at the price of two to four launches per column.
#include "cuda/runtime/launch.cuh"
#include "papers/lu/lu.hpp"
#include "papers/lu/pivot_row.cuh"

namespace kann::bench {
namespace {

constexpr int k_search_threads = 1024;
constexpr int k_threads = 256;
constexpr int k_tile_rows = 32, k_tile_columns = 8;

template <class Real>
__global__ void __launch_bounds__(k_search_threads) pivot_kernel(DeviceMatrix<Real> matrix, int k) {
  const Real* d_column = matrix.d_elements + static_cast<std::int64_t>(k) * matrix.n;
  const int pivot = pivot_row<k_search_threads>(d_column, k, matrix.n, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) matrix.d_pivots[k] = pivot;
}

/// A thread per column.
template <class Real>
__global__ void __launch_bounds__(k_threads) exchange_kernel(DeviceMatrix<Real> matrix, int k) {
  const int pivot = matrix.d_pivots[k];
  const std::int64_t j = cuda::first_element();
  if (pivot == k || j >= matrix.n) return;
  Real* d_column = matrix.d_elements + j * matrix.n;
  const Real upper = d_column[k];
  d_column[k] = d_column[pivot];
  d_column[pivot] = upper;
}

/// A thread per row below k.
template <class Real>
__global__ void __launch_bounds__(k_threads) scale_kernel(DeviceMatrix<Real> matrix, int k) {
  Real* d_column = matrix.d_elements + static_cast<std::int64_t>(k) * matrix.n;
  const std::int64_t i = k + 1 + cuda::first_element();
  if (i < matrix.n) d_column[i] = d_column[i] / d_column[k];
}

/// A thread per element below and to the right of (k, k). Tiles start at multiples of 32 rows, as the paper's do at
/// multiples of a block, so that the rows of a warp share sectors.
template <class Real>
__global__ void __launch_bounds__(k_tile_rows* k_tile_columns) update_kernel(DeviceMatrix<Real> matrix, int k) {
  const int n = matrix.n;
  const int i = (k + 1) / k_tile_rows * k_tile_rows + static_cast<int>(blockIdx.x * k_tile_rows + threadIdx.x);
  const int j = k + 1 + static_cast<int>(blockIdx.y * k_tile_columns + threadIdx.y);
  if (i <= k || i >= n || j >= n) return;
  const Real* d_left = matrix.d_elements + static_cast<std::int64_t>(k) * n;
  Real* d_column = matrix.d_elements + static_cast<std::int64_t>(j) * n;
  d_column[i] = fma(-d_left[i], d_column[k], d_column[i]);
}

}  // namespace

template <class Real>
void factor_on_whole_grid(const DeviceMatrix<Real>& matrix, cudaStream_t stream) {
  const int n = matrix.n;
  for (int k = 0; k < n; ++k) {
    if (matrix.d_pivots) {
      pivot_kernel<<<1, k_search_threads, 0, stream>>>(matrix, k);
      cuda::check_launch("LU: pivot");
      exchange_kernel<<<cuda::blocks_for(n, k_threads), k_threads, 0, stream>>>(matrix, k);
      cuda::check_launch("LU: exchange of rows");
    }
    const int below = n - k - 1;
    if (below == 0) break;
    scale_kernel<<<cuda::blocks_for(below, k_threads), k_threads, 0, stream>>>(matrix, k);
    cuda::check_launch("LU: column of L");
    const int first_row = (k + 1) / k_tile_rows * k_tile_rows;
    const dim3 grid(cuda::blocks_for(n - first_row, k_tile_rows), cuda::blocks_for(below, k_tile_columns));
    update_kernel<<<grid, dim3(k_tile_rows, k_tile_columns), 0, stream>>>(matrix, k);
    cuda::check_launch("LU: update");
  }
}

template void factor_on_whole_grid(const DeviceMatrix<float>&, cudaStream_t);
template void factor_on_whole_grid(const DeviceMatrix<double>&, cudaStream_t);

}  // namespace kann::bench
