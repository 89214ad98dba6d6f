// The products of a matrix and a vector that bench_matvec compares, as functions that queue them, so that only the
// kernels need nvcc.
//
// "Analysis of Programming Techniques for Creating Optimized CUDA Software", 2010, section 5 and Table 6.
#pragma once

#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kann::bench {

/// w = Mv in device memory; M is n × n, row by row.
struct MatvecArrays {
  const float* d_matrix;
  const float* d_vector;
  cudaTextureObject_t vector_texture;  ///< of d_vector, one-dimensional
  float* d_result;
  int n;
};

struct MatvecWay {
  std::string name;
  std::function<void(const MatvecArrays&, cudaStream_t)> launch;  ///< does not block
};

/// The first version of the paper (5.1), then those of 5.2, each with the optimisations before it. The paper has times
/// of the first and of all optimisations together, k_all_optimisations; what follows it here is not the paper's.
std::vector<MatvecWay> matvec_ways();
inline constexpr std::size_t k_all_optimisations = 4;

/// cuBLAS's gemv.
class VendorMatvec {
 public:
  virtual ~VendorMatvec() = default;
  /// Does not block. @throws Error internal.
  virtual void launch(const MatvecArrays& arrays) = 0;
};

/// Null in a build without cuBLAS. @throws Error internal.
std::unique_ptr<VendorMatvec> make_vendor_matvec(cudaStream_t stream);

}  // namespace kann::bench
