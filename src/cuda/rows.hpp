// Step rows: lists of keys to ids and distances, in query order.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "geometry/distance.hpp"

namespace kann::cuda {

/// Writes row d_query_order[i] (null: row i) of d_ids and d_distances (query_count × k) from list i of d_kept. Lists
/// hold `list_size` keys and are `stride` keys apart; past them, neighbours are missing. Queued on `stream`.
void write_rows(const NeighborKey* d_kept, std::int64_t list_size, std::int64_t stride,
                const std::uint32_t* d_query_order, std::int64_t query_count, std::int64_t k, double unit,
                std::int32_t* d_ids, float* d_distances, cudaStream_t stream);

}  // namespace kann::cuda
