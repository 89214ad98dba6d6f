// What the pipelines share: the stream, the memory, the way in and out of the device.
#pragma once

#include <cstdint>

#include "cuda/device/buffer.hpp"
#include "cuda/timer.hpp"
#include "problem.hpp"

namespace kann::cuda {

/// One search on one device: everything it queues goes to `stream`, everything it allocates comes from `pool`.
struct Run {
  explicit Run(const Problem& p) : problem(p), pool(stream), timer(stream) {}

  const Problem& problem;
  Stream stream;
  Pool pool;
  StepTimer timer;
  Answer answer;

  /// The most neighbours a query can have: lists need no more room, whatever k is.
  std::int64_t list_size() const { return std::min(problem.k, problem.data_count); }

  /// Queues the copy of `count` values to the device.
  template <class T>
  void upload(const T* values, std::int64_t count, T* d_values) {
    if (count == 0) return;
    check(
        cudaMemcpyAsync(d_values, values, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, stream),
        "upload");
  }

  /// Copies query_count × k ids and distances into the answer and waits for them.
  void download(const std::int32_t* d_ids, const float* d_distances);
};

/// The pipelines: queue the whole search, and leave the neighbours in run.answer. Block.
void run_fused(Run& run);
void run_paper(Run& run);

}  // namespace kann::cuda
