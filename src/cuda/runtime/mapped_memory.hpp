// Host memory that kernels write, so that what they report needs no copy.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace kann::cuda {

/// Written by the kernels of one stream. Allocated, pinned and mapped, by the first call of host() or device().
class MappedMemory {
 public:
  static constexpr std::size_t k_bytes = std::size_t{128} << 10;

  explicit MappedMemory(cudaStream_t stream) : stream_(stream) {}
  ~MappedMemory();  ///< waits for the stream: after an exception, a kernel may still be about to write
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  /// The address on the host; null if the system refuses pinned memory (a limit on locked memory).
  void* host();

  /// The address on the device; null in the same case. @throws Error as check().
  void* device();

 private:
  cudaStream_t stream_;
  bool has_tried_ = false;
  void* memory_ = nullptr;
};

}  // namespace kann::cuda
