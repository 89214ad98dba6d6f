// cuBLAS's matrix × vector, gemv.
#include <cublas_v2.h>
#include <fmt/format.h>

#include "kann/error.hpp"

#include "papers/matvec/matvec.hpp"

namespace kann::bench {
namespace {

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(ErrorKind::internal, fmt::format("{}: cuBLAS's error {}", what, static_cast<int>(status)));
}

struct DestroyHandle {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};

class CublasMatvec : public VendorMatvec {
 public:
  explicit CublasMatvec(cudaStream_t stream) {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    handle_.reset(handle);
    check(cublasSetStream(handle, stream), "cublasSetStream");
  }

  /// Row by row is column by column of the transposed matrix.
  void launch(const MatvecArrays& arrays) override {
    const float one = 1, zero = 0;
    check(cublasSgemv(handle_.get(), CUBLAS_OP_T, arrays.n, arrays.n, &one, arrays.d_matrix, arrays.n, arrays.d_vector,
                      1, &zero, arrays.d_result, 1),
          "cublasSgemv");
  }

 private:
  std::unique_ptr<cublasContext, DestroyHandle> handle_;
};

}  // namespace

std::unique_ptr<VendorMatvec> make_vendor_matvec(cudaStream_t stream) { return std::make_unique<CublasMatvec>(stream); }

}  // namespace kann::bench
