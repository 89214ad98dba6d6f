// cuSOLVER's LU factorisation, getrf; without pivots, it does not pivot.
#include <cusolverDn.h>
#include <fmt/format.h>

#include "kann/error.hpp"

#include "cuda/runtime/buffer.hpp"
#include "papers/lu/lu.hpp"

namespace kann::bench {
namespace {

void check(cusolverStatus_t status, const char* what) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw Error(ErrorKind::internal, fmt::format("{}: cuSOLVER's error {}", what, static_cast<int>(status)));
}

struct DestroyHandle {
  void operator()(cusolverDnHandle_t handle) const { cusolverDnDestroy(handle); }
};

/// The functions of cuSOLVER for a precision, and their work space.
template <class Real>
struct Getrf;
template <>
struct Getrf<float> {
  static constexpr auto work_size = cusolverDnSgetrf_bufferSize;
  static constexpr auto factor = cusolverDnSgetrf;
};
template <>
struct Getrf<double> {
  static constexpr auto work_size = cusolverDnDgetrf_bufferSize;
  static constexpr auto factor = cusolverDnDgetrf;
};

class CusolverLu : public VendorLu {
 public:
  explicit CusolverLu(cudaStream_t stream) : stream_(stream), pool_(stream), info_(pool_, 1) {
    cusolverDnHandle_t handle = nullptr;
    check(cusolverDnCreate(&handle), "cusolverDnCreate");
    handle_.reset(handle);
    check(cusolverDnSetStream(handle, stream_), "cusolverDnSetStream");
  }

  void factor(const DeviceMatrix<float>& matrix) override { factor_with(matrix, float_work_); }
  void factor(const DeviceMatrix<double>& matrix) override { factor_with(matrix, double_work_); }

  bool succeeded() override {
    int info = -1;
    cuda::check(cudaMemcpyAsync(&info, info_.data(), sizeof info, cudaMemcpyDeviceToHost, stream_), "download");
    cuda::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return info == 0;
  }

 private:
  template <class Real>
  void factor_with(const DeviceMatrix<Real>& matrix, cuda::Buffer<Real>& work) {
    const int n = matrix.n;
    int needed = 0;
    check(Getrf<Real>::work_size(handle_.get(), n, n, matrix.d_elements, n, &needed), "getrf_bufferSize");
    if (needed > work.size()) work = cuda::Buffer<Real>(pool_, needed);
    check(Getrf<Real>::factor(handle_.get(), n, n, matrix.d_elements, n, work.data(), matrix.d_pivots, info_.data()),
          "getrf");
  }

  cudaStream_t stream_;
  cuda::Pool pool_;
  cuda::Buffer<int> info_;
  cuda::Buffer<float> float_work_;
  cuda::Buffer<double> double_work_;
  std::unique_ptr<cusolverDnContext, DestroyHandle> handle_;
};

}  // namespace

std::unique_ptr<VendorLu> make_vendor_lu(cudaStream_t stream) { return std::make_unique<CusolverLu>(stream); }

}  // namespace kann::bench
