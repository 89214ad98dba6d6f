// What the tests of kann::search have in common.
#pragma once

#include "kann/search.hpp"

#include "problems.hpp"

namespace kann::test {

inline SearchOptions cpu_options(std::int64_t k = 5, Method method = Method::exact) {
  SearchOptions options;
  options.k = k;
  options.method = method;
  options.device.kind = DeviceKind::cpu;
  return options;
}

/// The search of a case, a self-query if it has no queries.
inline SearchResult search_case(const Case& c, const SearchOptions& options) {
  return c.queries ? search(c.data, *c.queries, options) : search_self(c.data, options);
}

/// The coordinates, times `factor` plus `offset`, in float64.
inline Points in_double(const Points& p, double factor, double offset) {
  Array<double> c;
  for (const float x : std::get<Array<float>>(p.coordinates)) c.push_back(x * factor + offset);
  return Points{p.dimensions, c};
}

}  // namespace kann::test
