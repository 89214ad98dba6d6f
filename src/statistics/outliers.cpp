#include "kann/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "base/parallel.hpp"
#include "statistics/check_rows.hpp"
#include "statistics/row_values.hpp"

namespace kann {
namespace {

using namespace statistics;

/// The sum and the number of the finite `value_of(i)` for i in [0, n). They are added in parts of 4,096, in order, so
/// that the sum is the same on any number of threads.
struct Sum {
  double sum = 0;
  std::int64_t count = 0;
};

template <class ValueOf>
Sum sum_finite(std::int64_t n, int threads, ValueOf&& value_of) {
  constexpr std::int64_t grain = 4096;
  std::vector<Sum> parts(static_cast<std::size_t>((n + grain - 1) / grain));
  base::parallel_chunks(n, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    Sum& part = parts[static_cast<std::size_t>(begin / grain)];
    for (std::int64_t i = begin; i < end; ++i)
      if (const double value = value_of(i); std::isfinite(value)) {
        part.sum += value;
        ++part.count;
      }
  });
  Sum all;
  for (const Sum& part : parts) {
    all.sum += part.sum;
    all.count += part.count;
  }
  return all;
}

}  // namespace

Array<float> mean_distances(const Neighbors& neighbors, std::int64_t k, int threads) {
  check_rows(neighbors, "mean distances");
  if (k < 0 || k > neighbors.k)
    throw Error(ErrorKind::usage, "mean distances: of " + std::to_string(k) + " neighbours, but rows have " +
                                      std::to_string(neighbors.k));
  if (k == 0) k = neighbors.k;
  Array<float> means(static_cast<std::size_t>(neighbors.queries));
  base::parallel_for(neighbors.queries, base::thread_count(threads), [&](std::int64_t row) {
    double sum = 0;
    std::int64_t count = 0;
    for (; count < k && !is_missing(neighbors, row * neighbors.k + count); ++count)
      sum += neighbors.distances[static_cast<std::size_t>(row * neighbors.k + count)];
    means[static_cast<std::size_t>(row)] =
        count == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / static_cast<double>(count));
  });
  return means;
}

Array<double> densities(const Neighbors& neighbors, int dimensions, int threads) {
  check_dimensions(dimensions, "densities");
  check_rows(neighbors, "densities");
  Array<double> out(static_cast<std::size_t>(neighbors.queries));
  base::parallel_for(neighbors.queries, base::thread_count(threads), [&](std::int64_t row) {
    const std::int64_t count = neighbor_count(neighbors, row);
    out[static_cast<std::size_t>(row)] =
        count == 0
            ? std::numeric_limits<double>::quiet_NaN()
            : density_in_ball(static_cast<double>(count),
                              neighbors.distances[static_cast<std::size_t>(row * neighbors.k + count - 1)], dimensions);
  });
  return out;
}

void check_outlier_options(const OutlierOptions& options) {
  if (options.k < 1)
    throw Error(ErrorKind::usage, "outliers: expects at least 1 neighbour, got " + std::to_string(options.k));
  if (!std::isfinite(options.sigma) || options.sigma < 0)
    throw Error(ErrorKind::usage, "outliers: expects a number of standard deviations of at least 0, got " +
                                      std::to_string(options.sigma));
}

OutlierResult find_outliers(const Neighbors& neighbors, const OutlierOptions& options, int asked_threads) {
  check_outlier_options(options);
  const Array<float> means = mean_distances(neighbors, options.k, asked_threads);
  const int threads = base::thread_count(asked_threads);
  const auto n = neighbors.queries;
  const auto mean_of = [&](std::int64_t i) { return static_cast<double>(means[static_cast<std::size_t>(i)]); };

  OutlierResult out;
  if (const Sum all = sum_finite(n, threads, mean_of); all.count > 0) {
    out.mean = all.sum / static_cast<double>(all.count);
    // Differences from the mean lose no digits where the distances hardly differ; a plain sum of squares would
    const Sum squares = sum_finite(n, threads, [&](std::int64_t i) {
      const double off = mean_of(i) - out.mean;
      return off * off;
    });
    out.deviation = all.count > 1 ? std::sqrt(squares.sum / static_cast<double>(all.count - 1)) : 0;
    out.threshold = out.mean + options.sigma * out.deviation;
  }
  out.is_outlier.resize(static_cast<std::size_t>(n));
  base::parallel_for(n, threads, [&](std::int64_t i) {
    out.is_outlier[static_cast<std::size_t>(i)] = !(mean_of(i) <= out.threshold);  // true for NaN, too
  });
  out.outliers = std::count(out.is_outlier.begin(), out.is_outlier.end(), std::uint8_t{1});
  return out;
}

}  // namespace kann
