// What every test on a device shares: skipping, with a word, where there is none, and moving vectors there and back.
#pragma once

#include <gtest/gtest.h>
#include <vector>

#include "cuda/backend.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::test {

/// Suites derived from it skip without a usable GPU. Suites whose name ends in Large take too long under a memory
/// checker, which runs kernels some 50 times slower; filter them out there.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaStatus status = cuda::status(0); !status.usable) GTEST_SKIP() << "no CUDA device: " << status.reason;
  }
};

/// A stream and its memory, for one test.
class Device {
 public:
  cudaStream_t stream() const { return stream_; }

  /// `size` values of T, each byte 0xa5: what a kernel leaves out does not go unnoticed.
  template <class T>
  cuda::Buffer<T> poisoned(std::int64_t size) {
    cuda::Buffer<T> buffer(pool_, size);
    if (size > 0)
      cuda::check(cudaMemsetAsync(buffer.data(), 0xa5, static_cast<std::size_t>(size) * sizeof(T), stream_), "poison");
    return buffer;
  }

  template <class T>
  cuda::Buffer<T> upload(const std::vector<T>& values) {
    cuda::Buffer<T> buffer(pool_, static_cast<std::int64_t>(values.size()));
    copy(buffer.data(), values.data(), values.size(), cudaMemcpyHostToDevice);
    return buffer;
  }

  /// Waits for the work queued so far; errors of kernels surface here.
  template <class T>
  std::vector<T> download(const cuda::Buffer<T>& buffer) {
    std::vector<T> values(static_cast<std::size_t>(buffer.size()));
    copy(values.data(), buffer.data(), values.size(), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  template <class T>
  void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind) {
    if (count > 0) cuda::check(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream_), "copy");
    stream_.synchronize();
  }

  cuda::Stream stream_;
  cuda::Pool pool_{stream_};
};

}  // namespace kann::test
