#include "cpu/own_places.hpp"

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"

namespace kann::cpu {

Array<std::uint32_t> own_places(const Problem& p, const Array<std::uint32_t>& data_rows,
                                const Array<std::uint32_t>& query_rows) {
  Array<std::uint32_t> by_query, places;
  base::resize_fresh(by_query, p.query_count);
  base::resize_fresh(places, p.query_count);
  base::parallel_for(p.data_count, p.threads, [&](std::int64_t place) {
    const std::int64_t query = static_cast<std::int64_t>(data_rows[place]) - p.first_query;
    if (query >= 0 && query < p.query_count) by_query[query] = static_cast<std::uint32_t>(place);
  });
  base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { places[i] = by_query[query_rows[i]]; });
  return places;
}

double own_places_bytes(const Problem& p) {
  return p.is_part_of_self_query() ? 8.0 * static_cast<double>(p.query_count) : 0;
}

}  // namespace kann::cpu
