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

/// `size` values of T in memory of `pool`, each byte 0xa5, so that a test notices what a kernel does not write.
template <class T>
cuda::Buffer<T> poisoned(cuda::Pool& pool, std::int64_t size) {
  cuda::Buffer<T> buffer(pool, size);
  if (size > 0)
    cuda::check(cudaMemsetAsync(buffer.data(), 0xa5, static_cast<std::size_t>(size) * sizeof(T), pool.stream()),
                "poison");
  return buffer;
}

/// The values in memory of `pool`. Blocks.
template <class T>
cuda::Buffer<T> upload(cuda::Pool& pool, const std::vector<T>& values) {
  cuda::Buffer<T> buffer(pool, static_cast<std::int64_t>(values.size()));
  if (!values.empty())
    cuda::check(
        cudaMemcpyAsync(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, pool.stream()),
        "upload");
  cuda::check(cudaStreamSynchronize(pool.stream()), "upload");
  return buffer;
}

/// The `size` values at `d_values`. Blocks until the work queued on `stream` is done; reports the errors of its
/// kernels.
template <class T>
std::vector<T> download(cudaStream_t stream, const T* d_values, std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  if (size > 0)
    cuda::check(cudaMemcpyAsync(values.data(), d_values, values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
                "download");
  cuda::check(cudaStreamSynchronize(stream), "download");
  return values;
}

/// A stream and its memory, for one test.
class Device {
 public:
  cudaStream_t stream() const { return stream_; }
  void synchronize() const { stream_.synchronize(); }
  cuda::Pool& pool() { return pool_; }

  template <class T>
  cuda::Buffer<T> poisoned(std::int64_t size) {
    return test::poisoned<T>(pool_, size);
  }

  template <class T>
  cuda::Buffer<T> upload(const std::vector<T>& values) {
    return test::upload(pool_, values);
  }

  template <class T>
  std::vector<T> download(const cuda::Buffer<T>& buffer) {
    return test::download(stream_, buffer.data(), buffer.size());
  }

 private:
  cuda::Stream stream_;
  cuda::Pool pool_{stream_};
};

}  // namespace kann::test
