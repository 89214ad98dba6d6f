// The nearest points of one query, by their places in the shared memory of a warp: candidates are appended, and sorted
// together by float32 distances of 23 bits. Where these do not decide, the list says so, and the query is searched
// again with a ScratchList: without the code that decides, the kernel needs 64 registers instead of 80 and half of the
// instructions.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/sort.cuh"
#include "cuda/warp/write_row.cuh"

namespace kann::cuda::exact {

/// The neighbours so far, in order, and the candidates behind them, for which there is as much capacity at least.
template <int K>
struct LongListMemory {
  static constexpr int k_capacity = K <= 64 ? 4 * K : 2 * K;
  std::uint32_t places[k_capacity];
  std::uint32_t words[k_capacity];  // of candidates, the bits of their distances; in flush(), what they are sorted by
};

/// All 32 lanes of a warp call every function, with the same arguments unless it says otherwise, and agree in all
/// members.
template <int K, class Real>
class LongList {
 public:
  using Key = thread::ExactKey;
  using Memory = LongListMemory<K>;
  /// Whether no points as near as the neighbours are left out, but for those of larger indices.
  static constexpr bool k_is_exact = false;

  /// Of `size` ≤ K neighbours.
  __device__ __forceinline__ LongList(const BoxTreeView<Real>& tree, const Query<Real>& query, int size,
                                      Memory& s_memory)
      : tree_(tree), query_(query), s_(s_memory), size_(size) {}

  __device__ __forceinline__ bool is_full() const { return kept_ == size_; }
  /// Whether two more candidates per lane may not fit.
  __device__ __forceinline__ bool needs_flush() const { return count_ > Memory::k_capacity - 2 * warp::k_lanes; }
  __device__ __forceinline__ int size() const { return size_; }
  /// Of neighbours and candidates.
  __device__ __forceinline__ int count() const { return count_; }
  /// That of the neighbour that came last in the order; the list is full.
  __device__ __forceinline__ Key last() const { return key_at(s_.places[size_ - 1]); }

  /// Appends the places of those lanes for which `is_candidate`, and their float32 squared distances in the frame; all
  /// may differ between lanes. No place may be appended twice, nor that of the query itself.
  __device__ __forceinline__ void append(std::uint32_t place, float sq_dist, bool is_candidate) {
    const unsigned candidates = __ballot_sync(warp::k_all_lanes, is_candidate);
    const int entry = count_ + __popc(candidates & ((1u << warp::lane_id()) - 1));
    if (is_candidate) {
      s_.places[entry] = place;
      s_.words[entry] = __float_as_uint(sq_dist);
    }
    count_ += __popc(candidates);
  }

  /// Makes the nearest of neighbours and candidates the neighbours. `limit`: no squared distance of them is much
  /// larger. Returns false if float32 does not decide which these are.
  ///
  /// A float32 squared distance of given coordinates is within 6 units of 2⁻²⁴ of the exact one, relative to itself,
  /// and becomes one of 2²³ steps of at most 1, which is another half of a step. Two that are 8 steps apart are in the
  /// order of the exact ones.
  __device__ __forceinline__ bool flush(double limit) {
    if (!(limit > 0x1p-100 && limit < 0x1p100)) return false;
    const float inverse = (1 - 0x1p-20f) / static_cast<float>(limit);
    // Loops over entries are not unrolled where they need not be: much time went into waiting for instructions
    const int lane = warp::lane_id();
    __syncwarp();  // the candidates are written
#pragma unroll 2
    for (int entry = lane; entry < count_; entry += warp::k_lanes) {
      const float share = fminf(given_sq_dist(entry) * inverse, 1 - 0x1p-22f);
      s_.words[entry] = __float_as_uint(1.0f + share) << k_entry_bits | entry;  // without the exponent
    }
    sort_words();

    const int edge = min(count_, size_) - 1;  // the last neighbour
    const std::uint32_t at_edge = edge < 0 ? 0 : s_.words[edge] >> k_entry_bits;
    __syncwarp();  // it has been read
    bool is_clear = true;
#pragma unroll 2
    for (int entry = lane; entry < count_; entry += warp::k_lanes) {
      const std::uint32_t word = s_.words[entry];
      is_clear &= entry <= edge || (word >> k_entry_bits) - at_edge >= k_clear_steps;
      s_.words[entry] = s_.places[word & ((1u << k_entry_bits) - 1)];
    }
    __syncwarp();  // the places have been read
#pragma unroll 2
    for (int entry = lane; entry < count_; entry += warp::k_lanes) s_.places[entry] = s_.words[entry];
    __syncwarp();  // they are in order
    if (!__all_sync(warp::k_all_lanes, is_clear)) return false;
    kept_ = count_ = min(count_, size_);
    return true;
  }

  /// Writes the row if the neighbours are in the order of (distance, index); else returns false. Call after flush().
  /// `radius` becomes a distance that is at least the last neighbour's, and hardly larger; less than 0: the list is not
  /// full, or that is out of the range of float32.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row, float& radius) const {
    const auto key_at = [this](int entry) { return written_at(entry); };
    NeighborKey last_key = 0;
    if (!warp::write_if_ordered(rows, row, kept_, key_at, last_key)) return false;
    const float last = sq_dist_of(__shfl_sync(warp::k_all_lanes, last_key, (kept_ - 1) % warp::k_lanes));
    radius = is_full() && last > 0x1p-100f && last < 0x1p100f ? __fmul_ru(last, 1 + 0x1p-22f) : -1.0f;
    return true;
  }

 private:
  static constexpr int k_rows = Memory::k_capacity / warp::k_lanes;
  static constexpr std::uint32_t k_no_word = ~std::uint32_t{0}, k_clear_steps = 8;
  static constexpr int k_entry_bits = 9;
  static_assert(Memory::k_capacity <= 1 << k_entry_bits);

  /// Sorts the words of all entries. Every lane has written those that it reads.
  __device__ __forceinline__ void sort_words() {
    const int row_count = (count_ + warp::k_lanes - 1) / warp::k_lanes;
    std::uint32_t words[k_rows];
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      const int entry = r * warp::k_lanes + warp::lane_id();
      words[r] = entry < count_ ? s_.words[entry] : k_no_word;
    }
    warp::sort_rows(words, row_count);
#pragma unroll
    for (int r = 0; r < k_rows; ++r)
      if (r < row_count) s_.words[r * warp::k_lanes + warp::lane_id()] = words[r];
    __syncwarp();  // the words are in order
  }

  __device__ __forceinline__ Key key_at(std::uint32_t place) const { return query_.key_of(tree_.d_given[place]); }

  /// The float32 squared distance of the given coordinates of an entry.
  __device__ __forceinline__ float given_sq_dist(int entry) const {
    if constexpr (std::is_same_v<Real, float>) {
      // The frame is that of the input
      return entry < kept_ ? query_.sq_dist_to(tree_.d_points[s_.places[entry]]) : __uint_as_float(s_.words[entry]);
    } else {
      const Point<Real> p = tree_.d_given[s_.places[entry]];
      return sq_distance_3d(static_cast<float>(query_.given()[0] - p.x), static_cast<float>(query_.given()[1] - p.y),
                            static_cast<float>(query_.given()[2] - p.z));
    }
  }

  /// What the row says of a neighbour; absent past the last. Entries may differ between lanes.
  __device__ __forceinline__ NeighborKey written_at(int entry) const {
    if (entry >= kept_) return k_absent;
    const Key key = key_at(s_.places[entry]);
    return neighbor_key(thread::float_root(key.sq_dist()), key.index);
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Memory& s_;
  int size_;
  int kept_ = 0;   // neighbours so far
  int count_ = 0;  // and candidates
};

}  // namespace kann::cuda::exact
