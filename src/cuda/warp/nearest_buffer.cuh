// The nearest candidates of each lane's query, in the shared memory of a warp: candidates are appended without a
// branch, and now and then all lanes drop all but the K nearest. These are found by a sorting network on words of 32
// bits: the leading bits of a squared distance and the candidate's entry. For K = 8, this takes 9 instructions per
// candidate, where inserting it into a sorted list of keys of 64 bits takes 46.
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
  /// Each entry is a squared distance and a number; entry i of a lane is at i·32 + lane.
  struct Shared {
    uint2 entries[k_capacity * k_lanes];
  };

  __device__ __forceinline__ explicit NearestBuffer(Shared& s_shared)
      : begin_(shared_address(&s_shared.entries[lane_id()])), end_(begin_) {}

  /// Whether the lane has `count` free entries.
  __device__ __forceinline__ bool has_free(int count) const { return end_ <= begin_ + (k_capacity - count) * k_step; }

  /// Appends a candidate to the lane's, unless `sq_dist` is NaN or more than `bound`. There must be a free entry.
  __device__ __forceinline__ void append_within(float bound, float sq_dist, std::uint32_t number) {
    if (!(sq_dist <= bound)) return;
    store_shared(end_, __float_as_uint(sq_dist), number);
    end_ += k_step;
  }

  /// Keeps the K nearest of the lane's candidates, in the order of above(); which of equal ones are kept is open.
  /// Returns above() of the last, or infinity if there are fewer than K. May be NaN if distances are infinite.
  __device__ __forceinline__ float keep_nearest() {
    const int entries = count();
    std::uint32_t kept[K];
    if (is_sorted_) {
#pragma unroll
      for (int j = 0; j < K; ++j) kept[j] = word(j);
    } else {
#pragma unroll
      for (int j = 0; j < K; ++j) kept[j] = j < entries ? word(j) : k_no_word;
      thread::sort(kept);
    }
    thread::SmallestValues<K, std::uint32_t> words(kept);
#pragma unroll
    for (int first = K; first < k_capacity; first += K) {
      if (!__any_sync(k_all_lanes, first < entries)) break;
      std::uint32_t batch[K];
#pragma unroll
      for (int j = 0; j < K; ++j)
        batch[j] = first + j < k_capacity && first + j < entries ? word(first + j) : k_no_word;
      words.offer(batch);
    }
    left_out_ = thread::smaller(left_out_, words.left_out());
    std::uint32_t numbers[K];
#pragma unroll
    for (int j = 0; j < K; ++j) numbers[j] = load_shared(entry_address(words[j]) + k_number);
#pragma unroll
    for (int j = 0; j < K; ++j) store_shared(begin_ + j * k_step, words[j], numbers[j]);
    is_sorted_ = __all_sync(k_all_lanes, words.last() != k_no_word);
    if (words.last() == k_no_word) return INFINITY;
    end_ = begin_ + K * k_step;
    return __uint_as_float(words.last() | k_entry_mask);
  }

  /// The number of the lane's candidates.
  __device__ __forceinline__ int count() const { return static_cast<int>(end_ - begin_) / static_cast<int>(k_step); }
  /// The number that candidate i < count() was appended with.
  __device__ __forceinline__ std::uint32_t number(int i) const { return load_shared(begin_ + i * k_step + k_number); }
  /// Bounds of the squared distance of candidate i, within 2⁻¹⁸ of it: only its leading bits are known and compared.
  __device__ __forceinline__ float above(int i) const {
    return __uint_as_float(load_shared(begin_ + i * k_step) | k_entry_mask);
  }
  __device__ __forceinline__ float below(int i) const {
    return __uint_as_float(load_shared(begin_ + i * k_step) & ~k_entry_mask);
  }
  /// A lower bound of the squared distances of all candidates that were not kept; NaN if there are none.
  __device__ __forceinline__ float left_out() const { return __uint_as_float(left_out_ & ~k_entry_mask); }

 private:
  static constexpr unsigned k_step = k_lanes * sizeof(uint2);  // bytes from a candidate to the lane's next
  static constexpr unsigned k_number = sizeof(float);          // bytes from a distance to its number
  static constexpr std::uint32_t k_entry_mask = std::bit_ceil(static_cast<unsigned>(k_capacity)) - 1;
  static constexpr std::uint32_t k_no_word = ~k_entry_mask;  // it names entry 0, which can be read
  static_assert(K < k_capacity && k_capacity <= 32);

  /// The leading bits of the squared distance of the lane's entry i, and i.
  __device__ __forceinline__ std::uint32_t word(int i) const {
    return (load_shared(begin_ + i * k_step) & ~k_entry_mask) | i;
  }

  /// The address of the entry that a word names. In plain C++, this takes one more instruction.
  __device__ __forceinline__ unsigned entry_address(std::uint32_t word) const {
    unsigned address;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(address) : "r"(word & k_entry_mask), "n"(k_step), "r"(begin_));
    return address;
  }

  unsigned begin_;  // address of the lane's first candidate
  unsigned end_;    // the address past its last
  std::uint32_t left_out_ = thread::k_largest<std::uint32_t>;
  bool is_sorted_ = false;  // whether every lane has kept K candidates, which are then in order
};

}  // namespace kann::cuda::warp
