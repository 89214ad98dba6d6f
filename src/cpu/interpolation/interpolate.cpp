#include "cpu/interpolation/interpolate.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/threads/parallel.hpp"
#include "cpu/interpolation/lane_group.hpp"

namespace kann::cpu {

using interpolation::k_max_points;
using interpolation::QueryState;
using interpolation::RbfInput;
using interpolation::RbfValues;

namespace {

/// Queries per piece of work. For each number of neighbours, all vectors but the last are full.
constexpr std::int64_t k_grain = 256;

/// Interpolates at the queries of a piece of work, which it groups by their number of neighbours.
class Pieces {
 public:
  Pieces(const RbfInput& input, RbfValues& out)
      : input_(input),
        out_(out),
        k_(input.k),
        monomials_(interpolation::monomials_of(input.options.degree, input.dimensions)),
        group_(input, static_cast<int>(std::max<std::int64_t>(1, k_)), interpolation::monomial_count(monomials_)) {}

  void run(std::int64_t begin, std::int64_t end) {
    for (auto& queries : by_points_) queries.clear();
    const int fewest = std::max(1, interpolation::monomial_count(monomials_));
    for (std::int64_t query = begin; query < end; ++query) {
      const int points = points_of(query);
      if (points >= fewest) {
        by_points_[static_cast<std::size_t>(points)].push_back(query);
      } else {
        out_.states[query] = QueryState::irregular;
      }
    }
    for (int points = fewest; points <= k_; ++points) {
      const std::vector<std::int64_t>& queries = by_points_[static_cast<std::size_t>(points)];
      const std::size_t lanes = static_cast<std::size_t>(group_.lanes());
      for (std::size_t first = 0; first < queries.size(); first += lanes) {
        if (!input_.columns.empty())
          for (std::size_t next = first + lanes; next < std::min(first + 2 * lanes, queries.size()); ++next)
            group_.prefetch(ids_of(queries[next]), points, input_.columns[0].data());
        run_group(points, std::span(queries).subspan(first, std::min(lanes, queries.size() - first)));
      }
    }
  }

 private:
  const std::int32_t* ids_of(std::int64_t query) const { return input_.ids.data() + query * k_; }

  /// The number of neighbours of a query; 0 if its row has a neighbour after a missing one.
  int points_of(std::int64_t query) const {
    const std::int32_t* const ids = ids_of(query);
    int points = 0;
    while (points < k_ && ids[points] != k_missing_id) ++points;
    for (std::int64_t i = points; i < k_; ++i)
      if (ids[i] != k_missing_id) return 0;
    return points;
  }

  void run_group(int points, std::span<const std::int64_t> queries) {
    const int count = static_cast<int>(queries.size());
    const LaneFlags flags = group_.weigh(points, monomials_, count, interpolation::smallest_pivot, [&](int lane) {
      return Neighborhood{queries[lane], ids_of(queries[lane])};
    });
    std::uint32_t irregular = flags.singular | (input_.options.smoothing == 0 ? flags.coincident : 0);
    for (std::size_t c = 0; c < input_.columns.size(); ++c) {
      const double* const column = input_.columns[c].data();
      irregular |= group_.sum_values(count, [&](int lane, double* values, int step) {
        const std::int32_t* const ids = ids_of(queries[lane]);
        for (int i = 0; i < points; ++i) values[i * step] = column[ids[i]];
      });
      for (int lane = 0; lane < count; ++lane) out_.columns[c][queries[lane]] = group_.sum(lane);
    }
    for (int lane = 0; lane < count; ++lane)
      out_.states[queries[lane]] = irregular >> lane & 1 ? QueryState::irregular : QueryState::done;
  }

  const RbfInput& input_;
  RbfValues& out_;
  const std::int64_t k_;
  const unsigned monomials_;
  LaneGroup group_;
  std::array<std::vector<std::int64_t>, k_max_points + 1> by_points_;
};

}  // namespace

RbfValues interpolate(const RbfInput& input) {
  RbfValues out;
  out.states.resize(static_cast<std::size_t>(input.query_count()));
  for (std::size_t c = 0; c < input.columns.size(); ++c) out.columns.emplace_back(input.query_count());
  base::parallel_chunks(input.query_count(), k_grain, input.threads,
                        [&](std::int64_t begin, std::int64_t end) { Pieces(input, out).run(begin, end); });
  return out;
}

}  // namespace kann::cpu
