// Measures the time of each step of a stream, by events between the steps, which are read once at the end.
#pragma once

#include <utility>
#include <vector>

#include "cuda/runtime/stream.hpp"

namespace kann::cuda {

/// Divides the time of a stream among steps. Queues events, and never waits.
class StepTimer {
 public:
  /// @param measures false: it does nothing, since an event takes 4 µs
  explicit StepTimer(cudaStream_t stream, bool measures = true) : stream_(stream), measures_(measures) {
    mark(nullptr);
  }

  /// Discards all laps; the next begins now.
  void restart() {
    marks_.clear();
    mark(nullptr);
  }

  /// The work queued since the last call belongs to `step`.
  void lap(double& step) { mark(&step); }

  /// Adds the seconds of every lap to its step, and returns their sum; the stream must be synchronised before. Call
  /// once, if it measures.
  double collect() {
    for (std::size_t i = 1; i < marks_.size(); ++i)
      *marks_[i].step += marks_[i].event.seconds_since(marks_[i - 1].event);
    return marks_.back().event.seconds_since(marks_.front().event);
  }

 private:
  struct Mark {
    Event event;
    double* step;
  };

  void mark(double* step) {
    if (!measures_) return;
    marks_.push_back({Event(), step});
    marks_.back().event.record(stream_);
  }

  cudaStream_t stream_;
  bool measures_;
  std::vector<Mark> marks_;
};

}  // namespace kann::cuda
