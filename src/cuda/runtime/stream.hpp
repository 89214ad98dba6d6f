// Move-only owners of a CUDA stream and of timing events. Nothing in kann uses the default stream.
#pragma once

#include <utility>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// A stream that does not synchronise with the default stream. Its destructor waits for the work that is queued.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Stream() {
    if (!stream_) return;
    // The driver 580.159 crashes now and then if a memory pool is destroyed while a release of its memory is queued
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  operator cudaStream_t() const { return stream_; }

  /// Blocks until all work queued so far is done.
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A stream of another owner.
class StreamView {
 public:
  StreamView(cudaStream_t stream) : stream_(stream) {}

  operator cudaStream_t() const { return stream_; }

  /// As Stream::synchronize().
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_;
};

/// An event between the work of a stream, with its time.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }

  /// Blocks until the event has happened; returns at once if it was never recorded.
  void synchronize() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

  /// Seconds from `start` to this event; both must have happened.
  double seconds_since(const Event& start) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.event_, event_), "cudaEventElapsedTime");
    return ms * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace kann::cuda
