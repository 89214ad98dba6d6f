// A point in the work of one stream that the host, or the work of other streams, waits for.
#pragma once

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

class Mark {
 public:
  Mark() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
  ~Mark() { cudaEventDestroy(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  /// Sets the mark after the work that is queued on `stream`.
  cudaError_t set(cudaStream_t stream) noexcept { return cudaEventRecord(event_, stream); }

  /// Lets what is queued on `stream` from now on wait for the work before the mark.
  cudaError_t precede(cudaStream_t stream) const noexcept { return cudaStreamWaitEvent(stream, event_); }

  /// Blocks until the work before the mark is done; returns at once if the mark has not been set.
  cudaError_t wait() const noexcept { return cudaEventSynchronize(event_); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace kann::cuda
