#include "search/rows/radius.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/threads/parallel.hpp"
#include "geometry/within_radius.hpp"

namespace kann::detail {
namespace {

constexpr float k_infinity = std::numeric_limits<float>::infinity();

}  // namespace

Within keep_within(double radius, Method method, int threads, const Difference& difference, Neighbors& rows) {
  const geometry::WithinRadius is_within(radius);
  // The distances of a shifted sort may be off by more
  const geometry::DecidedDistances decided =
      method == Method::exact ? geometry::DecidedDistances(radius) : geometry::DecidedDistances();
  const auto keep_in_row = [&](std::int64_t query) {
    std::int32_t* const ids = rows.ids.data() + query * rows.k;
    float* const distances = rows.distances.data() + query * rows.k;
    std::int64_t kept = 0;
    for (std::int64_t r = 0; r < rows.k && ids[r] != k_missing_id; ++r) {
      if (distances[r] > decided.beyond) break;  // the distances that follow are not smaller
      if (!(distances[r] < decided.within) && !is_within(difference(query, ids[r]))) continue;
      ids[kept] = ids[r];
      distances[kept++] = distances[r];
    }
    std::fill(ids + kept, ids + rows.k, k_missing_id);
    std::fill(distances + kept, distances + rows.k, k_infinity);
    return kept;
  };

  std::atomic<std::int64_t> total{0}, full_rows{0};
  constexpr std::int64_t grain = 4096;
  base::parallel_chunks(rows.queries, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t kept = 0, full = 0;
    for (std::int64_t query = begin; query < end; ++query) {
      const std::int64_t in_row = keep_in_row(query);
      kept += in_row;
      full += in_row == rows.k;
    }
    total += kept;
    full_rows += full;
  });
  return {total, full_rows};
}

}  // namespace kann::detail
