#include "kann/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/density.hpp"
#include "products/statistics/exact_sum.hpp"
#include "products/statistics/percentiles.hpp"
#include "products/statistics/row_values.hpp"
#include "products/statistics/statistics_bytes.hpp"

namespace kann {
namespace {

using geometry::density_in_ball;
using statistics::Column;
using statistics::radius_of;
using statistics::summarise_columns;
using statistics::Table;

constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();

constexpr int k_most_threads = 16;  // each counts all columns at once, so that the rows are read three times in all

std::vector<std::int64_t> listed_ranks(std::int64_t k) {
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 1; rank < k; rank < 16 ? ++rank : rank *= 2) ranks.push_back(rank);
  if (k > 0) ranks.push_back(k);
  return ranks;
}

RankStatistics of_rank(std::int64_t rank, const Column& column) {
  RankStatistics out{.rank = rank, .queries = column.count};
  if (column.count == 0) return out;
  out.mean = column.mean();
  out.rms = out.mean;
  if (std::isfinite(out.mean)) {
    const double count = static_cast<double>(column.count), off = out.mean - column.center();
    const double squares = std::max(0.0, column.square_sum - count * off * off);  // squared differences from the mean
    out.deviation = column.count > 1 ? std::sqrt(squares / (count - 1)) : 0;
    out.rms = std::sqrt(out.mean * out.mean + squares / count);
  }
  out.median = column.percentiles[1];
  out.p95 = column.percentiles[2];
  out.p99 = column.percentiles[3];
  out.max = column.percentiles[4];
  return out;
}

/// The distance of rank `rank` of a query; NaN if it has none.
float distance_of(const Rows& rows, std::int64_t query, std::int64_t rank) {
  const auto i = static_cast<std::size_t>(query * rows.k + rank - 1);
  return rows.is_missing(i) ? k_nan : rows.distances[i];
}

/// The radius of a ball that holds one data point, at the density around each query. Unlike the density, it has the
/// range of distances; its order is the reverse of the density's.
class Spacing {
 public:
  Spacing(std::int64_t k, const DensityBall& ball) : ball_(ball) {
    for (std::int64_t count = 0; count <= k; ++count)
      factors_.push_back(std::pow(static_cast<double>(count), -1.0 / ball.dimensions));
  }

  /// NaN for a query that has no neighbour except at its own place.
  float operator()(const Rows& rows, std::int64_t query) const {
    const auto [begin, end] = rows.row(query);
    if (begin == end) return k_nan;
    const float last = rows.distances[end - 1];
    return last == 0 ? k_nan : static_cast<float>(radius_of(ball_, last) * factors_[end - begin]);
  }

 private:
  const DensityBall ball_;
  std::vector<double> factors_;  // for each number of neighbours
};

/// The density of one point within `spacing`.
double density_at(double spacing, int dimensions) { return density_in_ball(1, spacing, dimensions); }

void add_density(const Column& spacing, std::int64_t queries, int dimensions, DistanceStatistics& out) {
  const std::int64_t rows = out.ranks.empty() ? 0 : out.ranks[0].queries;
  out.empty_rows = queries - rows;
  out.density.coincident = rows - spacing.count;
  if (spacing.count == 0) return;
  out.density.p5 = density_at(spacing.percentiles[2], dimensions);
  out.density.median = density_at(spacing.percentiles[1], dimensions);
  out.density.p95 = density_at(spacing.percentiles[0], dimensions);
}

}  // namespace

DistanceStatistics distance_statistics(const Neighbors& neighbors, const DensityBall& ball, int threads) {
  check_rows(neighbors, "statistics");
  return distance_statistics(one_block(neighbors), ball, threads);
}

double statistics::statistics_bytes(std::int64_t k, int threads) {
  const auto columns = static_cast<double>(listed_ranks(k).size() + 1);
  return columns * k_bytes_per_column * std::min(base::thread_count(threads), k_most_threads);
}

DistanceStatistics distance_statistics(const RowBlocks& blocks, const DensityBall& ball, int asked_threads) {
  check_dimensions(ball.dimensions, "statistics");
  if (blocks.queries > k_most_in_sum)
    throw Error(ErrorKind::bad_input, "statistics: more than " + std::to_string(k_most_in_sum) + " rows");
  const int threads = std::min(base::thread_count(asked_threads), k_most_threads);
  const std::vector<std::int64_t> ranks = listed_ranks(blocks.k);
  const Spacing spacing(blocks.k, ball);
  const std::size_t columns = ranks.size() + 1;
  const auto all = summarise_columns(
      columns,
      [&](auto&& f) {
        for_each_block(blocks, [&](const Rows& rows) {
          const auto value = [&](std::int64_t query, std::size_t c) {
            return c < ranks.size() ? distance_of(rows, query, ranks[c]) : spacing(rows, query);
          };
          f(Table<decltype(value)>{rows.count, columns, value});
        });
      },
      threads);
  DistanceStatistics out;
  for (std::size_t c = 0; c < ranks.size(); ++c) out.ranks.push_back(of_rank(ranks[c], all[c]));
  add_density(all.back(), blocks.queries, ball.dimensions, out);
  return out;
}

}  // namespace kann
