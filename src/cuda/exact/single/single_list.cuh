// The nearest points of one query, in the shared memory of a warp. Points are offered 32 at a time; those that float32
// does not leave out are candidates, whose exact keys are computed when there are many of them.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// A point within the bound: its place and its key. Until the key is computed, key.high has the bits of the float32
/// squared distance. Read in one load.
struct alignas(16) SingleCandidate {
  thread::ExactKey key;
  std::uint32_t place;
};

/// The shared memory of a list of up to K neighbours, a multiple of 32: the neighbours so far, in order, and after them
/// the candidates of two rounds.
template <int K>
struct SingleListMemory {
  static constexpr int k_capacity = K + 2 * warp::k_lanes;
  SingleCandidate candidates[k_capacity];
};

/// All 32 lanes of a warp call every function, and agree in all members.
template <int K, class Real>
class SingleList {
 public:
  using Memory = SingleListMemory<K>;

  __device__ __forceinline__ SingleList(const Search<Real>& search, const PlacedPoint& point, Memory& s_memory)
      : search_(search), query_(search, point), s_(s_memory) {
    begin(INFINITY);
  }

  /// Empties the list. Points whose float32 squared distance is more than `bound` will not enter it.
  __device__ __forceinline__ void begin(float bound) {
    bound_ = bound;
    limit_ = query_.exact_above(bound);
    kept_ = count_ = 0;
  }

  __device__ __forceinline__ const Query<Real>& query() const { return query_; }
  /// Whether there are as many neighbours as are wanted, so that the last of them bounds the search.
  __device__ __forceinline__ bool is_full() const { return kept_ == static_cast<int>(search_.list_size); }
  /// The key of the last neighbour. The list must be full.
  __device__ __forceinline__ thread::ExactKey last() const { return s_.candidates[kept_ - 1].key; }
  /// The maximum squared distance of a neighbour: the float32 one, and the exact one.
  __device__ __forceinline__ float bound() const { return bound_; }
  __device__ __forceinline__ double limit() const { return limit_; }

  /// Offers the point at a place to the list, if `is_point`; both may differ between lanes.
  __device__ __forceinline__ void offer(std::uint32_t place, bool is_point) {
    float sq_dist = NAN;
    if (is_point) {
      const PlacedPoint point = search_.tree.d_points[place];
      if (!query_.is(point.index)) sq_dist = query_.sq_dist_to(point);
    }
    const bool is_near = sq_dist <= bound_;
    const unsigned near = __ballot_sync(warp::k_all_lanes, is_near);
    if (is_near) {
      SingleCandidate& s_own = s_.candidates[count_ + __popc(near & ((1u << warp::lane_id()) - 1))];
      s_own.key.high = __float_as_uint(sq_dist);
      s_own.place = place;
    }
    count_ += __popc(near);
    if (count_ > Memory::k_capacity - warp::k_lanes) flush();
  }

  /// Keeps the nearest of all candidates, in order, and lowers the bound.
  __device__ __forceinline__ void flush() {
    if (count_ == kept_) return;
    const int lane = warp::lane_id();
    __syncwarp();  // the candidates are written
    // For few candidates, and for long lists, it takes longer than the exact keys that it saves
    if (count_ - kept_ > warp::k_lanes + static_cast<int>(search_.list_size) / 2) tighten();
    const thread::ExactKey most = is_full() ? last() : thread::ExactKey();
    int present = kept_;
#pragma unroll 1
    for (int begin = kept_; begin < count_; begin += warp::k_lanes) {
      thread::ExactKey key;
      if (begin + lane < count_) {
        const SingleCandidate& s_own = s_.candidates[begin + lane];
        if (__uint_as_float(s_own.key.high) <= bound_) key = query_.key_of(search_.tree.d_given[s_own.place]);
      }
      const bool is_near = key < most;
      const unsigned near = __ballot_sync(warp::k_all_lanes, is_near);
      __syncwarp();  // these candidates have been read
      if (is_near) s_.candidates[present + __popc(near & ((1u << lane) - 1))].key = key;
      present += __popc(near);
    }
    __syncwarp();  // the keys are written
    sort(present);
    count_ = kept_;
    if (!is_full()) return;
    limit_ = fmin(limit_, last().sq_dist());
    bound_ = fminf(bound_, query_.filter_above(limit_));
  }

  /// Writes the row of the query. Call after flush().
  __device__ __forceinline__ void write(const ResultRows& rows) const {
    std::int32_t* const d_ids = rows.d_ids + query_.row * rows.k;
    float* const d_distances = rows.d_distances + query_.row * rows.k;
    NeighborKey written[k_rows];  // keys of (distance, index)
    bool is_ordered = true;
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      const int entry = r * warp::k_lanes + warp::lane_id();
      const thread::ExactKey key = entry < kept_ ? s_.candidates[entry].key : thread::ExactKey();
      written[r] = entry < kept_ ? neighbor_key(thread::float_root(key.sq_dist()), key.index) : k_absent;
      NeighborKey before = __shfl_up_sync(warp::k_all_lanes, written[r], 1);
      if (r > 0) {
        const NeighborKey end = __shfl_sync(warp::k_all_lanes, written[r > 0 ? r - 1 : 0], warp::k_lanes - 1);
        if (warp::lane_id() == 0) before = end;
      }
      is_ordered &= entry == 0 || before <= written[r];
    }
    // Squared distances that differ may have the same root: rows are in the order of (distance, index)
    is_ordered = __all_sync(warp::k_all_lanes, is_ordered);
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      const int entry = r * warp::k_lanes + warp::lane_id();
      int place = entry;
      if (!is_ordered) {
        place = 0;
#pragma unroll
        for (int other = 0; other < k_rows; ++other)
#pragma unroll 1
          for (int lane = 0; lane < warp::k_lanes; ++lane)
            place += __shfl_sync(warp::k_all_lanes, written[other], lane) < written[r];
      }
      if (entry >= kept_) continue;
      d_ids[place] = neighbor_id(written[r]);
      d_distances[place] = sq_dist_of(written[r]);
    }
    for (std::int64_t j = kept_ + warp::lane_id(); j < rows.k; j += warp::k_lanes) {
      d_ids[j] = k_missing_id;
      d_distances[j] = INFINITY;
    }
  }

 private:
  static constexpr int k_rows = K / warp::k_lanes;
  static constexpr int k_rounds = Memory::k_capacity / warp::k_lanes;

  /// Lowers the bound to what the first 64 of the new candidates prove by their float32 squared distances.
  __device__ __forceinline__ void tighten() {
    const auto sq_dist_of = [&](int i) {
      return i < count_ ? __uint_as_float(s_.candidates[i].key.high) : static_cast<float>(INFINITY);
    };
    float own = sq_dist_of(kept_ + warp::lane_id()), other = sq_dist_of(kept_ + warp::k_lanes + warp::lane_id());
    float last = 0;  // the greatest distance of the list_size nearest candidates
    for (std::int64_t i = 0; i < search_.list_size; ++i) {
      last = warp::reduce_min(fminf(own, other));
      const unsigned those = __ballot_sync(warp::k_all_lanes, fminf(own, other) == last);
      if (warp::lane_id() != __ffs(static_cast<int>(those)) - 1) continue;
      own <= other ? own = INFINITY : other = INFINITY;
    }
    bound_ = fminf(bound_, query_.filter_above(query_.exact_above(last)));
  }

  /// Keeps the list_size smallest of the first `count` keys, in order: the place of a key is the number of smaller
  /// ones.
  __device__ __forceinline__ void sort(int count) {
    const int lane = warp::lane_id();
    thread::ExactKey own[k_rounds];
    int place[k_rounds] = {};
#pragma unroll
    for (int r = 0; r < k_rounds; ++r) {
      if (r * warp::k_lanes >= count) break;
      if (r * warp::k_lanes + lane < count) own[r] = s_.candidates[r * warp::k_lanes + lane].key;
#pragma unroll 4
      for (int other = 0; other < count; ++other) place[r] += s_.candidates[other].key < own[r];
    }
    __syncwarp();  // all keys have been read
    kept_ = min(count, static_cast<int>(search_.list_size));
#pragma unroll
    for (int r = 0; r < k_rounds; ++r)
      if (!own[r].is_absent() && place[r] < kept_) s_.candidates[place[r]].key = own[r];
    __syncwarp();  // the kept keys are in order
  }

  const Search<Real>& search_;
  const Query<Real> query_;
  Memory& s_;
  float bound_ = 0;
  double limit_ = 0;
  int kept_ = 0, count_ = 0;  // neighbours, and with them all candidates
};

}  // namespace kann::cuda::exact
