#include "accuracy/stored_reference.hpp"

#include <algorithm>
#include <array>

namespace kann::accuracy {

void find_stored(const Neighbors& neighbors, const RowRules& rules, std::int64_t query, std::int64_t count,
                 std::vector<Nearest>& nearest) {
  const std::array<double, 3> point = rules.queries[query];
  const std::int64_t own = rules.own_id(query);
  nearest.clear();
  for (std::int64_t r = 0; r < neighbors.k; ++r) {
    const std::int32_t id = neighbors.ids[query * neighbors.k + r];
    if (id == k_missing_id || id == own || !rules.data.is_finite(id)) continue;
    if (rules.radius.excludes(query, id)) continue;
    nearest.push_back({rules.sq_dist(point.data(), id), id});
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  if (static_cast<std::int64_t>(nearest.size()) > count) nearest.resize(static_cast<std::size_t>(count));
}

}  // namespace kann::accuracy
