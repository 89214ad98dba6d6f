// Exact searches that are queued on a stream of the caller, for data, queries and rows that are on the device.
#pragma once

#include <cstdint>

#include "cuda/backend.hpp"
#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/search_context.hpp"
#include "problem/frame.hpp"

namespace kann::cuda {

/// Data that are on the device, with what is kept of them.
struct DataOnDevice {
  ResidentPoints points;
  const std::int32_t* d_rows;  ///< the row in the input of each point; null if no point of the input was skipped
  const problem::Frame& frame;
  exact::DataIndexes& indexes;
  const Memory& memory;
};

/// Queues the search for `queries`, whose rows, or lists with Problem::list_radius, are those of the input, as are the
/// ids. Blocks only until the data have an index.
void queue_search(const Problem& problem, const DataOnDevice& data, const DeviceQueries& queries);

/// Queues the search for the data themselves: `to` gets a row for each of the `rows` points of the input. Blocks as
/// queue_search().
void queue_search_self(const Problem& problem, const DataOnDevice& data, const DeviceQueries& to, std::int64_t rows);

}  // namespace kann::cuda
