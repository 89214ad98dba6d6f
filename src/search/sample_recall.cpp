#include "search/sample_recall.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "base/seconds_since.hpp"
#include "geometry/within_radius.hpp"
#include "problem/sample.hpp"
#include "search/given_distance.hpp"

namespace kann::detail {
namespace {

/// The points with these numbers.
template <class T>
Array<T> points_of(const T* points, const std::vector<std::int64_t>& numbers, int dimensions) {
  Array<T> some;
  some.reserve(numbers.size() * static_cast<std::size_t>(dimensions));
  for (const std::int64_t number : numbers)
    some.insert(some.end(), points + number * dimensions, points + (number + 1) * dimensions);
  return some;
}

}  // namespace

RecallSample::RecallSample(const problem::Problem& p,
                           const std::function<problem::Answer(const problem::Problem&)>& solve)
    : queries_(problem::sample_numbers(p.query_count, problem::k_sample_size)) {
  const auto start = std::chrono::steady_clock::now();
  const Array<float> in_frame = points_of(p.queries, queries_, p.dimensions);
  Array<double> given;
  if (p.is_rounded()) given = points_of(p.given_queries, queries_, p.dimensions);
  problem::Problem exact = p;
  exact.method = Method::exact;
  // A query that is a data point finds itself, too, or k others at the same place
  exact.k = p.k + (p.drop_self ? 1 : 0);
  exact.drop_self = false;
  exact.first_query = 0;
  exact.queries = in_frame.data();
  exact.given_queries = p.is_rounded() ? given.data() : nullptr;
  exact.query_count = static_cast<std::int64_t>(queries_.size());
  exact.parts = {};
  exact.on_progress = {};
  exact_ = solve(exact).neighbors;
  seconds_ = base::seconds_since(start);
}

Sample RecallSample::recall(const problem::Problem& p, const Neighbors& rows, std::optional<double> radius) const {
  std::int64_t expected = 0, found = 0;
  for (std::size_t s = 0; s < queries_.size(); ++s) {
    const std::int64_t query = queries_[s], own = p.drop_self ? p.first_query + query : k_missing_id;
    const FromQuery from(p, query);
    std::vector<double> nearest;  // d² of the exact neighbours: rows are in the order of written distances
    for (const std::int32_t id : std::span(exact_.ids).subspan(s * static_cast<std::size_t>(exact_.k), exact_.k))
      if (id != k_missing_id && id != own && (!radius || geometry::WithinRadius(*radius)(from.difference_to(id))))
        nearest.push_back(from.sq_dist_to(id));
    std::ranges::sort(nearest);
    nearest.resize(std::min(nearest.size(), static_cast<std::size_t>(p.k)));
    const auto row = std::span(rows.ids).subspan(static_cast<std::size_t>(query * rows.k), nearest.size());
    expected += std::ssize(nearest);
    found += std::ranges::count_if(
        row, [&](auto id) { return id != k_missing_id && from.sq_dist_to(id) <= nearest.back(); });
  }
  Sample sample{std::ssize(queries_), {}};
  if (expected > 0) sample.recall = static_cast<double>(found) / static_cast<double>(expected);
  return sample;
}

}  // namespace kann::detail
