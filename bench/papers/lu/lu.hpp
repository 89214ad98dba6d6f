// The LU factorisations that bench_lu compares, as functions that queue them, so that only the kernels need nvcc.
//
// B. Shin and Y. Kim, "Implementation of high performance parallel LU factorization program for multi-threads on
// GPGPUs", 2011: element by element, in one block of threads that visits the blocks of the matrix in order, since
// blocks of a grid run in any order (2.3.2), with partial pivoting by a parallel reduction (2.4, figure 5).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>

namespace kann::bench {

/// A square matrix in device memory, column by column. A factorisation replaces it by L, without its diagonal of ones,
/// and U; row k was exchanged with row d_pivots[k], which counts from 0. d_pivots is null: no pivoting.
template <class Real>
struct DeviceMatrix {
  Real* d_elements;  ///< n × n; the element (i, j) is d_elements[i + j·n]
  std::int32_t* d_pivots;
  int n;
};

/// The sides of the square blocks that factor_in_one_block() takes; the paper has 1 to 16, the maximum of its GPU.
inline constexpr int k_block_sides[] = {1, 2, 4, 8, 16, 32};

/// As published: one kernel, one block of side × side threads. Does not block.
/// @throws Error as cuda::check(); internal for a side that is not listed above.
template <class Real>
void factor_in_one_block(const DeviceMatrix<Real>& matrix, int side, cudaStream_t stream);

/// The same steps in the same order, each a kernel over the whole grid: what orders the blocks is the end of a kernel.
/// Has the same result, to the bit. Does not block.
/// @throws Error as cuda::check().
template <class Real>
void factor_on_whole_grid(const DeviceMatrix<Real>& matrix, cudaStream_t stream);

/// cuSOLVER's getrf.
class VendorLu {
 public:
  virtual ~VendorLu() = default;
  /// As above; blocks only to allocate. d_pivots then counts from 1. @throws Error internal.
  virtual void factor(const DeviceMatrix<float>& matrix) = 0;
  virtual void factor(const DeviceMatrix<double>& matrix) = 0;
  /// Whether the last factorisation met no zero pivot. Blocks.
  virtual bool succeeded() = 0;
};

/// Null in a build without cuSOLVER. @throws Error internal.
std::unique_ptr<VendorLu> make_vendor_lu(cudaStream_t stream);

}  // namespace kann::bench
