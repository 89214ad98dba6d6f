// What the distances of a result tell about two clouds: how far they are apart, and how dense the data are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"

namespace kann {

/// Statistics of the distances to the neighbour of one rank, over the queries that have it. In the unit of the
/// coordinates; NaN if no query has one, infinite where distances are past float32 (their deviation is NaN). The p-th
/// percentile is the smallest distance that p per cent of these queries do not exceed (nearest rank): one of the
/// distances themselves.
struct RankStatistics {
  static constexpr double k_none = std::numeric_limits<double>::quiet_NaN();

  std::int64_t rank = 1;     ///< from 1: the nearest neighbour
  std::int64_t queries = 0;  ///< queries that have this neighbour
  double mean = k_none, median = k_none, p95 = k_none, p99 = k_none, max = k_none;
  double deviation = k_none;  ///< standard deviation of a sample (divisor: queries − 1); 0 for one query
  double rms = k_none;        ///< root of the mean square
};

/// The number of data points per unit of volume (2-D: area) around the queries. For a query with m neighbours it is m /
/// (4/3 π r³), in 2-D m / (π r²), with r the distance of the last neighbour. A twentieth of the queries is below p5,
/// and a twentieth above p95. NaN if no query has a neighbour elsewhere than at its own place.
struct DensityStatistics {
  double p5 = RankStatistics::k_none, median = RankStatistics::k_none, p95 = RankStatistics::k_none;
  std::int64_t coincident = 0;  ///< queries with which all their neighbours coincide; they are left out
};

struct DistanceStatistics {
  std::vector<RankStatistics> ranks;  ///< 1 to 16, the powers of two from 32 on, and k
  std::int64_t empty_rows = 0;        ///< queries without a neighbour: none is within the radius, or they were skipped
  DensityStatistics density;
};

/// The statistics of all rows. The numbers do not depend on the number of threads (0: all of the machine) or on the
/// order of the rows. Blocks.
/// @param dimensions the dimensions of the clouds: 2 or 3
/// @throws Error bad_input: ids or distances do not match the number of rows, or the dimensions are others;
///         std::bad_alloc.
DistanceStatistics distance_statistics(const Neighbors& neighbors, int dimensions, int threads = 0);

/// The same for rows that come in blocks; they are read three times.
/// @throws as the other; Error bad_input: more than 2³⁹ rows; and what `rows` throws.
DistanceStatistics distance_statistics(const RowBlocks& rows, int dimensions, int threads = 0);

}  // namespace kann
