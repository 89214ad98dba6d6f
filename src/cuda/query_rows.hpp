// Brings queries that a caller has on the device to the frame, and finishes their rows for the caller.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kann/points.hpp"

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "problem/frame.hpp"

namespace kann::cuda {

/// Queries in the frame of the data. A query that cannot be searched for is placed at the frame's origin.
struct QueriesInFrame {
  /// Queued on the pool's stream. @param d_points on the device @param keeps_given whether `given` is filled
  QueriesInFrame(Pool& pool, const PointsView& d_points, const problem::Frame& frame, bool keeps_given);

  Buffer<float> points;
  Buffer<double> given;
  Buffer<bool> are_valid;  ///< whether the coordinates of each query are finite, and less than 2⁵⁰⁹
};

/// Replaces each id by its number in the input, d_data_rows[id], unless d_data_rows is null, and gives queries that are
/// not valid k missing neighbours. Queued on `stream`.
void finish_rows(const ResultRows& rows, std::int64_t queries, const bool* d_are_valid, const std::int32_t* d_data_rows,
                 cudaStream_t stream);

/// Brings the `count` rows of a self-query that left out invalid points to the `wanted_count` rows of the input: row i
/// and the id i become d_data_rows[i]; the other rows have missing neighbours. Queued on `stream`.
void spread_rows(const ResultRows& rows, std::int64_t count, const std::int32_t* d_data_rows, const ResultRows& wanted,
                 std::int64_t wanted_count, cudaStream_t stream);

/// Keeps the neighbours that are within the radius, as detail::keep_within() does; the ids of `rows` are places among
/// the data. Queued on `stream`. @param d_data, d_queries row-major, as given
template <class T>
void keep_within(const ResultRows& rows, std::int64_t queries, double radius, int dimensions, const T* d_data,
                 const T* d_queries, cudaStream_t stream);

/// Where the rows of the input begin, if those of its valid points begin at `d_begins`, of which there are count + 1.
/// Queued on `stream`.
void spread_begins(const std::int64_t* d_begins, std::int64_t count, const std::int32_t* d_data_rows,
                   std::int64_t* d_wanted, std::int64_t wanted_count, cudaStream_t stream);

/// The reverse of spread_begins().
void gather_begins(const std::int64_t* d_wanted, std::int64_t wanted_count, const std::int32_t* d_data_rows,
                   std::int64_t* d_begins, std::int64_t count, cudaStream_t stream);

}  // namespace kann::cuda
