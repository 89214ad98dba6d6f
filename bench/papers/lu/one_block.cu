// The LU factorisation as published: one block, which visits the blocks of the matrix in order (LU paper, 2.3.2).
#include "kann/error.hpp"

#include "cuda/runtime/check.hpp"
#include "papers/lu/lu.hpp"
#include "papers/lu/pivot_row.cuh"

namespace kann::bench {
namespace {

/// One block of side × side threads. threadIdx.x is the row, so that with columns in sequence a warp reads neighbouring
/// elements; the paper does not say how its matrix lies in memory.
template <class Real, int side, bool pivoting>
__global__ void __launch_bounds__(side* side) one_block_kernel(Real* d_elements, std::int32_t* d_pivots, int n) {
  const auto at = [=](int i, int j) -> Real& { return d_elements[i + static_cast<std::int64_t>(j) * n]; };
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), thread = y * side + x;
  const int blocks = (n + side - 1) / side;
  for (int k = 0; k < n; ++k) {
    if constexpr (pivoting) {
      const int pivot = pivot_row<side * side>(&at(0, k), k, n, thread);
      if (thread == 0) d_pivots[k] = pivot;
      if (pivot != k)
        for (int j = thread; j < n; j += side * side) {
          const Real upper = at(k, j);
          at(k, j) = at(pivot, j);
          at(pivot, j) = upper;
        }
      __syncthreads();  // the column is scaled by elements that other threads exchanged
    }
    for (int block_j = k / side; block_j < blocks; ++block_j) {
      const int j = block_j * side + y;
      if (j == k)
        for (int block_i = k / side; block_i < blocks; ++block_i) {
          const int i = block_i * side + x;
          if (i > k && i < n) at(i, k) = at(i, k) / at(k, k);
        }
      __syncthreads();  // column k of L is complete before it is used
      if (j > k && j < n)
        for (int block_i = k / side; block_i < blocks; ++block_i) {
          const int i = block_i * side + x;
          if (i > k && i < n) at(i, j) = fma(-at(i, k), at(k, j), at(i, j));
        }
      __syncthreads();  // as published; only the last one, before the next k, is needed
    }
  }
}

template <int side, class Real>
void launch(const DeviceMatrix<Real>& matrix, cudaStream_t stream) {
  const auto kernel = matrix.d_pivots ? one_block_kernel<Real, side, true> : one_block_kernel<Real, side, false>;
  kernel<<<1, dim3(side, side), 0, stream>>>(matrix.d_elements, matrix.d_pivots, matrix.n);
  cuda::check_launch("LU in one block");
}

}  // namespace

template <class Real>
void factor_in_one_block(const DeviceMatrix<Real>& matrix, int side, cudaStream_t stream) {
  switch (side) {
    case 1:
      return launch<1>(matrix, stream);
    case 2:
      return launch<2>(matrix, stream);
    case 4:
      return launch<4>(matrix, stream);
    case 8:
      return launch<8>(matrix, stream);
    case 16:
      return launch<16>(matrix, stream);
    case 32:
      return launch<32>(matrix, stream);
    default:
      throw Error(ErrorKind::internal, "LU in one block: no kernel for this number of threads");
  }
}

template void factor_in_one_block(const DeviceMatrix<float>&, int, cudaStream_t);
template void factor_in_one_block(const DeviceMatrix<double>&, int, cudaStream_t);

}  // namespace kann::bench
