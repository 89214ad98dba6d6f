// The nearest points of one query, as a list of their places in the shared memory of a warp. Candidates are appended,
// and sorted together by float32 distances: they are counted into bins by their distance, and each finds its rank among
// the few of its bin. Where float32 does not decide which points are the nearest, float64 does, unless too many points
// are in question: then the list says so, and the query is searched for again with a LatticeList or a ScratchList.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"
#include "cuda/warp/write_row.cuh"

namespace kann::cuda::exact {

/// The neighbours so far, in order, and the candidates behind them. A word is a distance above the number of its entry.
template <int K>
struct LongListMemory {
  static constexpr int k_capacity = K <= 64 ? 4 * K : K <= 256 ? 2 * K : K + K / 4 + 2 * warp::k_lanes;
  static constexpr int k_bins = K / 2;
  std::uint32_t places[k_capacity];
  std::uint32_t words[k_capacity];  // before flush(), those of candidates are the bits of their distances
  std::uint32_t binned[k_capacity];
  std::uint32_t ends[k_bins];
};

/// All 32 lanes of a warp call every function, with the same arguments unless it says otherwise, and agree in all
/// members.
template <int K, class Real>
class LongList {
 public:
  using Key = thread::ExactKey;
  using Memory = LongListMemory<K>;
  static constexpr int k_entry_bits = std::bit_width(static_cast<unsigned>(Memory::k_capacity - 1));
  static constexpr float k_steps = 1u << (32 - k_entry_bits);  ///< the number of steps that words divide distances into
  /// Whether a point that is as near as the last neighbour is left out only if its index is larger.
  static constexpr bool k_is_exact = false;
  /// How much farther than the last neighbour another one may be, relative to the limit: see make_words().
  static constexpr double k_rounding = 0x1p-19 + 4.0 / k_steps;

  /// A list of `size` ≤ K neighbours.
  __device__ __forceinline__ LongList(const BoxTreeView<Real>& tree, const Query<Real>& query, int size,
                                      Memory& s_memory)
      : tree_(tree), query_(query), s_(s_memory), size_(size) {}

  __device__ __forceinline__ bool is_full() const { return kept_ == size_; }
  /// Whether two more candidates per lane may not fit.
  __device__ __forceinline__ bool needs_flush() const { return count_ > Memory::k_capacity - 2 * warp::k_lanes; }
  __device__ __forceinline__ int size() const { return size_; }
  /// The number of neighbours and candidates.
  __device__ __forceinline__ int count() const { return count_; }
  /// The key of the last neighbour. The list must be full.
  __device__ __forceinline__ Key last() const { return key_at(s_.places[size_ - 1]); }

  /// Appends the place of each lane for which `is_candidate` is true, and its float32 squared distance in the frame;
  /// all arguments may differ between lanes. No place may be appended twice, and that of the query itself not at all.
  __device__ __forceinline__ void append(std::uint32_t place, float sq_dist, bool is_candidate) {
    const unsigned candidates = __ballot_sync(warp::k_all_lanes, is_candidate);
    const int entry = count_ + __popc(candidates & ((1u << warp::lane_id()) - 1));
    if (is_candidate) {
      s_.places[entry] = place;
      s_.words[entry] = __float_as_uint(sq_dist);
    }
    count_ += __popc(candidates);
  }

  /// Keeps the nearest of the neighbours and candidates as the neighbours. `limit`: none of their squared distances is
  /// much larger. Returns false if neither float32 nor the exact distances of a few points decide which are the
  /// nearest.
  __device__ __forceinline__ bool flush(double limit) {
    if (!(limit > 0x1p-100 && limit < 0x1p100)) return false;
    __syncwarp();  // the candidates are written
    const std::uint32_t steps = make_words(static_cast<float>(limit));
    if (!warp::sort_in_bins(s_.words, count_, s_.ends, s_.binned)) return false;
    if (count_ > size_ && !settle_edge(steps)) return false;
    kept_ = count_ = min(count_, size_);
#pragma unroll 2
    for (int rank = warp::lane_id(); rank < kept_; rank += warp::k_lanes)
      s_.words[rank] = s_.places[s_.words[rank] & k_entries];
    __syncwarp();  // the places have been read
#pragma unroll 2
    for (int rank = warp::lane_id(); rank < kept_; rank += warp::k_lanes) s_.places[rank] = s_.words[rank];
    __syncwarp();  // the places are in order
    return true;
  }

  /// Writes the row. Returns false if the neighbours are far from the order of (distance, index). Call after flush().
  /// `radius` becomes a distance that is at least the last neighbour's, and hardly larger; it is less than 0 if the
  /// list is not full, or that distance is near the limits of float32.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row, float& radius) const {
    const auto key_at = [this](int entry) { return written_at(entry); };
    if (!warp::write_nearly_ordered(rows, row, kept_, key_at)) return false;
    const float last = kept_ > 0 ? rows.d_distances[row * rows.k + kept_ - 1] : 0.0f;
    radius = is_full() && last > 0x1p-100f && last < 0x1p100f ? __fmul_ru(last, 1 + 0x1p-22f) : -1.0f;
    return true;
  }

 private:
  static constexpr std::uint32_t k_entries = (1u << k_entry_bits) - 1;

  /// Makes the words of all entries. Returns how many steps apart two words must be to be in the order of the exact
  /// distances.
  ///
  /// The relative error of a float32 squared distance of given coordinates is at most 6·2⁻²⁴, so that a difference of
  /// 12·2⁻²⁴·limit suffices for two; the conversion to steps moves each by 2⁻²² of the range and one step.
  __device__ __forceinline__ std::uint32_t make_words(float limit) {
    float nearest = INFINITY, farthest = 0;
#pragma unroll 2
    for (int entry = warp::lane_id(); entry < count_; entry += warp::k_lanes) {
      const float sq_dist = given_sq_dist(entry);
      s_.words[entry] = __float_as_uint(sq_dist);
      nearest = fminf(nearest, sq_dist);
      farthest = fmaxf(farthest, sq_dist);
    }
    nearest = warp::reduce_min(nearest);
    const float range = fmaxf(warp::reduce_max(farthest) - nearest, limit * 0x1p-20f);
    const float scale = (1 - 0x1p-20f) / range;
#pragma unroll 2
    for (int entry = warp::lane_id(); entry < count_; entry += warp::k_lanes) {
      const float share = (__uint_as_float(s_.words[entry]) - nearest) * scale;  // in [0, 1)
      const std::uint32_t steps = __float_as_uint(1.0f + share) << 9;            // the bits of the mantissa
      s_.words[entry] = (steps & ~k_entries) | entry;
    }
    __syncwarp();  // the words are written
    return 3 + __float2uint_ru((limit * 0x1.8p-20f * scale + 0x1p-21f) * k_steps);
  }

  /// Puts the points that may be the last neighbour in the order of their exact distances: the points that are less
  /// than `steps` from the one that seems to be the last. Returns false if they are more than the warp has lanes.
  __device__ __forceinline__ bool settle_edge(std::uint32_t steps) {
    const int edge = size_ - 1, lane = warp::lane_id();
    const std::uint32_t at_edge = s_.words[edge] >> k_entry_bits;
    const auto is_unclear = [&](int rank) {
      if (rank < 0 || rank >= count_) return false;
      const std::uint32_t own = s_.words[rank] >> k_entry_bits;
      return (own > at_edge ? own - at_edge : at_edge - own) < steps;
    };
    const unsigned after = __ballot_sync(warp::k_all_lanes, is_unclear(edge + 1 + lane));
    if (after == 0) return true;
    const unsigned before = __ballot_sync(warp::k_all_lanes, is_unclear(edge - lane));
    const int count = __popc(before) + __popc(after), first = edge + 1 - __popc(before);
    if (count > warp::k_lanes) return false;
    const std::uint32_t word = s_.words[min(first + lane, count_ - 1)];
    const Key own = key_at(s_.places[word & k_entries]);
    int rank = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      Key other;
      other.index = __shfl_sync(warp::k_all_lanes, own.index, i);
      other.low = __shfl_sync(warp::k_all_lanes, own.low, i);
      other.high = __shfl_sync(warp::k_all_lanes, own.high, i);
      rank += other < own;
    }
    __syncwarp();  // the words have been read
    if (lane < count) s_.words[first + rank] = word;
    __syncwarp();  // the words are in order
    return true;
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

  /// The key of a neighbour as its row has it; k_absent past the last neighbour. Entries may differ between lanes.
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
  int count_ = 0;  // neighbours and candidates
};

}  // namespace kann::cuda::exact
