// A few bytes of host memory that kernels write: what they report arrives without a copy.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace kann::cuda {

/// Written by the kernels of one stream. Pinned and mapped when it is first asked for.
class MappedMemory {
 public:
  static constexpr std::size_t k_bytes = 64;

  explicit MappedMemory(cudaStream_t stream) : stream_(stream) {}
  ~MappedMemory();  ///< waits for the stream: after an exception, a kernel may still be about to write
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  /// Where the host reads; null where the system pins no memory (a limit on locked memory).
  void* host();

  /// Where the device writes; null likewise. @throws Error as check().
  void* device();

 private:
  cudaStream_t stream_;
  bool has_tried_ = false;
  void* memory_ = nullptr;
};

}  // namespace kann::cuda
