// What the distances of a result tell about two clouds: how far they are apart, and how dense the data are.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/sky.hpp"

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

/// The ball around a query in which its neighbours are counted for a density.
struct DensityBall {
  DensityBall(int dimension_count, std::optional<AngleUnit> unit = {}, std::optional<double> of_all = {})
      : dimensions(dimension_count), sky(unit), radius(of_all) {}

  int dimensions;                ///< of the clouds: 2 or 3
  std::optional<AngleUnit> sky;  ///< SearchOptions::sky: the ball is a cap of the sphere, whose area is in this unit²
  /// The rows have all neighbours within this radius, and so has the ball, as in PDAL's filters.radialdensity; none:
  /// the ball ends at the last neighbour.
  std::optional<double> radius;
};

/// The number of data points per unit of volume (2-D: area) around the queries. For a query with m neighbours it is m /
/// (4/3 π r³), in 2-D m / (π r²), and on a sphere of radius R m / (2π R² (1 − cos r/R)), with r the radius of its
/// DensityBall. The query itself is not counted, unless it is in its own row. A twentieth of the queries is below p5,
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
/// @throws Error bad_input: ids or distances do not match the number of rows, or the dimensions are others;
///         std::bad_alloc.
DistanceStatistics distance_statistics(const Neighbors& neighbors, const DensityBall& ball, int threads = 0);

/// The same for rows that come in blocks; they are read three times.
/// @throws as the other; Error bad_input: more than 2³⁹ rows; and what `rows` throws.
DistanceStatistics distance_statistics(const RowBlocks& rows, const DensityBall& ball, int threads = 0);

}  // namespace kann
