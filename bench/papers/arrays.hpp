// Transfers between host vectors and device buffers, which block.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/runtime/buffer.hpp"

namespace kann::bench {

template <class T>
void upload(const std::vector<T>& values, const cuda::Buffer<T>& to, const cuda::Stream& stream) {
  cuda::check(cudaMemcpyAsync(to.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
              "upload");
  stream.synchronize();
}

template <class T>
cuda::Buffer<T> uploaded(cuda::Pool& pool, const std::vector<T>& values, const cuda::Stream& stream) {
  cuda::Buffer<T> buffer(pool, static_cast<std::int64_t>(values.size()));
  upload(values, buffer, stream);
  return buffer;
}

template <class T>
std::vector<T> downloaded(const cuda::Buffer<T>& from, const cuda::Stream& stream) {
  std::vector<T> values(static_cast<std::size_t>(from.size()));
  cuda::check(cudaMemcpyAsync(values.data(), from.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
              "download");
  stream.synchronize();
  return values;
}

/// Overwrites a result with bytes of ones, so that the next check cannot see the result of the check before.
template <class T>
void wipe(const cuda::Buffer<T>& buffer, const cuda::Stream& stream) {
  cuda::check(cudaMemsetAsync(buffer.data(), 0xff, static_cast<std::size_t>(buffer.size()) * sizeof(T), stream),
              "wipe");
}

}  // namespace kann::bench
