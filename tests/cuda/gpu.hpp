// What all tests on a device share: the skip where there is no device, copies of vectors to the device and back, and
// fewer cases for the tools that slow a GPU down.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#include "cuda/backend.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::test {

/// Suites derived from it are skipped without a usable GPU. Suites named *Large* take too long under a memory checker,
/// which runs kernels some 50 times slower; filter them out there.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaStatus status = cuda::status(0); !status.usable) GTEST_SKIP() << "no CUDA device: " << status.reason;
  }
};

/// With KANN_TEST_THIN=N in the environment, one case of N is run: racecheck takes almost a second per search.
inline bool thinned_out() {
  static const char* const text = std::getenv("KANN_TEST_THIN");
  static const long every = text ? std::max(1L, std::atol(text)) : 1;
  static long seen = 0;
  return seen++ % every != 0;
}

/// Memory of a device and its stream, for tests: copies of vectors to the device and back.
class DeviceMemory {
 public:
  explicit DeviceMemory(cuda::Pool& pool) : pool_(pool) {}

  cuda::Pool& pool() const { return pool_; }
  cudaStream_t stream() const { return pool_.stream(); }
  void synchronize() const { cuda::check(cudaStreamSynchronize(stream()), "synchronize"); }

  /// `size` values of T, each byte 0xa5, so that a test notices what a kernel does not write.
  template <class T>
  cuda::Buffer<T> poisoned(std::int64_t size) const {
    cuda::Buffer<T> buffer(pool_, size);
    if (size > 0)
      cuda::check(cudaMemsetAsync(buffer.data(), 0xa5, static_cast<std::size_t>(size) * sizeof(T), stream()), "poison");
    return buffer;
  }

  /// Blocks.
  template <class T>
  cuda::Buffer<T> upload(const std::vector<T>& values) const {
    cuda::Buffer<T> buffer(pool_, static_cast<std::int64_t>(values.size()));
    copy(values.data(), values.size(), buffer.data(), cudaMemcpyHostToDevice);
    return buffer;
  }

  /// Blocks until the work queued on the stream is done; reports the errors of its kernels.
  template <class T>
  std::vector<T> download(const T* d_values, std::int64_t size) const {
    std::vector<T> values(static_cast<std::size_t>(size));
    copy(d_values, values.size(), values.data(), cudaMemcpyDeviceToHost);
    return values;
  }
  template <class T>
  std::vector<T> download(const cuda::Buffer<T>& buffer) const {
    return download(buffer.data(), buffer.size());
  }

 private:
  template <class T>
  void copy(const T* from, std::size_t size, T* to, cudaMemcpyKind kind) const {
    if (size > 0) cuda::check(cudaMemcpyAsync(to, from, size * sizeof(T), kind, stream()), "copy");
    synchronize();
  }

  cuda::Pool& pool_;
};

/// A stream and its memory, for one test.
class Device : public DeviceMemory {
 public:
  Device() : DeviceMemory(own_pool_) {}

 private:
  cuda::Stream own_stream_;
  cuda::Pool own_pool_{own_stream_};
};

}  // namespace kann::test
