#include <algorithm>
#include <bit>

#include "cuda/order/on_curve.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/shifted_sort/rank.hpp"
#include "cuda/warp/partition_point.cuh"

namespace kann::cuda {
namespace {

/// The first place in [begin, end) that `is_past`, or `end`; what is past stays past.
template <class IsPast>
__device__ __forceinline__ std::int64_t first_past(std::int64_t begin, std::int64_t end, IsPast is_past) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (is_past(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

template <int D>
struct Searcher {
  RankedOrder order;
  Shift shift;

  __device__ std::uint64_t prefix(std::int64_t i) const { return order.d_keys[i] >> order.key_bit; }
  __device__ OnMortonCurve<D> on_curve(const PlacedPoint& p) const { return {p, order.grid, shift}; }
  __device__ bool is_past(std::int64_t i, const OnMortonCurve<D>& own) const {
    return on_curve(order.d_placed[i]).compare(own, shift) > 0;
  }

  /// The end of those points of the run of prefix `mine` that ends at `end`, not empty, that do not come after `own`.
  __device__ __forceinline__ std::int64_t end_within_run(std::int64_t end, std::uint64_t mine,
                                                         const OnMortonCurve<D>& own) const {
    constexpr int few = 3;  // most runs are as short
    for (int i = 0; i < few; ++i) {
      if (!is_past(end - 1, own)) return end;
      --end;
      if (end == 0 || prefix(end - 1) != mine) return end;
    }
    return end_within_long_run(end, mine, own);
  }

 private:
  __device__ __noinline__ std::int64_t end_within_long_run(std::int64_t end, std::uint64_t mine,
                                                           OnMortonCurve<D> own) const {
    std::int64_t step = 1;  // gallop to the run's head: all points may be one run
    while (end - step >= 0 && prefix(end - step) == mine) step *= 2;
    const std::int64_t begin = end - step >= 0 ? end - step + 1 : 0;
    const std::int64_t head = first_past(begin, end, [&](std::int64_t i) { return prefix(i) == mine; });
    return first_past(head, end, [&](std::int64_t i) { return is_past(i, own); });
  }
};

/// The number of the `count` ascending keys that are at most `last`, in as many steps for all threads: halves while
/// there are many, the last few at once, since each step waits for a fetch.
__device__ __forceinline__ std::uint32_t count_up_to(const std::uint64_t* d_keys, std::uint32_t count,
                                                     std::uint64_t last) {
  constexpr int few = 8;
  std::uint32_t found = 0;  // keys known to be at most `last`
  while (count > few) {
    const std::uint32_t half = (count + 1) / 2;
    if (d_keys[found + half - 1] <= last) found += half;
    count -= half;
  }
  // From one address: from d_keys, each fetch would make its own of found + j
  const std::uint64_t* const d_last_few = d_keys + found;
#pragma unroll
  for (int j = 0; j < few; ++j)
    if (j < count) found += d_last_few[j] <= last;
  return found;
}

/// d_begins[b] = the number of keys below those whose leading bits are b. The keys of a block's entries lie together:
/// two warps find where, and each thread looks for its own among them.
__global__ void __launch_bounds__(k_block_threads)
    fill_table_kernel(const std::uint64_t* d_keys, std::uint32_t count, int low_bits, std::uint32_t* d_begins,
                      std::uint32_t entries) {
  const auto first_key = [&](std::int64_t entry) { return static_cast<std::uint64_t>(entry) << low_bits; };
  const std::int64_t b = first_element(), block_begin = b - threadIdx.x;
  __shared__ std::uint32_t s_bounds[2];
  if (threadIdx.x < 2 * warp::k_lanes) {
    const unsigned side = threadIdx.x / warp::k_lanes;
    const std::int64_t entry = block_begin + side * k_block_threads;
    const std::int64_t bound = entry >= entries - 1 ? count : warp::partition_point(0, count, [&](std::int64_t place) {
      return d_keys[place] < first_key(entry);
    });
    s_bounds[side] = static_cast<std::uint32_t>(bound);
  }
  __syncthreads();
  if (b >= entries) return;
  const std::uint32_t begin = s_bounds[0];
  d_begins[b] = threadIdx.x == 0   ? begin
                : b == entries - 1 ? count
                                   : begin + count_up_to(d_keys + begin, s_bounds[1] - begin, first_key(b) - 1);
}

/// One thread a query. Eight blocks a multiprocessor: with the six that 34 registers leave, all ranks take 0.54 ms
/// instead of 0.48.
template <int D>
__global__ void __launch_bounds__(k_block_threads, 8)
    rank_kernel(const __grid_constant__ Searcher<D> searcher, const std::uint32_t* d_begins, int low_bits,
                const __grid_constant__ PointSequence queries, std::int64_t query_count, PlacedPoint* d_placed,
                std::uint32_t* d_ranks) {
  const RankedOrder& order = searcher.order;
  const std::int64_t i = first_element();
  if (i >= query_count) return;
  const PlacedPoint query = point_at<D>(queries, i);
  if (d_placed) d_placed[i] = query;
  const OnMortonCurve<D> own = searcher.on_curve(query);
  const std::uint64_t mine = own.key(searcher.shift) >> order.rest_bits;
  const std::uint64_t last = (mine << order.key_bit) | ((std::uint64_t{1} << order.key_bit) - 1);
  const auto leading = static_cast<std::uint32_t>(last >> low_bits);
  const std::uint32_t begin = d_begins[leading], end = d_begins[leading + 1];
  std::int64_t rank = begin + count_up_to(order.d_keys + begin, end - begin, last);
  if (order.rest_bits > 0 && rank > 0 && searcher.prefix(rank - 1) == mine)
    rank = searcher.end_within_run(rank, mine, own);
  d_ranks[i] = static_cast<std::uint32_t>(rank);
}

template <int D>
__global__ void rank_own_kernel(const __grid_constant__ Searcher<D> searcher, bool by_index, std::uint32_t* d_ranks) {
  const std::int64_t count = searcher.order.count;
  const std::int64_t i = first_element();
  if (i >= count) return;
  std::int64_t end = i + 1;
  const std::uint64_t mine = searcher.prefix(i);
  if (end < count && searcher.prefix(end) == mine) {
    const OnMortonCurve<D> own = searcher.on_curve(searcher.order.d_placed[i]);
    const auto is_past = [&](std::int64_t j) { return searcher.prefix(j) != mine || searcher.is_past(j, own); };
    std::int64_t step = 1;
    while (i + step < count && !is_past(i + step)) step *= 2;
    end = first_past(i + step / 2, i + step < count ? i + step : count, is_past);
  }
  d_ranks[by_index ? searcher.order.d_placed[i].index : i] = static_cast<std::uint32_t>(end);
}

template <int D>
void launch_rank(const RankedOrder& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                 const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream) {
  rank_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(Searcher<D>{order, shift}, table.d_begins(),
                                                                 order.key_bits - table.bits_for(order), queries, count,
                                                                 d_placed, d_ranks);
  check_launch("rank");
}

template <int D>
void launch_rank_own(const RankedOrder& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks,
                     cudaStream_t stream) {
  rank_own_kernel<<<blocks_for(order.count), k_block_threads, 0, stream>>>(Searcher<D>{order, shift}, by_index,
                                                                           d_ranks);
  check_launch("rank_own");
}

}  // namespace

// About sixteen keys an entry where codes are spread evenly: for 2²³ keys 0.02 ms less than with eight, or 32.
PrefixTable::PrefixTable(Pool& pool, std::int64_t count)
    : bits_(std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 5, 1, 20)),
      begins_(pool, (std::int64_t{1} << bits_) + 1) {}

int PrefixTable::bits_for(const RankedOrder& order) const { return std::min(bits_, order.key_bits); }

void PrefixTable::fill(const RankedOrder& order, cudaStream_t stream) {
  const int bits = bits_for(order);
  const std::uint32_t entries = (std::uint32_t{1} << bits) + 1;
  fill_table_kernel<<<blocks_for(entries), k_block_threads, 0, stream>>>(
      order.d_keys, static_cast<std::uint32_t>(order.count), order.key_bits - bits, begins_.data(), entries);
  check_launch("rank table");
}

void rank_queries(const RankedOrder& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                  const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream) {
  if (count == 0) return;
  const auto launch = shift.dimensions == 3 ? launch_rank<3> : launch_rank<2>;
  launch(order, table, queries, count, shift, d_placed, d_ranks, stream);
}

void rank_own(const RankedOrder& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks,
              cudaStream_t stream) {
  if (order.count == 0) return;
  const auto launch = shift.dimensions == 3 ? launch_rank_own<3> : launch_rank_own<2>;
  launch(order, by_index, shift, d_ranks, stream);
}

}  // namespace kann::cuda
