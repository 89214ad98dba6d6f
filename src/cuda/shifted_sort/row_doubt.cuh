// Whether the row of a query is doubtful (geometry/doubt.hpp), from its window in shift 0 and its finished list.
#pragma once

#include "cuda/runtime/names.hpp"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/thread/query.cuh"
#include "geometry/doubt.hpp"

namespace kann::cuda {

template <int D>
__device__ __forceinline__ void set_cell(const PlacedPoint& p, const Grid& grid, std::uint32_t (&cell)[D]) {
  const Coordinates<float> point = coordinates_of(p);
#pragma unroll
  for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point.axis[a], grid.lo[a], grid.inv);
}

template <int D>
__device__ __forceinline__ bool is_row_doubtful_in(const Windows& w, std::int64_t slot, const thread::Query& query,
                                                   const Evidence& evidence, float nearest, float last) {
  const Window window = window_around(w.d_first_ranks[slot], w.window, w.data_count);
  std::uint32_t own[D];
  set_cell<D>({query.x, query.y, query.z, 0}, w.grid, own);
  const WindowEnds ends = ends_of<D>(
      window, w.data_count, own, run_reach(w.doubt, last),
      [&](std::int64_t place, std::uint32_t(&cell)[D]) { set_cell<D>(w.d_first[place], w.grid, cell); },
      [&](std::int64_t place) { return query.sq_dist_to(w.d_first[place]); });
  const double* const d_given =
      w.d_given_queries ? w.d_given_queries + static_cast<std::int64_t>(query.row) * D : nullptr;
  const float point[] = {query.x, query.y, query.z};
  const float rounding = query_rounding<D>(w.doubt, point, d_given, w.unit);
  return is_doubtful(w.doubt, evidence, ends, rounding, nearest, last);
}

/// Whether the row of a query is doubtful. `slot`: the query's place in the order of the queries. `nearest`, `last`:
/// the squared distances of the first and the last of the list_size neighbours, NaN if there are fewer. Called by one
/// thread; w.d_first must not be null.
__device__ __forceinline__ bool is_row_doubtful(const Windows& w, std::int64_t slot, const thread::Query& query,
                                                const Evidence& evidence, float nearest, float last) {
  return w.dimensions == 3 ? is_row_doubtful_in<3>(w, slot, query, evidence, nearest, last)
                           : is_row_doubtful_in<2>(w, slot, query, evidence, nearest, last);
}

}  // namespace kann::cuda
