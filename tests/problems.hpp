// Searches that every backend must answer with the same bytes: one per kind of cloud.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "problem/prepare.hpp"

namespace kann::test {

/// Data and queries from the same kind of cloud; no queries in a self-query.
struct Case {
  std::string name;
  Points data;
  std::optional<Points> queries;

  problem::Prepared prepare(const SearchOptions& options) const {
    return problem::prepare(data, queries ? std::optional<PointsView>(*queries) : std::nullopt, options);
  }
};

/// Per kind of cloud, a search of `m` queries in `n` points, every fourth query a data point, and a self-query.
inline std::vector<Case> cases(std::int64_t n, std::int64_t m, int d, std::uint64_t seed,
                               const std::vector<CloudKind>& kinds = all_clouds()) {
  std::vector<Case> all;
  for (const auto& kind : kinds) {
    const std::string name =
        kind.name + " n=" + std::to_string(n) + " m=" + std::to_string(m) + " d=" + std::to_string(d);
    const Coordinates data = kind.make(n, d, seed);
    Coordinates queries = kind.make(m, d, seed + 1);
    for (std::size_t i = 0; i < std::min(data.size(), queries.size()); ++i)
      if (i / d % 4 == 0) queries[i] = data[i];
    all.push_back({name, to_points(data, d), to_points(queries, d)});
    all.push_back({name + " self", to_points(data, d), std::nullopt});
  }
  return all;
}

}  // namespace kann::test
