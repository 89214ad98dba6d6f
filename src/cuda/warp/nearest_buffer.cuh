// The nearest candidates of each lane's query, in the shared memory of a warp: candidates are appended without a
// branch, and now and then all lanes drop all but the K nearest. These are found by a sorting network on words of 32
// bits, the leading bits of a squared distance and the candidate's entry: 9 instructions per candidate for K = 8, where
// inserting it into a sorted list of keys of 64 bits takes 46.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/shared_memory.cuh"

namespace kann::cuda::warp {

/// Called by all 32 lanes of a warp with the same `s_shared`, which no other warp uses; a lane has k_capacity > K
/// entries.
template <int K, int k_capacity>
class NearestBuffer {
 public:
  /// Entry i of a lane at i·32 + lane.
  struct Shared {
    float sq_dists[k_capacity * k_lanes];
    std::uint32_t numbers[k_capacity * k_lanes];
  };

  __device__ __forceinline__ explicit NearestBuffer(Shared& s_shared)
      : begin_(shared_address(&s_shared.sq_dists[lane_id()])), end_(begin_) {}

  /// Whether any lane has fewer than `count` free entries. Valid in all lanes.
  __device__ __forceinline__ bool needs_flush(int count) const {
    return __any_sync(k_all_lanes, end_ > begin_ + (k_capacity - count) * k_step);
  }

  /// Appends a candidate to the lane's, unless `sq_dist` is NaN or more than `bound`. There must be a free entry.
  __device__ __forceinline__ void append_within(float bound, float sq_dist, std::uint32_t number) {
    if (!(sq_dist <= bound)) return;
    store_shared(end_, __float_as_uint(sq_dist));
    store_shared(end_ + k_plane, number);
    end_ += k_step;
  }

  /// Keeps the K nearest of the lane's candidates, in the order of their distances as above() says them; of those that
  /// are equal, any. Returns above() of the last; infinite if there are fewer. May be NaN if distances are infinite.
  __device__ __forceinline__ float keep_nearest() {
    thread::SmallestValues<K, std::uint32_t> words;
    for (int first = 0; __any_sync(k_all_lanes, begin_ + first * k_step < end_); first += K) {
      std::uint32_t batch[K];
#pragma unroll
      for (int j = 0; j < K; ++j) {
        const unsigned s_entry = begin_ + (first + j) * k_step;
        batch[j] = s_entry < end_ ? (load_shared(s_entry) & ~k_entry_mask) + (first + j) : k_no_word;
      }
      words.offer(batch);
    }
    left_out_ = thread::smaller(left_out_, words.left_out());
    std::uint32_t sq_dists[K], numbers[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const unsigned s_entry = begin_ + (words[j] == k_no_word ? 0 : (words[j] & k_entry_mask) * k_step);
      sq_dists[j] = load_shared(s_entry);
      numbers[j] = load_shared(s_entry + k_plane);
    }
#pragma unroll
    for (int j = 0; j < K; ++j) {
      store_shared(begin_ + j * k_step, sq_dists[j]);
      store_shared(begin_ + j * k_step + k_plane, numbers[j]);
    }
    if (words.last() == k_no_word) return INFINITY;
    end_ = begin_ + K * k_step;
    return __uint_as_float(words.last() | k_entry_mask);
  }

  /// Of the lane's.
  __device__ __forceinline__ int count() const { return static_cast<int>(end_ - begin_) / static_cast<int>(k_step); }
  /// Of candidate i < count().
  __device__ __forceinline__ std::uint32_t number(int i) const { return load_shared(begin_ + i * k_step + k_plane); }
  /// Bounds of its squared distance, within 2⁻¹⁸ of it: there are no others among the leading bits that are compared.
  __device__ __forceinline__ float above(int i) const {
    return __uint_as_float(load_shared(begin_ + i * k_step) | k_entry_mask);
  }
  __device__ __forceinline__ float below(int i) const {
    return __uint_as_float(load_shared(begin_ + i * k_step) & ~k_entry_mask);
  }
  /// A lower bound of the squared distances of all candidates that were not kept; NaN if there are none.
  __device__ __forceinline__ float left_out() const { return __uint_as_float(left_out_ & ~k_entry_mask); }

 private:
  static constexpr unsigned k_step = k_lanes * sizeof(float);  // bytes from a candidate to the lane's next
  static constexpr unsigned k_plane = k_capacity * k_lanes * sizeof(float);  // bytes from a distance to its number
  static constexpr std::uint32_t k_entry_mask = std::bit_ceil(static_cast<unsigned>(k_capacity)) - 1;
  static constexpr std::uint32_t k_no_word = thread::k_largest<std::uint32_t>;
  static_assert(K < k_capacity && k_capacity <= 32);

  unsigned begin_;  // address of the lane's first candidate
  unsigned end_;    // and past its last
  std::uint32_t left_out_ = k_no_word;
};

}  // namespace kann::cuda::warp
