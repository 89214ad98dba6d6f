// All points within a radius of each query, in rows of any length: counted, then written, then sorted.
#pragma once

#include <cstdint>

#include "cuda/exact/search.hpp"
#include "cuda/runtime/names.hpp"
#include "geometry/distance.hpp"
#include "geometry/within_radius.hpp"

namespace kann::cuda::exact {

/// Some rows that follow each other, in device memory.
struct ListRows {
  std::int64_t first, last;               ///< rows [first, last)
  const std::int64_t* d_begins;           ///< where each row begins among all rows; one more than there are rows
  std::int64_t first_begin;               ///< d_begins[first]: where the arrays below begin
  NeighborKey* d_keys;                    ///< distances as they are written, and ids
  std::int64_t capacity;                  ///< of that array: rows that end later are left out
  const std::int32_t* d_names = nullptr;  ///< as ListsOnDevice::d_names

#ifdef __CUDACC__
  /// Whether a row is written.
  __device__ __forceinline__ bool has(std::int64_t row) const {
    return row >= first && row < last && d_begins[row] < d_begins[row + 1] &&
           d_begins[row + 1] - first_begin <= capacity;
  }
#endif
};

/// Sets d_counts[row] of all queries. Queued on `stream`. Search::list_size and d_data_keys are not used, here and
/// below.
template <class Real>
void count_within(cudaStream_t stream, const Search<Real>& search, const WithinRadius& within, std::uint32_t* d_counts);

/// Writes the keys of some rows, each in any order. Queued on `stream`.
template <class Real>
void find_within(cudaStream_t stream, const Search<Real>& search, const WithinRadius& within, const ListRows& rows);

/// d_begins[i] = the sum of the first i of `count` counts, for i = 0 … count. Queued on the pool's stream.
/// @param d_are_valid null, or whether each count is one; else it is taken as 0
void begins_of(Pool& pool, const std::uint32_t* d_counts, const bool* d_are_valid, std::int64_t count,
               std::int64_t* d_begins);

/// Sorts the keys of each row, and writes them to d_ids and d_distances, whose first values are those of row `first`.
/// Queued on `stream`. @param d_scratch for rows longer than k_sorted_in_registers, as many keys as there are
void sort_rows(cudaStream_t stream, const ListRows& rows, NeighborKey* d_scratch, std::int32_t* d_ids,
               float* d_distances);

inline constexpr std::int64_t k_sorted_in_registers = 512;

}  // namespace kann::cuda::exact
