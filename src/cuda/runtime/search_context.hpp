// What all methods share: the stream, the memory, and the transfers to the device and back.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/runtime/step_timer.hpp"
#include "cuda/runtime/transfer.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

/// One problem on one device: all work is queued on `stream`, all device memory comes from `pool`. A method reads
/// `points` and writes `ids` and `distances`, any number of times.
struct SearchContext {
  /// Allocates memory for points and results, and queues the upload. Blocks until the points have been read. `problem`
  /// must outlive the context; `staging` may be null. @throws Error as check().
  SearchContext(const Problem& problem, std::shared_ptr<Staging> staging);

  const Problem& problem;
  std::shared_ptr<Staging> staging;  ///< null until a large copy needs it
  Stream stream;
  Pool pool;
  StepTimer timer{stream};
  MappedMemory mapped{stream};
  StepSeconds steps;                ///< of the upload, the last search and the download
  Buffer<float> points;             ///< in the frame: data, then queries that are not the data
  Buffer<double> given;             ///< the same as they were given, if the problem is rounded and needs them
  Buffer<std::int32_t> ids;         ///< query_count × k
  Buffer<float> distances;          ///< query_count × k
  Buffer<std::int32_t> sample_ids;  ///< of an approximate search: list_size() for each of Problem::sample
  std::int64_t doubtful = 0;        ///< rows that were doubtful, and were searched exactly
  double rows_seconds = 0;          ///< how long on_rows took after the last row had been copied

  ResultRows rows() const { return {ids.data(), distances.data(), problem.k, problem.unit}; }
  const float* d_data() const { return points.data(); }
  const float* d_queries() const {
    return problem.self_query() ? points.data() : points.data() + problem.data_count * problem.dimensions;
  }

  const double* d_given_data() const { return given.data(); }
  const double* d_given_queries() const {
    return !given.data() || problem.self_query() ? given.data()
                                                 : given.data() + problem.data_count * problem.dimensions;
  }

  /// Copies the results to the host, into the arrays of `result` if they are large enough. Blocks. Calls
  /// Problem::on_rows beside the copy of a large result; @throws as that and check().
  Neighbors download(Neighbors result = {});

  /// Copies the sample to the host. Blocks.
  std::vector<std::int32_t> download_sample();

 private:
  void upload_bytes(const void* from, std::size_t bytes, void* d_to);
  void download_bytes(const void* d_from, std::size_t bytes, void* to);
  void download_in_pieces(Neighbors& out);
  Staging* staging_for(std::size_t bytes);
};

}  // namespace kann::cuda
