// The nearest points of one query, by their places in the shared memory of a warp: finds are appended, and sorted
// together. In the end float32 distances of 23 bits order them, where these suffice; else exact ones, at many times the
// cost.
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

/// The neighbours so far, in order, and the finds behind them: places, and of finds their float32 squared distances in
/// the frame. A list of up to K neighbours has room for
/// as many finds at least.
template <int K>
struct LongListMemory {
  static constexpr int k_room = K <= 64 ? 4 * K : 2 * K;
  std::uint32_t places[k_room];
  float sq_dists[k_room];
};

/// All 32 lanes of a warp call every function, with the same arguments unless it says otherwise, and agree in all
/// members.
template <int K, class Real>
class LongList {
 public:
  using Key = thread::ExactKey;
  using Memory = LongListMemory<K>;
  static constexpr int k_room = Memory::k_room;

  /// Of `size` ≤ K neighbours.
  __device__ __forceinline__ LongList(const BoxTreeView<Real>& tree, const Query<Real>& query, int size,
                                      Memory& s_memory)
      : tree_(tree), query_(query), s_(s_memory), size_(size) {}

  __device__ __forceinline__ bool is_full() const { return kept_ == size_; }
  /// For two finds per lane.
  __device__ __forceinline__ bool lacks_room() const { return count_ > k_room - 2 * warp::k_lanes; }
  __device__ __forceinline__ int size() const { return size_; }
  /// Of neighbours and finds.
  __device__ __forceinline__ int count() const { return count_; }
  /// Whether the neighbours are in the order of their exact distances, and no others as near have been left out.
  __device__ __forceinline__ bool is_exact() const { return is_exact_; }
  /// That of the neighbour that came last in the order; the list is full.
  __device__ __forceinline__ Key last() const { return key_at(s_.places[size_ - 1]); }

  /// Appends the places of those lanes for which `is_find`, and their float32 squared distances; all may differ between
  /// lanes. No place may be appended twice, nor that of the query itself.
  __device__ __forceinline__ void append(std::uint32_t place, float sq_dist, bool is_find) {
    const unsigned finds = __ballot_sync(warp::k_all_lanes, is_find);
    const int entry = count_ + __popc(finds & ((1u << warp::lane_id()) - 1));
    if (is_find) {
      s_.places[entry] = place;
      s_.sq_dists[entry] = sq_dist;
    }
    count_ += __popc(finds);
    is_exact_ = false;
  }

  /// Makes the nearest of neighbours and finds the neighbours. `limit`: no squared distance of them is much larger.
  __device__ __forceinline__ void flush(double limit) {
    if (!order_roughly(limit)) order_exactly(limit);
  }

  /// Writes the row, in the order of (distance, index). Call after flush(). Returns a distance that is at least the
  /// last neighbour's, and hardly larger; less than 0: the list is not full, or that is out of the range of float32.
  __device__ __forceinline__ float write(double limit, const ResultRows& rows, std::int64_t row) {
    float last = 0;
#pragma unroll 1
    while (!write_if_ordered(rows, row, last)) order_exactly(limit);
    return is_full() && last > 0x1p-100f && last < 0x1p100f ? __fmul_ru(last, 1 + 0x1p-22f) : -1.0f;
  }

 private:
  static constexpr int k_rows = k_room / warp::k_lanes;
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};
  static constexpr std::uint32_t k_no_word = ~std::uint32_t{0}, k_clear_steps = 8;
  static constexpr int k_entry_bits = 9;
  static_assert(k_room <= 1 << k_entry_bits);

  /// flush(), by exact distances: a function of its own, since it is called where distances are equal. It is given
  /// copies, since what has an address is not in registers.
  __device__ __forceinline__ void order_exactly(double limit) {
    const Query<Real> query = query_;
    LongList list(tree_, query, size_, s_);
    list.count_ = count_;
    list.order_exactly_apart(limit);
    count_ = list.count_;
    kept_ = list.kept_;
    is_exact_ = true;
  }
  __device__ __noinline__ void order_exactly_apart(double limit) {
    const double scale = scale_of(limit);
    // By the float32 nearest to the squared distance, which is in the same order unless two are equal, and by place:
    // two words, and no memory for keys
    std::uint64_t words[k_rows];
    __syncwarp();  // the places are written
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      words[r] = k_none;
      const int entry = r * warp::k_lanes + warp::lane_id();
      if (r * warp::k_lanes >= count_ || entry >= count_) continue;
      const std::uint32_t place = s_.places[entry];
      words[r] = std::uint64_t{__float_as_uint(__double2float_rn(key_at(place).sq_dist() * scale))} << 32 | place;
    }
    __syncwarp();  // the places have been read
    warp::sort(words);
    if (has_ties(words)) order_ties(words);

    kept_ = count_ = min(count_, size_);
#pragma unroll
    for (int r = 0; r < k_rows / 2; ++r) {
      const int entry = r * warp::k_lanes + warp::lane_id();
      if (entry < kept_) s_.places[entry] = static_cast<std::uint32_t>(words[r]);
    }
    __syncwarp();  // the neighbours are in order
  }

  /// Orders all finds by float32 distances. Returns false if these do not tell which are the neighbours; the list is as
  /// before then, or in another order.
  ///
  /// A float32 squared distance of given coordinates is within 6 units of 2⁻²⁴ of the exact one, relative to itself,
  /// and becomes one of 2²³ steps of at most 1, which is another half of a step. Two that are 8 steps apart are in the
  /// order of the exact ones.
  __device__ __forceinline__ bool order_roughly(double limit) {
    if (!(limit > 0x1p-100 && limit < 0x1p100)) return false;
    const float inverse = (1 - 0x1p-20f) / static_cast<float>(limit);
    const int row_count = (count_ + warp::k_lanes - 1) / warp::k_lanes;
    std::uint32_t words[k_rows];
    __syncwarp();  // the finds are written
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      words[r] = k_no_word;
      const int entry = r * warp::k_lanes + warp::lane_id();
      if (r >= row_count || entry >= count_) continue;
      const float share = fminf(given_sq_dist(entry) * inverse, 1 - 0x1p-22f);
      words[r] = __float_as_uint(1.0f + share) << k_entry_bits | entry;  // without the exponent
    }
    warp::sort_rows(words, row_count);

    const int edge = min(count_, size_) - 1;  // the last neighbour
    std::uint32_t at_edge = 0;
#pragma unroll
    for (int r = 0; r < k_rows; ++r)
      if (r == edge / warp::k_lanes) at_edge = words[r];
    at_edge = __shfl_sync(warp::k_all_lanes, at_edge, edge % warp::k_lanes) >> k_entry_bits;
    bool is_clear = true;
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      if (r >= row_count) break;
      const int entry = r * warp::k_lanes + warp::lane_id();
      if (entry > edge && entry < count_) is_clear &= (words[r] >> k_entry_bits) - at_edge >= k_clear_steps;
      if (entry < count_) words[r] = s_.places[words[r] & ((1u << k_entry_bits) - 1)];
    }
    __syncwarp();  // the places have been read
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      if (r >= row_count) break;
      const int entry = r * warp::k_lanes + warp::lane_id();
      if (entry < count_) s_.places[entry] = words[r];
    }
    __syncwarp();  // they are in order
    if (!__all_sync(warp::k_all_lanes, is_clear)) return false;
    kept_ = count_ = min(count_, size_);
    return true;
  }

  /// Writes the row, in the order of (distance, index), and says the last distance. Returns false if the order of the
  /// neighbours is another one, and they have not been ordered exactly.
  __device__ __forceinline__ bool write_if_ordered(const ResultRows& rows, std::int64_t row, float& last) const {
    const auto key_at = [this](int entry) { return written_at(entry); };
    NeighborKey last_key = 0;
    const bool is_ordered = warp::write_if_ordered(rows, row, kept_, key_at, last_key);
    last = sq_dist_of(__shfl_sync(warp::k_all_lanes, last_key, (kept_ - 1) % warp::k_lanes));
    if (is_ordered) return true;
    if (!is_exact_) return false;
    warp::write_sorted<K / warp::k_lanes>(rows, row, kept_, key_at);
    return true;
  }

  __device__ __forceinline__ Key key_at(std::uint32_t place) const { return query_.key_of(tree_.d_given[place]); }

  /// The float32 squared distance of the given coordinates of an entry.
  __device__ __forceinline__ float given_sq_dist(int entry) const {
    if constexpr (std::is_same_v<Real, float>) {
      // The frame is that of the input
      return entry < kept_ ? query_.sq_dist_to(tree_.d_points[s_.places[entry]]) : s_.sq_dists[entry];
    } else {
      const Point<Real> p = tree_.d_given[s_.places[entry]];
      return sq_distance_3d(static_cast<float>(query_.given()[0] - p.x), static_cast<float>(query_.given()[1] - p.y),
                            static_cast<float>(query_.given()[2] - p.z));
    }
  }

  /// A power of two that brings squared distances up to `limit` into the range of float32, so that few are equal there.
  __device__ __forceinline__ static double scale_of(double limit) {
    const auto exponent = static_cast<int>(bits_of_double(limit) >> 52);  // and 1,023
    return exponent < 2046 ? double_of(static_cast<std::uint64_t>(2046 - exponent) << 52) : 1.0;
  }

  /// What the row says of a neighbour; absent past the last. Entries may differ between lanes.
  __device__ __forceinline__ NeighborKey written_at(int entry) const {
    if (entry >= kept_) return k_absent;
    const Key key = key_at(s_.places[entry]);
    return neighbor_key(thread::float_root(key.sq_dist()), key.index);
  }

  /// The word at the place after r·32 + lane; its own at the last.
  __device__ __forceinline__ static std::uint64_t next_of(const std::uint64_t (&words)[k_rows], int r) {
    const int lane = warp::lane_id();
    const bool is_last_row = r + 1 == k_rows;
    const std::uint64_t of_next_row = words[is_last_row ? r : r + 1];
    const std::uint64_t next =
        __shfl_sync(warp::k_all_lanes, lane == 0 ? of_next_row : words[r], (lane + 1) % warp::k_lanes);
    return is_last_row && lane == warp::k_lanes - 1 ? words[r] : next;
  }

  /// Whether two words have equal float32s. Valid in all lanes.
  __device__ __forceinline__ static bool has_ties(const std::uint64_t (&words)[k_rows]) {
    bool is_tied = false;
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      const std::uint64_t next = next_of(words, r);
      is_tied |= words[r] != next && next != k_none && words[r] >> 32 == next >> 32;
    }
    return __any_sync(warp::k_all_lanes, is_tied);
  }

  /// Puts words of equal float32s in the order of their keys: points at the same distance, as on lattices, by index.
  /// Where squared distances differ all the same, which is rare, neighbouring words change places until none has to.
  __device__ __forceinline__ void order_ties(std::uint64_t (&words)[k_rows]) const {
    Key keys[k_rows];  // the float32, the index, and the place
#pragma unroll 1
    for (int r = 0; r < k_rows; ++r) {
      keys[r] = Key();
      if (words[r] == k_none) continue;
      keys[r].high = static_cast<std::uint32_t>(words[r] >> 32);
      keys[r].index = static_cast<std::uint32_t>(words[r]);
      keys[r].low = tree_.d_given[keys[r].index].index;
    }
    warp::sort_rarely(keys);
    for (bool changed = true; changed;) {
      changed = false;
#pragma unroll 1
      for (int odd = 0; odd < 2; ++odd)
#pragma unroll 1
        for (int r = 0; r < k_rows; ++r) changed |= exchange_pairs(keys, r, odd);
      changed = __any_sync(warp::k_all_lanes, changed);
    }
#pragma unroll
    for (int r = 0; r < k_rows; ++r)
      words[r] = keys[r].is_absent() ? k_none : std::uint64_t{keys[r].high} << 32 | keys[r].index;
  }

  /// Exchanges the keys at places 2·i + odd and 2·i + odd + 1 of row r, and of the next row's first, where their order
  /// is wrong. Returns whether the lane's key has changed.
  __device__ __forceinline__ bool exchange_pairs(Key (&keys)[k_rows], int r, int odd) const {
    const int lane = warp::lane_id();
    const bool is_low = lane % 2 == odd;
    // Lane 31 and lane 0 of the next row are a pair of the odd ones
    const bool crosses = odd == 1 && (lane == 0 || lane == warp::k_lanes - 1);
    const bool has_pair = !crosses || r + 1 < k_rows;
    const int own_row = crosses && lane == 0 && has_pair ? r + 1 : r;
    const Key own = keys[own_row];
    const int partner = crosses ? warp::k_lanes - 1 - lane : is_low ? lane + 1 : lane - 1;
    Key other;
    other.index = __shfl_sync(warp::k_all_lanes, own.index, partner);
    other.low = __shfl_sync(warp::k_all_lanes, own.low, partner);
    other.high = __shfl_sync(warp::k_all_lanes, own.high, partner);
    if (!has_pair || own.is_absent() || other.is_absent() || own.high != other.high) return false;
    const Key exact = key_at(own.index), others = key_at(other.index);
    if (is_low ? !(others < exact) : !(exact < others)) return false;
    keys[own_row] = other;
    return true;
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Memory& s_;
  int size_;
  int kept_ = 0;   // neighbours so far
  int count_ = 0;  // and finds
  bool is_exact_ = false;
};

}  // namespace kann::cuda::exact
