// A warp searches for a team of 32 queries that are near each other, among points that include all those in the balls
// around any of them. A row is proven by its ball: if enough points are in it, none outside is a neighbour. The points
// are staged in shared memory; TensorFilter finds those that may be in each lane's ball, as masks of bits. Then each
// lane takes its own points from its masks, and ranks them by one word: the squared distance in fixed point above the
// point's number.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/exact/teams/row_ends.hpp"
#include "cuda/exact/teams/team_size.hpp"
#include "cuda/exact/teams/tensor_filter.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/shared_memory.cuh"

namespace kann::cuda::exact {

/// The shared memory of a warp, which stages up to `capacity` points at once, a multiple of 64: the less memory a
/// warp has, the more warps there are.
template <int K, class Points>
struct TeamMemory {
  static constexpr int k_batches = 2;
  TensorFilterMemory<k_batches> filter;
  typename Points::Memory near;

  /// A NaN point, and after it the staged ones. If Real is double, their indices are places.
  __device__ __forceinline__ PlacedPoint* points() { return reinterpret_cast<PlacedPoint*>(this + 1); }
  /// For each batch of 32 points, a mask for each lane; at the end, the numbers of the neighbours, 16 bits each.
  __device__ __forceinline__ std::uint32_t* masks(int capacity) {
    return reinterpret_cast<std::uint32_t*>(points() + 1 + capacity);
  }
  KANN_HOST_DEVICE static constexpr unsigned bytes(int capacity) {
    const int words = capacity > K / 2 * warp::k_lanes ? capacity : K / 2 * warp::k_lanes;
    return static_cast<unsigned>(sizeof(TeamMemory) + (1 + capacity) * sizeof(PlacedPoint) +
                                 words * sizeof(std::uint32_t));
  }
};

/// Called by all 32 lanes of a warp, each for its own query. Lists of up to K neighbours, K ≥ 8. `drops_self`: whether
/// queries may be data points, which are not their own neighbours. `stages_in_turns`: whether teams may have more
/// points than the capacity. Otherwise the search is some percent faster, since no words are kept while points are
/// staged. `Points` says which points may be near, numbers them, and gives the places of the next 32 of them, as
/// CellRows does.
template <int K, class Real, bool drops_self, bool stages_in_turns, class Points>
class TeamSearch {
 public:
  using Memory = TeamMemory<K, Points>;

  /// @param sq_radius of the lane's ball; there is none if it is less than 0 @param reach the largest radius of a ball
  /// @param capacity as in Memory
  __device__ __forceinline__ TeamSearch(const Search<Real>& search, const Query<Real>& query, Points& near,
                                        float sq_radius, float reach, int capacity, Memory& s_memory)
      : search_(search),
        query_(query),
        sq_radius_(sq_radius),
        capacity_(static_cast<std::uint32_t>(capacity)),
        s_points_(s_memory.points()),
        s_masks_(s_memory.masks(capacity) + warp::lane_id()),
        near_(near),
        filter_(s_memory.filter) {
    if (warp::lane_id() == 0) s_points_[0] = {NAN, NAN, NAN, 0};
    const float own[3] = {query.x, query.y, query.z};
    const std::uint32_t most = stages_in_turns ? k_max_team_points : capacity_;
    is_possible_ = near_.are_all() && near_.count() <= most && filter_.begin(own, reach * (1 + 0x1p-20f));
    if (is_possible_) filter_.set_bound(sq_radius_);
    __syncwarp();  // the NaN point is written
  }

  /// Searches, and writes row `row` and its ends. Returns false if the row is wrong, and is to be overwritten: if the
  /// points in the ball do not prove it, words do not give the order of its neighbours, or the rounding of a distance
  /// is not certain. That concerns one row in a hundred. Called by all 32 lanes.
  __device__ __forceinline__ bool write(const ResultRows& rows, const RowEnds& ends, std::uint32_t row) {
    const auto k = static_cast<int>(rows.k);
    thread::SmallestValues<K, std::uint32_t> words;
    if (is_possible_) rank_all(words);
    // The words of neighbours k − 1 and k, counted from 0: the words are ascending, and an index would move all of them
    // to local memory
    std::uint32_t last = 0, next = words.left_out();
#pragma unroll
    for (int j = 0; j < K; ++j) last = j < k ? words[j] : last;
#pragma unroll
    for (int j = K - 1; j >= 0; --j) next = j >= k ? words[j] : next;
    const bool is_proven = is_possible_ && sq_radius_ > 0 && is_before(last, next);
    // Each lane keeps its numbers in place of the masks, so that the code that writes is a loop
    auto* const s_numbers = reinterpret_cast<std::uint16_t*>(s_masks_ - warp::lane_id()) + warp::lane_id();
    if constexpr (k_is_loop) {
      __syncwarp();  // all masks have been read
#pragma unroll
      for (int j = 0; j < K; ++j) s_numbers[j * warp::k_lanes] = static_cast<std::uint16_t>(words[j] & k_number_mask);
    }
    bool are_right = is_proven;
    NeighborKey before = 0;
    const RowSplit split(row, k);
    // The sector of the row that is written next: its words from `skipped` to `end`, of which word 0 would be neighbour
    // `begin`. The words before and after are those of other rows.
    int begin = split.head > 0 ? split.head - k_sector_words : 0;
#pragma unroll 1
    do {
      const int skipped = k_is_loop ? max(-begin, 0) : 0, end = min(k - begin, k_sector_words);
      const unsigned wanted = is_proven && end > 0 ? (0xffu << skipped) & (0xffu >> (k_sector_words - end)) : 0;
      Sector sector;
      are_right &= make(sector, wanted, before, [&](int j) {
        return k_is_loop ? s_numbers[(begin + j) * warp::k_lanes] : words[j] & k_number_mask;
      });
      if (end > 0) write(sector, begin, skipped, end, split, rows, ends, row);
      begin += k_sector_words;
    } while (k_is_loop && __any_sync(warp::k_all_lanes, begin < k));
    return are_right;
  }

 private:
  static constexpr int k_number_bits = std::bit_width(static_cast<unsigned>(k_max_team_points));
  static constexpr std::uint32_t k_number_mask = (1u << k_number_bits) - 1;
  /// The fixed-point value of the square of the radius.
  static constexpr std::uint32_t k_limit = (1u << (32 - k_number_bits)) - 4;
  static_assert(k_number_bits >= 9 && k_number_bits <= 16);
  static constexpr bool k_is_loop = K > k_sector_words;
  static_assert(K >= k_sector_words);

  /// Consecutive neighbours of a row, as words.
  struct Sector {
    std::uint32_t ids[k_sector_words], distances[k_sector_words];
  };

  /// The lane's next point; NaN if there is none.
  __device__ __forceinline__ PlacedPoint next_point() {
    const std::uint32_t place = near_.next_place();
    if (place == Points::k_none) return {NAN, NAN, NAN, 0};
    PlacedPoint p = search_.tree.d_points[place];
    if constexpr (std::is_same_v<Real, double>) p.index = place;
    return p;
  }

  /// Makes `words` those of the K nearest points in the lane's ball: stages the points, as many as there is room for at
  /// once, finds their masks, and ranks the points of the masks.
  __device__ __forceinline__ void rank_all(thread::SmallestValues<K, std::uint32_t>& words) {
    PlacedPoint first = next_point(), second = next_point();
    if constexpr (stages_in_turns) {
#pragma unroll 1
      for (std::uint32_t begin = 0; begin < near_.count(); begin += capacity_) {
        const std::uint32_t left = near_.count() - begin;
        __syncwarp();  // the points before have been ranked
        rank(words, begin, find_masks(first, second, min(left, capacity_), left));
      }
    } else {
      rank(words, 0, find_masks(first, second, near_.count(), near_.count()));
    }
  }

  /// Stages `count` points and finds their masks, two batches at a time: `first` and `second` are the points of the
  /// next batches. The next points are loaded while the current ones are filtered, if any of `left` points are left. As
  /// the points of a batch are in reverse, the highest bit of a mask is that of the first. Returns the number of
  /// batches.
  __device__ __forceinline__ std::uint32_t find_masks(PlacedPoint& first, PlacedPoint& second, std::uint32_t count,
                                                      std::uint32_t left) {
    const std::uint32_t batches = (count + warp::k_lanes - 1) / warp::k_lanes;
    PlacedPoint* s_own = s_points_ + warp::k_lanes - warp::lane_id();
    std::uint32_t* s_mask = s_masks_;
#pragma unroll 1
    for (std::uint32_t batch = 0; batch < batches; batch += 2) {
      s_own[0] = first;
      s_own[warp::k_lanes] = second;
      s_own += 2 * warp::k_lanes;
      __syncwarp();  // the columns before have been read
      filter_.put(0, first);
      filter_.put(1, second);
      __syncwarp();  // the columns and the points are written
      if ((batch + 2) * warp::k_lanes < left) {
        first = next_point();
        second = next_point();
      }
      s_mask[0] = filter_.candidates(0);
      s_mask[warp::k_lanes] = filter_.candidates(1);
      s_mask += 2 * warp::k_lanes;
    }
    return batches;
  }

  /// Offers the points of the lane's masks to `words`. `begin`: how many points were staged before.
  __device__ __forceinline__ void rank(thread::SmallestValues<K, std::uint32_t>& words, std::uint32_t begin,
                                       std::uint32_t batches) const {
    constexpr unsigned mask_step = warp::k_lanes * sizeof(std::uint32_t),
                       points_step = warp::k_lanes * sizeof(PlacedPoint);
    const float scale = static_cast<float>(k_limit) / sq_radius_;
    unsigned bits = 0;                                 // of the current mask, those that are left
    unsigned s_mask = warp::shared_address(s_masks_);  // the next mask
    const unsigned s_masks_end = s_mask + batches * mask_step;
    unsigned s_points = warp::shared_address(s_points_ + 1) - points_step;  // the points of the current mask
    std::uint32_t first_number = begin + 1u - warp::k_lanes;                // the number of the first of them
    // The word of the next point; the largest word if the point is not in the ball, or the mask has no more
    const auto next_word = [&] {
      if (bits == 0 && s_mask < s_masks_end) {
        bits = warp::load_shared(s_mask);
        s_mask += mask_step;
        s_points += points_step;
        first_number += warp::k_lanes;
      }
      unsigned place, bit, s_point;
      asm("bfind.shiftamt.u32 %0, %1;" : "=r"(place) : "r"(bits));            // counted from the highest; −1: none
      asm("shr.b32 %0, %1, %2;" : "=r"(bit) : "r"(0x80000000u), "r"(place));  // 0: none
      asm("mad.lo.u32 %0, %1, 16, %2;" : "=r"(s_point) : "r"(place), "r"(s_points));
      static_assert(sizeof(PlacedPoint) == 16);
      const PlacedPoint p = warp::load_shared_point(s_point);
      const float sq_dist = query_.sq_dist_to(p);
      // The sum is at least 2²³ and less than 2²⁴, whose floats are integers: the lower bits are the nearest one
      const std::uint32_t fixed = __float_as_uint(__fmaf_rn(sq_dist, scale, 0x1p23f));
      const bool is_hit = bits != 0 && sq_dist <= sq_radius_ && !is_self(p, sq_dist);
      bits &= ~bit;
      return is_hit ? (fixed << k_number_bits) + (first_number + place) : thread::k_largest<std::uint32_t>;
    };
    const auto are_left = [&] { return (bits != 0) | (s_mask < s_masks_end); };
    if constexpr (K <= 16) {
      if (begin == 0) {  // these need no merge with words before
        std::uint32_t sorted[K];
#pragma unroll
        for (int j = 0; j < K; ++j) sorted[j] = next_word();
        thread::sort(sorted);
        words = thread::SmallestValues<K, std::uint32_t>(sorted);
      }
    }
    // For long lists, the code is loaded sooner than if it were larger: half as many words at once
    constexpr int at_once = K <= 16 ? K : K / 2;
#pragma unroll 1
    while (are_left()) {
      std::uint32_t batch[K];
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = j < at_once ? next_word() : thread::k_largest<std::uint32_t>;
      words.offer(batch);
    }
  }

  /// Makes the words of a sector for which `wanted` has bits, of the points number_of(j). Returns whether they are
  /// right: whether roots are certain and neighbours in order, the first of them after `before`, which becomes the
  /// last.
  template <class NumberOf>
  __device__ __forceinline__ bool make(Sector& sector, unsigned wanted, NeighborKey& before, NumberOf number_of) const {
    const auto is_wanted = [wanted](int j) { return (wanted >> j & 1) != 0; };
    std::uint32_t numbers[k_sector_words];
#pragma unroll
    for (int j = 0; j < k_sector_words; ++j) numbers[j] = is_wanted(j) ? number_of(j) : 0;
    Point<Real> points[k_sector_words];
    if (!stages_in_turns || near_.count() <= capacity_) {
#pragma unroll
      for (int j = 0; j < k_sector_words; ++j) points[j] = given(s_points_[numbers[j]]);
    } else {  // most have been overwritten
#pragma unroll
      for (int j = 0; j < k_sector_words; ++j)
        points[j] = search_.tree.d_given[numbers[j] > 0 ? near_.place_of(numbers[j] - 1) : 0];
    }
    bool are_right = true;
#pragma unroll
    for (int j = 0; j < k_sector_words; ++j) {
      const thread::ExactKey key = query_.key_of(points[j]);
      const thread::RoughRoot root(key.sq_dist());
      const NeighborKey own = neighbor_key(root.value(), key.index);
      if (is_wanted(j)) {
        are_right &= root.is_certain() && own >= before;
        before = own;
      }
      sector.ids[j] = key.index;
      sector.distances[j] = __float_as_uint(root.value());
    }
    return are_right;
  }

  /// Writes words `skipped` to `end` of a sector of row `row`, of which word 0 would be neighbour `begin`: to their
  /// place if they are the whole sector, and else to the slot. Four at a time: the number of stores decides the time
  /// for scattered rows.
  __device__ __forceinline__ void write(const Sector& sector, int begin, int skipped, int end, const RowSplit& split,
                                        const ResultRows& rows, const RowEnds& ends, std::uint32_t row) const {
    constexpr int per_store = 4;
    const std::int64_t first = row * rows.k + begin;
    std::uint32_t *d_ids = reinterpret_cast<std::uint32_t*>(rows.d_ids) + first,
                  *d_distances = reinterpret_cast<std::uint32_t*>(rows.d_distances) + first;
    if (end - skipped < k_sector_words) {
      d_ids = ends.d_slots + static_cast<std::int64_t>(row) * ends.slot_words;
      d_ids += skipped > 0 ? -(skipped / per_store * per_store) : 2 * RowSplit::in_halves(split.head);
      d_distances = d_ids + RowSplit::in_halves(end - skipped);
    }
#pragma unroll
    for (int j = 0; j < k_sector_words; j += per_store) {
      if (j + per_store <= skipped || j >= end) continue;
      *reinterpret_cast<uint4*>(d_ids + j) = {sector.ids[j], sector.ids[j + 1], sector.ids[j + 2], sector.ids[j + 3]};
      *reinterpret_cast<uint4*>(d_distances + j) = {sector.distances[j], sector.distances[j + 1],
                                                    sector.distances[j + 2], sector.distances[j + 3]};
    }
  }

  /// A staged point as it was given.
  __device__ __forceinline__ Point<Real> given(const PlacedPoint& staged) const {
    if constexpr (std::is_same_v<Real, float>) return staged;
    if constexpr (std::is_same_v<Real, double>) return search_.tree.d_given[staged.index];
  }
  __device__ __forceinline__ bool is_self(const PlacedPoint& staged, float sq_dist) const {
    if constexpr (!drops_self) return false;
    if constexpr (std::is_same_v<Real, float>) return query_.is(staged.index);
    return sq_dist == 0 && query_.is(search_.tree.d_points[staged.index].index);
  }

  /// Whether float32 proves that the point of `word` is nearer than that of `next`, and than all points outside of the
  /// ball.
  __device__ __forceinline__ bool is_before(std::uint32_t word, std::uint32_t next) const {
    const float unit = sq_radius_ * (1 / static_cast<float>(k_limit));
    const auto fixed = static_cast<float>(word >> k_number_bits),
               next_fixed = static_cast<float>(min(next >> k_number_bits, k_limit));
    // A word is off by half a unit; the relative error of `unit` and `scale` is 2⁻²²
    const float above = (fixed + 1) * unit * (1 + 0x1p-20f), below = (next_fixed - 1) * unit * (1 - 0x1p-20f);
    return below > query_.filter_above(query_.exact_above(above));
  }

  const Search<Real>& search_;
  const Query<Real>& query_;
  const float sq_radius_;
  const std::uint32_t capacity_;
  PlacedPoint* const s_points_;
  std::uint32_t* const s_masks_;  // the first of the lane's masks
  Points& near_;
  TensorFilter<Memory::k_batches> filter_;
  bool is_possible_;  // all points in all balls are known, and can be filtered and numbered
};

}  // namespace kann::cuda::exact
