#include "kann/statistics.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "base/parallel.hpp"
#include "statistics/check_rows.hpp"
#include "statistics/percentiles.hpp"
#include "statistics/row_values.hpp"

namespace kann {
namespace {

using statistics::Column;
using statistics::density_in_ball;
using statistics::is_missing;
using statistics::neighbor_count;
using statistics::summarise_columns;
using statistics::Table;

constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::int64_t> listed_ranks(std::int64_t k) {
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 1; rank < k; rank < 16 ? ++rank : rank *= 2) ranks.push_back(rank);
  if (k > 0) ranks.push_back(k);
  return ranks;
}

RankStatistics of_rank(std::int64_t rank, const Column& column) {
  RankStatistics out{.rank = rank, .queries = column.count};
  if (column.count == 0) return out;
  out.mean = column.sum / static_cast<double>(column.count);
  out.median = column.percentiles[1];
  out.p95 = column.percentiles[2];
  out.p99 = column.percentiles[3];
  out.max = column.percentiles[4];
  return out;
}

/// The distance within which there is one data point, at the density around each query: it has the range of distances,
/// unlike the density, and its order, reversed.
class Spacing {
 public:
  Spacing(const Neighbors& neighbors, int dimensions) : neighbors_(neighbors) {
    for (std::int64_t count = 0; count <= neighbors.k; ++count)
      factors_.push_back(std::pow(static_cast<double>(count), -1.0 / dimensions));
  }

  /// NaN for a query without a neighbour.
  float operator()(std::int64_t query) const {
    const std::int64_t count = neighbor_count(neighbors_, query);
    if (count == 0) return k_nan;
    const float last = neighbors_.distances[static_cast<std::size_t>(query * neighbors_.k + count - 1)];
    return static_cast<float>(last * factors_[static_cast<std::size_t>(count)]);
  }

 private:
  const Neighbors& neighbors_;
  std::vector<double> factors_;  // by the number of neighbours
};

/// Of one point within `spacing`.
double density_at(double spacing, int dimensions) { return density_in_ball(1, spacing, dimensions); }

}  // namespace

DistanceStatistics distance_statistics(const Neighbors& neighbors, int dimensions, int asked_threads) {
  statistics::check_dimensions(dimensions, "statistics");
  statistics::check_rows(neighbors, "statistics");
  const int threads = base::thread_count(asked_threads);
  const std::vector<std::int64_t> ranks = listed_ranks(neighbors.k);

  DistanceStatistics out;
  constexpr std::size_t at_once = 8;  // ranks
  for (std::size_t begin = 0; begin < ranks.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, ranks.size() - begin);
    const auto distance = [&](std::int64_t query, std::size_t c) {
      const std::int64_t i = query * neighbors.k + ranks[begin + c] - 1;
      return is_missing(neighbors, i) ? k_nan : neighbors.distances[i];
    };
    const auto columns = summarise_columns(Table{neighbors.queries, count, distance}, threads);
    for (std::size_t c = 0; c < count; ++c) out.ranks.push_back(of_rank(ranks[begin + c], columns[c]));
  }

  const Spacing spacing(neighbors, dimensions);
  const auto of_query = [&](std::int64_t query, std::size_t) { return spacing(query); };
  const Column all = summarise_columns(Table{neighbors.queries, 1, of_query}, threads)[0];
  out.empty_rows = neighbors.queries - all.count;
  if (all.count > 0)
    out.density = {density_at(all.percentiles[2], dimensions), density_at(all.percentiles[1], dimensions),
                   density_at(all.percentiles[0], dimensions)};
  return out;
}

}  // namespace kann
