#include "search/sample_recall.hpp"

#include <algorithm>
#include <span>

#include "geometry/distance.hpp"

namespace kann::detail {
namespace {

/// Squared distances of one query in float64, from the coordinates as they were given.
class SquaredDistances {
 public:
  SquaredDistances(const problem::Problem& p, std::int64_t query) : p_(p) {
    for (int a = 0; a < p.dimensions; ++a) query_[a] = at(p.given_queries, p.queries, query, a);
  }

  double operator()(std::int64_t point) const {
    double difference[3] = {};
    for (int a = 0; a < p_.dimensions; ++a) difference[a] = query_[a] - at(p_.given_data, p_.data, point, a);
    return geometry::sq_distance_3d(difference[0], difference[1], difference[2]);
  }

 private:
  double at(const double* given, const float* in_frame, std::int64_t row, int axis) const {
    const std::int64_t i = row * p_.dimensions + axis;
    return given ? given[i] : static_cast<double>(in_frame[i]);
  }

  const problem::Problem& p_;
  double query_[3] = {};
};

}  // namespace

Sample sample_recall(const problem::Problem& p, const problem::Answer& answer) {
  const std::int64_t size = p.list_size();
  std::int64_t expected = 0, found = 0;
  for (std::size_t s = 0; s < p.sample.size(); ++s) {
    const std::int64_t query = p.sample[s];
    const SquaredDistances sq_dist_to(p, query);
    const auto exact = std::span(answer.sample_ids).subspan(s * static_cast<std::size_t>(size), size);
    const std::int64_t neighbors = std::ranges::find(exact, k_missing_id) - exact.begin();
    if (neighbors == 0) continue;
    double last = 0;  // rows are in the order of distances as they are written: not always that of the last neighbour
    for (const std::int32_t id : exact.first(neighbors)) last = std::max(last, sq_dist_to(id));
    const auto row = std::span(answer.neighbors.ids).subspan(query * p.k, neighbors);
    expected += neighbors;
    found += std::ranges::count_if(row, [&](auto id) { return id != k_missing_id && sq_dist_to(id) <= last; });
  }
  Sample sample;
  sample.queries = static_cast<std::int64_t>(p.sample.size());
  if (expected > 0) sample.recall = static_cast<double>(found) / static_cast<double>(expected);
  return sample;
}

}  // namespace kann::detail
