// The arrays that kernels write the neighbours of all queries to.
#pragma once

#include <cstdint>

namespace kann::cuda {

/// Rows of results in query order.
struct ResultRows {
  std::int32_t* d_ids;  ///< rows × k
  float* d_distances;   ///< rows × k
  std::int64_t k;
  double unit;  ///< what distances are multiplied by
};

}  // namespace kann::cuda
