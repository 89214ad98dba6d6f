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

/// Rows of any length in query order, which stay on the device.
struct ListsOnDevice {
  std::int64_t* d_begins;  ///< where each row begins; one more than there are rows
  std::int32_t* d_ids;     ///< of `capacity` neighbours; rows that end later are not written, here and in the next
  float* d_distances;
  std::int64_t capacity;
  bool are_counted;                       ///< whether d_begins is set already
  const bool* d_are_valid = nullptr;      ///< whether each query has neighbours at all; null: all
  const std::int32_t* d_names = nullptr;  ///< what each id is written as; null: as it is
};

}  // namespace kann::cuda
