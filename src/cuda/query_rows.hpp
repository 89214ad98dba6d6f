// Queries that are on the device as a caller has them, and their rows as the caller gets them.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kann/points.hpp"

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "problem/frame.hpp"

namespace kann::cuda {

/// Queries, brought to the frame of the data. One that cannot be searched stands in the frame's origin.
struct QueriesInFrame {
  /// `d_points` are on the device. Queued on the pool's stream. @param keeps_given whether `given` is made
  QueriesInFrame(Pool& pool, const PointsView& d_points, const problem::Frame& frame, bool keeps_given);

  Buffer<float> points;
  Buffer<double> given;
  Buffer<bool> are_valid;  ///< whether the coordinates of each query are finite, and less than 2⁵⁰⁹
};

/// Gives ids the numbers of the input, d_data_rows[id] (null: those that they have), and queries that are not valid k
/// missing neighbours. Queued on `stream`.
void finish_rows(const ResultRows& rows, std::int64_t queries, const bool* d_are_valid, const std::int32_t* d_data_rows,
                 cudaStream_t stream);

}  // namespace kann::cuda
