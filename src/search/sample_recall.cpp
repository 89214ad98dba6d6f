#include "search/sample_recall.hpp"

#include <algorithm>
#include <span>

#include "geometry/within_radius.hpp"
#include "search/given_distance.hpp"

namespace kann::detail {
Sample sample_recall(const problem::Problem& p, const problem::Answer& answer, std::optional<double> radius) {
  const std::int64_t size = p.list_size();
  std::int64_t expected = 0, found = 0;
  for (std::size_t s = 0; s < p.sample.size(); ++s) {
    const std::int64_t query = p.sample[s];
    const FromQuery from(p, query);
    std::int64_t neighbors = 0;
    double last = 0;  // d² of the farthest: rows are ordered by written distances, so that it may not be the last
    for (const std::int32_t id : std::span(answer.sample_ids).subspan(s * static_cast<std::size_t>(size), size)) {
      if (id == k_missing_id) break;
      if (radius && !geometry::WithinRadius(*radius)(from.difference_to(id))) continue;
      ++neighbors;
      last = std::max(last, from.sq_dist_to(id));
    }
    const auto row = std::span(answer.neighbors.ids).subspan(query * p.k, neighbors);
    expected += neighbors;
    found += std::ranges::count_if(row, [&](auto id) { return id != k_missing_id && from.sq_dist_to(id) <= last; });
  }
  Sample sample;
  sample.queries = static_cast<std::int64_t>(p.sample.size());
  if (expected > 0) sample.recall = static_cast<double>(found) / static_cast<double>(expected);
  return sample;
}

}  // namespace kann::detail
