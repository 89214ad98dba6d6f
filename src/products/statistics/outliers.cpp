#include "kann/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/density.hpp"
#include "products/statistics/row_values.hpp"

namespace kann {
namespace {

using namespace statistics;

/// The sum and the number of finite values.
struct Sum {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    if (!std::isfinite(value)) return;
    sum += value;
    ++count;
  }
  void add(const Sum& other) {
    sum += other.sum;
    count += other.count;
  }
};

/// Adds values in parts of 4,096, and the sums of these in their order, so that the sum is the same on any number of
/// threads and for any blocks.
class OrderedSum {
 public:
  /// Adds the next n values, value_of(i) for i in [0, n). Blocks.
  template <class ValueOf>
  void add(std::int64_t n, int threads, ValueOf&& value_of) {
    const std::int64_t begin = added_ % k_grain, parts = (begin + n + k_grain - 1) / k_grain;
    if (n == 0) return;
    std::vector<Sum> sums(static_cast<std::size_t>(parts));
    sums.front() = open_;
    base::parallel_for(parts, threads, [&](std::int64_t part) {
      Sum& sum = sums[static_cast<std::size_t>(part)];
      const std::int64_t end = std::min(n, (part + 1) * k_grain - begin);
      for (std::int64_t i = std::max<std::int64_t>(0, part * k_grain - begin); i < end; ++i) sum.add(value_of(i));
    });
    added_ += n;
    open_ = {};
    if (added_ % k_grain != 0) {
      open_ = sums.back();
      sums.pop_back();
    }
    for (const Sum& sum : sums) closed_.add(sum);
  }

  Sum total() const {
    Sum all = closed_;
    all.add(open_);
    return all;
  }

 private:
  static constexpr std::int64_t k_grain = 4096;

  std::int64_t added_ = 0;
  Sum closed_, open_;  // open: the part that is not complete
};

/// The mean distances of all rows of a block, to k neighbours.
Array<float> means_of(const Rows& rows, std::int64_t k, int threads) {
  Array<float> means(static_cast<std::size_t>(rows.count));
  base::parallel_for(rows.count, threads, [&](std::int64_t row) {
    double sum = 0;
    std::int64_t count = 0;
    for (; count < k && !is_missing(rows, row * rows.k + count); ++count)
      sum += rows.distances[static_cast<std::size_t>(row * rows.k + count)];
    means[static_cast<std::size_t>(row)] =
        count == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / static_cast<double>(count));
  });
  return means;
}

void check_k(std::int64_t k, std::int64_t of_rows) {
  if (k < 0 || k > of_rows)
    throw Error(ErrorKind::usage,
                "mean distances need " + std::to_string(k) + " neighbours, but rows have " + std::to_string(of_rows));
}

/// The sum of value_of(mean) over the mean distances of all rows.
template <class ValueOf>
Sum sum_over(const RowBlocks& blocks, std::int64_t k, int threads, ValueOf&& value_of) {
  OrderedSum sum;
  for_each_block(blocks, [&](const Rows& rows) {
    const Array<float> means = means_of(rows, k, threads);
    sum.add(rows.count, threads, [&](std::int64_t i) { return value_of(double{means[static_cast<std::size_t>(i)]}); });
  });
  return sum.total();
}

}  // namespace

Array<float> mean_distances(const Neighbors& neighbors, std::int64_t k, int threads) {
  check_rows(neighbors, "mean distances");
  check_k(k, neighbors.k);
  Array<float> means;
  for_each_block(one_block(neighbors),
                 [&](const Rows& rows) { means = means_of(rows, k == 0 ? rows.k : k, base::thread_count(threads)); });
  return means;
}

Array<double> densities(const Neighbors& neighbors, const DensityBall& ball, int threads) {
  check_dimensions(ball.dimensions, "densities");
  check_rows(neighbors, "densities");
  Array<double> out(static_cast<std::size_t>(neighbors.queries));
  for_each_block(one_block(neighbors), [&](const Rows& rows) {
    base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
      const std::int64_t count = neighbor_count(rows, row);
      const float last = count == 0 ? std::numeric_limits<float>::quiet_NaN()
                                    : rows.distances[static_cast<std::size_t>(row * rows.k + count - 1)];
      out[static_cast<std::size_t>(row)] =
          geometry::density_in_ball(static_cast<double>(count), radius_of(ball, last), ball.dimensions);
    });
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

OutlierLimits outlier_limits(const RowBlocks& rows, const OutlierOptions& options, int asked_threads) {
  check_outlier_options(options);
  check_k(options.k, rows.k);
  const int threads = base::thread_count(asked_threads);
  OutlierLimits out;
  const Sum all = sum_over(rows, options.k, threads, [](double mean) { return mean; });
  if (all.count == 0) return out;
  out.mean = all.sum / static_cast<double>(all.count);
  // Differences from the mean lose no digits where the distances hardly differ; a plain sum of squares would
  const Sum squares = sum_over(rows, options.k, threads, [&](double mean) {
    const double off = mean - out.mean;
    return off * off;
  });
  out.deviation = all.count > 1 ? std::sqrt(squares.sum / static_cast<double>(all.count - 1)) : 0;
  out.threshold = out.mean + options.sigma * out.deviation;
  return out;
}

Array<std::uint8_t> outlier_flags(const Neighbors& neighbors, const OutlierOptions& options,
                                  const OutlierLimits& limits, int threads) {
  const Array<float> means = mean_distances(neighbors, options.k, threads);
  Array<std::uint8_t> flags(means.size());
  base::parallel_for(neighbors.queries, base::thread_count(threads), [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    flags[i] = !(means[i] <= limits.threshold);  // true for NaN, too
  });
  return flags;
}

OutlierResult find_outliers(const Neighbors& neighbors, const OutlierOptions& options, int threads) {
  check_rows(neighbors, "mean distances");
  OutlierResult out;
  static_cast<OutlierLimits&>(out) = outlier_limits(one_block(neighbors), options, threads);
  out.is_outlier = outlier_flags(neighbors, options, out, threads);
  out.outliers = std::count(out.is_outlier.begin(), out.is_outlier.end(), std::uint8_t{1});
  return out;
}

}  // namespace kann
