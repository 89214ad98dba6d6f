// The nearest points of one query by float32 distances that are exact, as on lattices (geometry/lattice.hpp), where
// many points are equally far and LongList does not decide.
#pragma once

#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/warp/candidate_list.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::exact {

/// As LongList. Every float32 squared distance that is appended must be below exact_float32_limit().
template <int K>
class LatticeList {
 public:
  using Key = thread::ExactKey;
  using Memory = typename warp::CandidateList<K>::Memory;
  static constexpr bool k_is_exact = true;
  static constexpr double k_rounding = 0;

  __device__ __forceinline__ LatticeList(const BoxTreeView<float>& tree, const Query<float>&, int size,
                                         Memory& s_memory)
      : tree_(tree), list_(s_memory, size) {}

  __device__ __forceinline__ bool is_full() const { return list_.is_full(); }
  __device__ __forceinline__ bool needs_flush() const { return list_.needs_flush(2); }
  __device__ __forceinline__ int size() const { return list_.size(); }
  __device__ __forceinline__ int count() const { return list_.count(); }
  __device__ __forceinline__ Key last() const {
    return Key({sq_dist_of(list_.last()), static_cast<std::uint32_t>(list_.last())});
  }

  __device__ __forceinline__ void append(std::uint32_t place, float sq_dist, bool is_candidate) {
    const NeighborKey key = is_candidate ? neighbor_key(sq_dist, tree_.d_points[place].index) : k_absent;
    // If many points are equally far, as at one place, most of them come after the last neighbour
    list_.append(key, is_candidate && !(is_full() && key > list_.last()));
  }

  __device__ __forceinline__ bool flush(double) {
    list_.flush();
    return true;
  }

  /// Sets `radius` to −1, which means that it is of no use.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row, float& radius) const {
    list_.write(rows, row);
    radius = -1;
    return true;
  }

 private:
  const BoxTreeView<float>& tree_;
  warp::CandidateList<K> list_;
};

}  // namespace kann::cuda::exact
