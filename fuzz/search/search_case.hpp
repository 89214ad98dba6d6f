// One search: two clouds and the options that decide the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::vector<double> periodic;  ///< the sides of a box; empty: none
  bool include_self = false;
  bool skip_invalid = false;
  std::uint64_t cut_seed = 1;  ///< where the queries are cut into pieces, and what else is in a piece

  const FuzzCloud& query_cloud() const { return queries ? *queries : data; }
};

/// The case number `number` of a seed: always the same.
SearchCase random_case(std::uint64_t seed, std::uint64_t number);

/// What a run of a case may differ in without another answer.
struct Where {
  DeviceKind device = DeviceKind::cpu;
  int threads = 1;
  std::optional<Method> method = {};  ///< in the place of the case's
};

SearchOptions options_of(const SearchCase& c, const Where& where);

/// Writes the clouds to `folder`/data.npy and query.npy, and returns the command that runs the case on them.
std::string write_case(const SearchCase& c, const Where& where, const std::string& folder);

/// Writes a cloud as an array of shape (n, d). @throws std::runtime_error.
void write_npy(const FuzzCloud& cloud, const std::string& path);

}  // namespace kann::fuzz
