// The memory of the statistics.
#pragma once

#include <cstdint>

namespace kann::statistics {

/// Bytes of memory that distance_statistics() takes for rows of k neighbours.
double statistics_bytes(std::int64_t k, int threads);

}  // namespace kann::statistics
