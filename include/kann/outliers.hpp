// What the row of each query tells about the query point: how far its neighbours are, how dense the data are around it,
// and whether it is noise.
#pragma once

#include <cstdint>
#include <limits>

#include "kann/array.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/statistics.hpp"

namespace kann {

/// The mean distance to the first `k` neighbours of each row, or to as many of them as there are, rounded to float32;
/// 0: to all. NaN for a row without neighbours. Blocks.
/// @param threads 0: all of the machine
/// @throws Error usage (`k` is below 0, or above that of rows of one length), bad_input (sizes that do not match);
/// std::bad_alloc.
Array<float> mean_distances(const Rows& rows, std::int64_t k = 0, int threads = 0);

/// The median of the distances of each row, which is the mean of the two in the middle of an even number, rounded to
/// float32; NaN for a row without neighbours. Blocks. @throws Error bad_input, as mean_distances().
Array<float> median_distances(const Rows& rows, int threads = 0);

/// How many neighbours each row has. Blocks. @throws Error bad_input, as mean_distances().
Array<std::int32_t> neighbor_counts(const Rows& rows, int threads = 0);

/// The number of data points per unit of volume (2-D: area) around each query, as DensityStatistics says: infinite
/// where the ball ends at neighbours that coincide with it. Without neighbours it is 0 in a ball of a given radius, and
/// NaN in others. Blocks.
/// @throws Error bad_input (sizes that do not match, other dimensions); std::bad_alloc.
Array<double> densities(const Rows& rows, const DensityBall& ball, int threads = 0);

struct OutlierOptions {
  std::int64_t k = 8;  ///< neighbours whose mean distance is compared; at most that of the rows
  double sigma = 1;  ///< a mean distance this many standard deviations above the average is too far; finite, at least 0
};

/// Mean and standard deviation of the mean distances of all queries with a finite one; NaN if there is none. The
/// deviation is that of a sample: its divisor is one less than the number of queries; it is 0 for a single query.
struct OutlierLimits {
  double mean = std::numeric_limits<double>::quiet_NaN(), deviation = std::numeric_limits<double>::quiet_NaN();
  double threshold = std::numeric_limits<double>::quiet_NaN();  ///< mean + sigma · deviation
};

struct OutlierResult : OutlierLimits {
  Array<std::uint8_t> is_outlier;  ///< per query: 1, or 0
  std::int64_t outliers = 0;
};

/// Refuses options that no rows can meet. @throws Error usage.
void check_outlier_options(const OutlierOptions& options);

/// Statistical outlier removal (Rusu et al. 2008, section 3.1; PCL's StatisticalOutlierRemoval): a query is an outlier
/// if the mean distance to its k nearest neighbours exceeds mean + sigma · deviation of these distances over all
/// queries. Queries without neighbours are outliers, too. The same on any number of threads. Blocks.
/// @throws Error usage (options), bad_input (sizes that do not match); std::bad_alloc.
OutlierResult find_outliers(const Neighbors& neighbors, const OutlierOptions& options, int threads = 0);

/// The local outlier factor of points among their own k nearest (Breunig et al. 2000, definitions 5 to 7), as
/// scikit-learn's LocalOutlierFactor has it: how many times as far from its neighbours a point is as these are from
/// theirs, 1 in a crowd of any density.
class LocalOutlierFactors {
 public:
  static constexpr double k_bytes_per_point = sizeof(float) + sizeof(double);  ///< of memory that an object has

  /// Reads all rows twice: those of a self-query, whose ids are numbers of rows. Blocks.
  /// @throws Error bad_input (an id that is no row), resources, and what `rows` throws.
  explicit LocalOutlierFactors(const RowBlocks& rows, int threads = 0);

  /// The factors of some of these rows; NaN for one without neighbours. Blocks.
  Array<double> of(const Rows& rows, int threads = 0) const;

 private:
  Array<float> reach_;     ///< of each point, the distance to its last neighbour
  Array<double> density_;  ///< of each point, its local reachability density
};

/// The limits that find_outliers() finds, from rows that come in blocks; they are read twice. Blocks. @throws as
/// find_outliers(), and what `rows` throws.
OutlierLimits outlier_limits(const RowBlocks& rows, const OutlierOptions& options, int threads = 0);

/// Which of the rows are outliers by these limits: 1, or 0. Blocks. @throws as find_outliers().
Array<std::uint8_t> outlier_flags(const Rows& rows, const OutlierOptions& options, const OutlierLimits& limits,
                                  int threads = 0);

}  // namespace kann
