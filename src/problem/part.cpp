#include "problem/part.hpp"

namespace kann::problem {

Problem part_of(const Problem& whole, std::int64_t begin, std::int64_t end) {
  Problem part = whole;
  part.queries = whole.queries + begin * whole.dimensions;
  if (whole.given_queries) part.given_queries = whole.given_queries + begin * whole.dimensions;
  part.query_count = end - begin;
  if (whole.queries_are_data()) part.first_query = whole.first_query + begin;
  part.sample.clear();
  for (const std::int64_t query : whole.sample)
    if (query >= begin && query < end) part.sample.push_back(static_cast<std::uint32_t>(query - begin));
  part.rows = {};
  part.on_progress = nullptr;
  part.on_rows = nullptr;
  return part;
}

}  // namespace kann::problem
