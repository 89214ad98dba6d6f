// A point in the work of one stream that the host, or the work of other streams, waits for.
#pragma once

#include <string>

#include "kann/error.hpp"

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

/// Sets a mark after the work on a caller's stream. @throws Error bad_input: it is not one of `device`, which is
/// current.
inline void set_on(cudaStream_t stream, int device, Mark& mark) {
  // CUDA can be asked for the device of a stream since 12.8 alone, but an event has never been recorded in another one
  const cudaError_t status = mark.set(stream);
  if (status == cudaErrorInvalidResourceHandle) {
    cudaGetLastError();  // reported here
    throw Error(ErrorKind::bad_input, "the stream is not one of CUDA device " + std::to_string(device));
  }
  check(status, "stream");
}

}  // namespace kann::cuda
