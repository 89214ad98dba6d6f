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

/// The mean distances of all rows of a block, to k neighbours, or to all if it is 0.
Array<float> means_of(const Rows& rows, std::int64_t k, int threads) {
  Array<float> means(static_cast<std::size_t>(rows.count));
  base::parallel_for(rows.count, threads, [&](std::int64_t row) {
    const auto [begin, all] = rows.row(row);
    const std::size_t end = k == 0 ? all : std::min(all, begin + static_cast<std::size_t>(k));
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += rows.distances[i];
    means[static_cast<std::size_t>(row)] = begin == end ? std::numeric_limits<float>::quiet_NaN()
                                                        : static_cast<float>(sum / static_cast<double>(end - begin));
  });
  return means;
}

/// @param is_list whether rows have any length, which need not have so many
void check_k(std::int64_t k, std::int64_t of_rows, bool is_list) {
  if (k < 0 || (k > of_rows && !is_list))
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

Array<float> mean_distances(const Rows& rows, std::int64_t k, int threads) {
  check_rows(rows, "mean distances");
  check_k(k, rows.k, !rows.begins.empty());
  return means_of(rows, k, base::thread_count(threads));
}

Array<float> median_distances(const Rows& rows, int threads) {
  check_rows(rows, "median distances");
  Array<float> medians(static_cast<std::size_t>(rows.count));
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
    const auto [begin, end] = rows.row(row);
    const double low = begin == end ? std::numeric_limits<double>::quiet_NaN() : rows.distances[(begin + end - 1) / 2];
    const double high = begin == end ? low : rows.distances[(begin + end) / 2];
    medians[static_cast<std::size_t>(row)] = static_cast<float>((low + high) / 2);
  });
  return medians;
}

Array<std::int32_t> neighbor_counts(const Rows& rows, int threads) {
  check_rows(rows, "neighbour counts");
  Array<std::int32_t> counts(static_cast<std::size_t>(rows.count));
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
    const auto [begin, end] = rows.row(row);
    counts[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(end - begin);
  });
  return counts;
}

Array<double> densities(const Rows& rows, const DensityBall& ball, int threads) {
  check_dimensions(ball.dimensions, "densities");
  check_rows(rows, "densities");
  Array<double> out(static_cast<std::size_t>(rows.count));
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
    const auto [begin, end] = rows.row(row);
    const float last = begin == end ? std::numeric_limits<float>::quiet_NaN() : rows.distances[end - 1];
    out[static_cast<std::size_t>(row)] =
        geometry::density_in_ball(static_cast<double>(end - begin), radius_of(ball, last), ball.dimensions);
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
  check_k(options.k, rows.k, rows.lists.has_value());
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

Array<std::uint8_t> outlier_flags(const Rows& rows, const OutlierOptions& options, const OutlierLimits& limits,
                                  int threads) {
  const Array<float> means = mean_distances(rows, options.k, threads);
  Array<std::uint8_t> flags(means.size());
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
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
