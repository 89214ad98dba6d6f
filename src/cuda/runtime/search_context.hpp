// What the pipelines share: the stream, the memory, the way in and out of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cuda/names.hpp"
#include "cuda/order/order_report.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/runtime/step_timer.hpp"
#include "cuda/runtime/transfer.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

/// One problem on one device: everything it queues goes to `stream`, everything it allocates comes from `pool`.
/// load(), then search() any number of times, then download().
struct SearchContext {
  SearchContext(const Problem& p, std::shared_ptr<Staging> buffers)
      : problem(p), staging(std::move(buffers)), pool(stream) {}

  const Problem& problem;
  std::shared_ptr<Staging> staging;  ///< null until a large copy needs it
  Stream stream;
  Pool pool;
  StepTimer timer{stream};
  StepSeconds steps;         ///< of the load, the last search and the download
  Buffer<float> points;      ///< data, then queries that are not the data
  Buffer<std::int32_t> ids;  ///< query_count × k
  Buffer<float> distances;   ///< query_count × k
  OrderReports order_reports{pool};

  ResultRows rows() const { return {ids.data(), distances.data(), problem.k, problem.unit}; }
  const float* d_data() const { return points.data(); }
  const float* d_queries() const {
    return problem.self_query() ? points.data() : points.data() + problem.data_count * problem.dimensions;
  }

  /// Takes memory for points and results, and queues the upload. Blocks until the points have been read.
  void load();

  /// Queues the search by the problem's method and pipeline. Blocks where a step needs the outcome of another.
  void search();

  /// Copies the results to the host and waits for them. `room` is memory to put them in, if there is any.
  Neighbors download(Neighbors result = {});

 private:
  void upload_bytes(const void* from, std::size_t bytes, void* d_to);
  void download_bytes(const void* d_from, std::size_t bytes, void* to);
  Staging* staging_for(std::size_t bytes);
};

/// The pipelines: from context.points to context.ids and context.distances. Queue their work.
void run_fused(SearchContext& context);
void run_exact(SearchContext& context);
void run_paper(SearchContext& context);

}  // namespace kann::cuda
