#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "kann/error.hpp"
#include "kann/outliers.hpp"

#include "base/threads/parallel.hpp"

namespace kann {
namespace {

/// Refuses rows, or neighbours in them, that are none of the points.
void check(const Rows& rows, std::int64_t points, int threads) {
  check_rows(rows, "local outlier factors");
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::atomic<std::int64_t> wrong{rows.first + rows.count > points ? rows.first + rows.count - 1 : none};
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
    const auto [begin, end] = rows.row(row);
    for (std::size_t i = begin; i < end; ++i)
      if (const std::int64_t id = rows.id(i); id < 0 || id >= points) wrong = id;
  });
  if (wrong != none)
    throw Error(ErrorKind::bad_input, "local outlier factors: " + std::to_string(wrong) + " is none of the " +
                                          std::to_string(points) +
                                          " points: are these neighbours of points among themselves?");
}

/// Sets value i of `out` to f(i, begin, end) for each row, of the places of its neighbours; to NaN if it has none.
template <class T, class F>
void for_each_row(const Rows& rows, int threads, T* out, F f) {
  base::parallel_for(rows.count, base::thread_count(threads), [&](std::int64_t row) {
    const auto [begin, end] = rows.row(row);
    out[row] = begin == end ? std::numeric_limits<T>::quiet_NaN() : f(row, begin, end);
  });
}

}  // namespace

LocalOutlierFactors::LocalOutlierFactors(const RowBlocks& rows, int threads)
    : reach_(static_cast<std::size_t>(rows.queries)), density_(reach_.size()) {
  rows.for_each([&](const Rows& some) {
    check(some, rows.queries, threads);
    for_each_row(some, threads, reach_.data() + some.first,
                 [&](std::int64_t, std::size_t, std::size_t end) { return some.distances[end - 1]; });
  });
  constexpr double crowd = 1e-10;  // what scikit-learn adds, so that a density at copies of a point is finite
  rows.for_each([&](const Rows& some) {
    for_each_row(some, threads, density_.data() + some.first, [&](std::int64_t, std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i)
        sum += std::max(some.distances[i], reach_[static_cast<std::size_t>(some.id(i))]);
      return 1 / (sum / static_cast<double>(end - begin) + crowd);
    });
  });
}

Array<double> LocalOutlierFactors::of(const Rows& rows, int threads) const {
  check(rows, std::ssize(reach_), threads);
  Array<double> factors(static_cast<std::size_t>(rows.count));
  for_each_row(rows, threads, factors.data(), [&](std::int64_t row, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += density_[static_cast<std::size_t>(rows.id(i))];
    return sum / static_cast<double>(end - begin) / density_[static_cast<std::size_t>(rows.first + row)];
  });
  return factors;
}

}  // namespace kann
