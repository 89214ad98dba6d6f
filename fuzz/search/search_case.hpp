// One search: two clouds and the options that decide the answer: rows, and with a radius lists, half lists and
// clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kann/groups.hpp"
#include "kann/limits.hpp"
#include "kann/search.hpp"

#include "search/cloud.hpp"

namespace kann::fuzz {

struct SearchCase {
  FuzzCloud data;
  std::optional<FuzzCloud> queries;  ///< none: a self-query
  std::int64_t k = 8;
  Method method = Method::exact;
  std::optional<int> shifts;
  std::optional<std::int64_t> window;
  std::optional<double> radius;
  std::vector<double> periodic;  ///< SearchOptions::periodic; empty: no box
  Images images = Images::nearest;
  std::optional<AngleUnit> sky;
  std::optional<GroupRule> rule;   ///< of the labels of the clouds; none: there are no groups
  std::vector<std::int64_t> sets;  ///< of groups, as Groups has them
  std::int64_t min_points = 1;     ///< of clusters
  bool include_self = false;
  bool skip_invalid = false;
  std::uint64_t cut_seed = 1;  ///< where the queries are cut into pieces, and what else is in a piece

  const FuzzCloud& query_cloud() const { return queries ? *queries : data; }
  bool has_groups() const { return rule.has_value(); }
  bool has_lists() const { return radius && method == Method::exact; }
  bool has_half_lists() const { return has_lists() && !queries && !include_self && !has_groups(); }
  bool has_clusters() const;
};

/// Limits of each query.
struct OwnLimits {
  std::vector<double> radii, min_radii;
  std::vector<std::int32_t> excluded;

  Limits view() const { return {radii, min_radii, excluded}; }
};

/// Limits for a case, always the same: radii from 0 to all, some of them exactly the distance of a neighbour.
OwnLimits random_limits(const SearchCase& c);

/// The case number `number` of a seed: always the same. The first ones search each named cloud in each way.
SearchCase random_case(std::uint64_t seed, std::uint64_t number);

/// What a run of a case may differ in without another answer.
struct Where {
  DeviceKind device = DeviceKind::cpu;
  int threads = 1;
  std::optional<Method> method = {};  ///< in the place of the case's
  bool in_index = false;
};

/// What a case is asked for.
enum class Answer { rows, lists, half_lists, clusters };

SearchOptions options_of(const SearchCase& c, const Where& where);

/// Writes the clouds to files in `folder`, and returns the command that runs the case on them.
/// @throws std::runtime_error.
std::string write_case(const SearchCase& c, const Where& where, Answer answer, const std::string& folder);

}  // namespace kann::fuzz
