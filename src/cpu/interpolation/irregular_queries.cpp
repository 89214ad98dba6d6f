#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "base/threads/parallel.hpp"
#include "cpu/interpolation/interpolate.hpp"
#include "cpu/interpolation/lane_group.hpp"
#include "geometry/interpolation/inverse_distance.hpp"
#include "geometry/interpolation/kernels-inl.hpp"
#include "geometry/interpolation/shape.hpp"

namespace kann::cpu {

using interpolation::k_max_points;
using interpolation::QueryState;
using interpolation::RbfInput;
using interpolation::RbfValues;

namespace {

using Vector = std::vector<double>;  // a number per point

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Coordinates scaled to [−1, 1], per axis; the third is 0 in 2-D.
std::vector<Vector> scaled_axes(std::span<const double> data, int dimensions, std::span<const std::int32_t> ids) {
  std::vector<Vector> axes(3, Vector(ids.size()));
  for (int a = 0; a < dimensions; ++a) {
    Vector& u = axes[static_cast<std::size_t>(a)];
    std::ranges::transform(ids, u.begin(), [&](std::int32_t id) { return data[std::int64_t{id} * dimensions + a]; });
    const auto [low, high] = std::ranges::minmax(u);
    const double shift = (high + low) * 0.5, half = (high - low) * 0.5, scale = half == 0 ? 1 : half;
    for (double& x : u) x = (x - shift) / scale;
  }
  return axes;
}

/// The subset of `monomials` that are not, on the given points, linear combinations of the ones before them; at most as
/// many as there are points. A Gram–Schmidt process finds them: a monomial is kept if more than 2^−26 of it is left.
/// A combination leaves some 2^−50, because of rounding; points of extent 1 whose thickness is more than rounding leave
/// far more.
/// @param data coordinates, row-major
unsigned independent_monomials(unsigned monomials, std::span<const double> data, int dimensions,
                               std::span<const std::int32_t> ids) {
  const std::vector<Vector> axes = scaled_axes(data, dimensions, ids);
  std::vector<Vector> basis;
  unsigned independent = 0;
  for (int number = 0; number < interpolation::k_monomials && basis.size() < ids.size(); ++number) {
    if (!(monomials >> number & 1)) continue;
    Vector values(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double u[3] = {axes[0][i], axes[1][i], axes[2][i]};
      values[i] = interpolation::scalar::monomial(number, u);
    }
    const double size = std::sqrt(dot(values, values));
    for (int pass = 0; pass < 2; ++pass)  // the second removes what the rounding of the first left
      for (const Vector& b : basis) {
        const double part = dot(values, b);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] -= part * b[i];
      }
    const double left = std::sqrt(dot(values, values));
    if (!(left > 0x1p-26 * size)) continue;
    for (double& x : values) x /= left;
    basis.push_back(std::move(values));
    independent |= 1u << number;
  }
  return independent;
}

/// A query, and the attributes whose values are finite at the same neighbours of it.
struct Task {
  std::int64_t query = 0;
  std::uint64_t usable = 0;  ///< a bit for each rank of the row that is used
  std::vector<std::size_t> columns;
  std::vector<std::int32_t> ids;    ///< distinct points
  std::vector<std::uint8_t> point;  ///< for each usable rank, the place of its point in `ids`
  std::vector<double> copies;       ///< for each point, how many ranks are at it
  unsigned monomials = 0;
};

/// The queries of one piece of work.
class Piece {
 public:
  Piece(const RbfInput& input, RbfValues& out)
      : input_(input),
        out_(out),
        k_(input.k),
        monomials_(interpolation::monomials_of(input.options.degree, input.dimensions)),
        group_(input, static_cast<int>(std::max<std::int64_t>(1, k_)), interpolation::monomial_count(monomials_)) {}

  std::int64_t singular = 0, by_distance = 0, nan_values = 0;

  void run(std::span<const std::int64_t> queries) {
    std::vector<Task> tasks, again;
    for (const std::int64_t query : queries) add_tasks(query, tasks);
    for (Task& task : tasks)
      if (task.ids.size() < static_cast<std::size_t>(interpolation::monomial_count(monomials_)))
        task.monomials = independent(task);
    solve(tasks, interpolation::smallest_pivot, [&](const Task& task) { again.push_back(task); });
    for (Task& task : again) task.monomials = independent(task);
    std::vector<std::int64_t> irregular, weighed;
    for (const std::vector<Task>* const made : {&tasks, &again})
      for (const Task& task : *made)
        if (task.monomials != monomials_) irregular.push_back(task.query);
    // The systems that remain have small pivots since the kernel is nearly the same at several points. They are solved
    // whatever their pivots, as LAPACK does
    solve(
        again, [](int) { return 0.0; },
        [&](const Task& task) {
          weigh_by_distance(task);
          weighed.push_back(task.query);
        });
    by_distance += count_of_different(weighed);
    irregular.insert(irregular.end(), weighed.begin(), weighed.end());
    singular += count_of_different(irregular);
  }

 private:
  static std::int64_t count_of_different(std::vector<std::int64_t>& queries) {
    std::ranges::sort(queries);
    return std::unique(queries.begin(), queries.end()) - queries.begin();
  }

  const std::int32_t* ids_of(std::int64_t query) const { return input_.ids.data() + query * k_; }

  double value(std::size_t column, std::int64_t query, int rank) const {
    return input_.columns[column][static_cast<std::size_t>(ids_of(query)[rank])];
  }

  /// Adds the tasks of a query: one, unless different attributes are not finite at different neighbours.
  void add_tasks(std::int64_t query, std::vector<Task>& tasks) {
    const std::size_t first = tasks.size();
    std::uint64_t present = 0;
    for (int rank = 0; rank < k_; ++rank)
      present |= static_cast<std::uint64_t>(ids_of(query)[rank] != k_missing_id) << rank;
    for (std::size_t c = 0; c < input_.columns.size(); ++c) {
      std::uint64_t usable = present;
      for (int rank = 0; rank < k_; ++rank)
        if ((present >> rank & 1) && !std::isfinite(value(c, query, rank))) {
          usable &= ~(std::uint64_t{1} << rank);
          ++nan_values;
        }
      if (usable == 0) {
        out_.columns[c][query] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      const auto same = std::find_if(tasks.begin() + static_cast<std::ptrdiff_t>(first), tasks.end(),
                                     [&](const Task& t) { return t.usable == usable; });
      if (same != tasks.end()) {
        same->columns.push_back(c);
      } else {
        tasks.push_back({query, usable, {c}, {}, {}, {}, monomials_});
        place_points(tasks.back());
      }
    }
  }

  /// Neighbours at the same place become one point, unless smoothing keeps them apart.
  void place_points(Task& task) const {
    const std::size_t d = static_cast<std::size_t>(input_.dimensions);
    for (int rank = 0; rank < k_; ++rank) {
      if (!(task.usable >> rank & 1)) continue;
      const std::int32_t id = ids_of(task.query)[rank];
      const auto at = [&](std::int32_t i) { return input_.data.subspan(static_cast<std::size_t>(i) * d, d); };
      auto place = task.ids.end();
      if (input_.options.smoothing == 0)
        place = std::ranges::find_if(task.ids, [&](std::int32_t i) { return std::ranges::equal(at(i), at(id)); });
      task.point.push_back(static_cast<std::uint8_t>(place - task.ids.begin()));
      if (place != task.ids.end()) {
        task.copies[task.point.back()] += 1;
      } else {
        task.ids.push_back(id);
        task.copies.push_back(1);
      }
    }
  }

  unsigned independent(const Task& task) const {
    return independent_monomials(monomials_, input_.data, input_.dimensions, task.ids);
  }

  /// The means of an attribute at the points of a task.
  std::array<double, k_max_points> point_values(const Task& task, std::size_t column) const {
    std::array<double, k_max_points> means{};
    std::size_t i = 0;
    for (int rank = 0; rank < k_; ++rank)
      if (task.usable >> rank & 1) means[task.point[i++]] += value(column, task.query, rank);
    for (std::size_t p = 0; p < task.copies.size(); ++p) means[p] /= task.copies[p];
    return means;
  }

  /// Solves the tasks, tasks of the same shape together; calls on_singular for each task whose system is singular.
  template <class Smallest, class F>
  void solve(std::vector<Task>& tasks, Smallest&& smallest_pivot, F&& on_singular) {
    const auto shape = [](const Task& t) { return std::tuple(t.ids.size(), t.monomials); };
    std::ranges::sort(tasks, [&](const Task& a, const Task& b) {
      return std::tuple(shape(a), a.query, a.usable) < std::tuple(shape(b), b.query, b.usable);
    });
    for (std::size_t begin = 0, end; begin < tasks.size(); begin = end) {
      for (end = begin + 1; end < tasks.size() && shape(tasks[end]) == shape(tasks[begin]) &&
                            end - begin < static_cast<std::size_t>(group_.lanes());)
        ++end;
      solve_group(std::span(tasks).subspan(begin, end - begin), smallest_pivot, on_singular);
    }
  }

  template <class Smallest, class F>
  void solve_group(std::span<const Task> tasks, Smallest&& smallest_pivot, F&& on_singular) {
    const int count = static_cast<int>(tasks.size());
    const LaneFlags flags =
        group_.weigh(static_cast<int>(tasks[0].ids.size()), tasks[0].monomials, count, smallest_pivot, [&](int lane) {
          return Neighborhood{tasks[lane].query, tasks[lane].ids.data()};
        });
    std::size_t most = 0;
    for (const Task& task : tasks) most = std::max(most, task.columns.size());
    std::vector<std::array<double, k_max_points>> values(tasks.size());
    for (std::size_t c = 0; c < most; ++c) {
      for (std::size_t t = 0; t < tasks.size(); ++t)
        if (c < tasks[t].columns.size()) values[t] = point_values(tasks[t], tasks[t].columns[c]);
      group_.sum_values(count, [&](int lane, double* to, int step) {
        for (std::size_t i = 0; i < tasks[0].ids.size(); ++i) to[static_cast<int>(i) * step] = values[lane][i];
      });
      for (int lane = 0; lane < count; ++lane)
        if (c < tasks[lane].columns.size()) out_.columns[tasks[lane].columns[c]][tasks[lane].query] = group_.sum(lane);
    }
    for (int lane = 0; lane < count; ++lane)
      if (flags.singular >> lane & 1) on_singular(tasks[lane]);
  }

  void weigh_by_distance(const Task& task) {
    const int d = input_.dimensions;
    const double* const query = input_.queries.data() + task.query * d;
    interpolation::InverseDistanceMean mean;
    for (const std::size_t column : task.columns) {
      mean.clear();
      for (int rank = 0; rank < k_; ++rank) {
        if (!(task.usable >> rank & 1)) continue;
        const double* const point =
            input_.data.data() + std::int64_t{input_.ids[static_cast<std::size_t>(task.query * k_ + rank)]} * d;
        mean.add(value(column, task.query, rank),
                 {point[0] - query[0], point[1] - query[1], d == 3 ? point[2] - query[2] : 0});
      }
      out_.columns[column][task.query] = mean.mean();
    }
  }

  const RbfInput& input_;
  RbfValues& out_;
  const std::int64_t k_;
  const unsigned monomials_;
  LaneGroup group_;
};

}  // namespace

void interpolate_irregular(const RbfInput& input, RbfValues& values) {
  Array<std::int64_t> queries;
  for (std::int64_t query = 0; query < input.query_count(); ++query)
    if (values.states[query] == QueryState::irregular) queries.push_back(query);
  std::atomic<std::int64_t> singular{0}, by_distance{0}, nan_values{0};
  constexpr std::int64_t grain = 64;
  base::parallel_chunks(std::ssize(queries), grain, input.threads, [&](std::int64_t begin, std::int64_t end) {
    Piece piece(input, values);
    piece.run(std::span<const std::int64_t>(queries).subspan(begin, end - begin));
    singular += piece.singular;
    by_distance += piece.by_distance;
    nan_values += piece.nan_values;
  });
  values.singular = singular;
  values.by_distance = by_distance;
  values.nan_values = nan_values;
}

}  // namespace kann::cpu
