// Writes the row of a query whose neighbours are known by their places in the data.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/result_row.cuh"

namespace kann::cuda::exact {

/// Writes row `row`: `count` ≤ K neighbours, in any order, the j-th of which is at place place_at(j) of the tree's
/// points. Returns false, and writes nothing, if the rounding of a distance is not certain. That concerns one row in
/// 10⁵: searching for it again costs less than code for it here. Called by one thread.
template <int K, class Real, class PlaceAt>
__device__ __forceinline__ bool write_neighbors(const BoxTreeView<Real>& tree, const Query<Real>& query, int count,
                                                PlaceAt place_at, const ResultRows& rows, std::int64_t row) {
  constexpr int at_once = K < 8 ? K : 8;  // points are loaded before the first is used
  thread::ResultRow<K> result;
  bool are_certain = true;
#pragma unroll
  for (int begin = 0; begin < K; begin += at_once) {
    Point<Real> points[at_once]{};
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (begin + j < count) points[j] = tree.d_given[place_at(begin + j)];
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const thread::ExactKey key = query.key_of(points[j]);
      const thread::RoughRoot root(key.sq_dist());
      const bool is_present = begin + j < count;
      are_certain &= root.is_certain() || !is_present;
      result.set(begin + j, root.value(), key.index, is_present);
    }
  }
  if (are_certain) result.write(rows, row);
  return are_certain;
}

}  // namespace kann::cuda::exact
