// cuSOLVER's LU factorisation, getrf; without pivots, it does not pivot.
#include <algorithm>
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

class CusolverLu : public VendorLu {
 public:
  CusolverLu(cudaStream_t stream, int max_n) : stream_(stream), pool_(stream), info_(pool_, 1) {
    cusolverDnHandle_t handle = nullptr;
    check(cusolverDnCreate(&handle), "cusolverDnCreate");
    handle_.reset(handle);
    check(cusolverDnSetStream(handle, stream_), "cusolverDnSetStream");
    int floats = 0, doubles = 0;
    check(cusolverDnSgetrf_bufferSize(handle, max_n, max_n, nullptr, max_n, &floats), "cusolverDnSgetrf_bufferSize");
    check(cusolverDnDgetrf_bufferSize(handle, max_n, max_n, nullptr, max_n, &doubles), "cusolverDnDgetrf_bufferSize");
    float_work_ = cuda::Buffer<float>(pool_, std::max(floats, 1));
    double_work_ = cuda::Buffer<double>(pool_, std::max(doubles, 1));
  }

  void factor(const DeviceMatrix<float>& matrix) override {
    int needed = 0;
    check(cusolverDnSgetrf_bufferSize(handle_.get(), matrix.n, matrix.n, matrix.d_elements, matrix.n, &needed),
          "cusolverDnSgetrf_bufferSize");
    if (needed > float_work_.size()) float_work_ = cuda::Buffer<float>(pool_, needed);
    check(cusolverDnSgetrf(handle_.get(), matrix.n, matrix.n, matrix.d_elements, matrix.n, float_work_.data(),
                           matrix.d_pivots, info_.data()),
          "cusolverDnSgetrf");
  }
  void factor(const DeviceMatrix<double>& matrix) override {
    int needed = 0;
    check(cusolverDnDgetrf_bufferSize(handle_.get(), matrix.n, matrix.n, matrix.d_elements, matrix.n, &needed),
          "cusolverDnDgetrf_bufferSize");
    if (needed > double_work_.size()) double_work_ = cuda::Buffer<double>(pool_, needed);
    check(cusolverDnDgetrf(handle_.get(), matrix.n, matrix.n, matrix.d_elements, matrix.n, double_work_.data(),
                           matrix.d_pivots, info_.data()),
          "cusolverDnDgetrf");
  }

  bool succeeded() override {
    int info = -1;
    cuda::check(cudaMemcpyAsync(&info, info_.data(), sizeof info, cudaMemcpyDeviceToHost, stream_), "download");
    cuda::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return info == 0;
  }

 private:
  cudaStream_t stream_;
  cuda::Pool pool_;
  cuda::Buffer<int> info_;
  cuda::Buffer<float> float_work_;
  cuda::Buffer<double> double_work_;
  std::unique_ptr<cusolverDnContext, DestroyHandle> handle_;
};

}  // namespace

std::unique_ptr<VendorLu> make_vendor_lu(cudaStream_t stream, int max_n) {
  return std::make_unique<CusolverLu>(stream, max_n);
}

}  // namespace kann::bench
