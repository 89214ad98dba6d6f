#include "cuda/order/on_curve.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/shifted_sort/rank.hpp"
#include "cuda/thread/binary_search.cuh"

namespace kann::cuda {
namespace {

/// A search in an order of a Morton curve. Used by one thread per query.
template <int D>
struct Searcher {
  SortedPoints order;
  Shift shift;

  __device__ std::uint64_t prefix(std::int64_t i) const { return order.d_keys[i] >> order.key_bit; }
  __device__ OnMortonCurve<D> on_curve(const PlacedPoint& p) const { return {p, order.grid, shift}; }
  __device__ bool is_past(std::int64_t i, const OnMortonCurve<D>& own) const {
    return on_curve(order.d_placed[i]).compare(own) > 0;
  }

  /// A run of points of prefix `mine` ends at `end` and is not empty. Returns the end of those of its points that do
  /// not come after `own`.
  __device__ __forceinline__ std::int64_t end_within_run(std::int64_t end, std::uint64_t mine,
                                                         const OnMortonCurve<D>& own) const {
    constexpr int few = 3;  // most runs are no longer than this
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
    std::int64_t step = 1;  // exponential search for the run's head: all points may be one run
    while (end - step >= 0 && prefix(end - step) == mine) step *= 2;
    const std::int64_t begin = end - step >= 0 ? end - step + 1 : 0;
    const std::int64_t head = thread::partition_point(begin, end, [&](std::int64_t i) { return prefix(i) != mine; });
    return thread::partition_point(head, end, [&](std::int64_t i) { return !is_past(i, own); });
  }
};

/// One thread per query. Eight blocks per multiprocessor: with six, which 34 registers would allow, all ranks take
/// 0.54 ms instead of 0.48.
template <int D>
__global__ void __launch_bounds__(k_block_threads, 8)
    rank_kernel(const __grid_constant__ Searcher<D> searcher, const std::uint32_t* d_begins, int low_bits,
                const __grid_constant__ PointSequence queries, std::int64_t query_count, PlacedPoint* d_placed,
                std::uint32_t* d_ranks) {
  const SortedPoints& order = searcher.order;
  const std::int64_t i = first_element();
  if (i >= query_count) return;
  const PlacedPoint query = point_at<D>(queries, i);
  if (d_placed) d_placed[i] = query;
  const OnMortonCurve<D> own = searcher.on_curve(query);
  const std::uint64_t mine = own.key(searcher.shift) >> order.rest_bits;
  const std::uint64_t last = (mine << order.key_bit) | ((std::uint64_t{1} << order.key_bit) - 1);
  const auto leading = static_cast<std::uint32_t>(last >> low_bits);
  const std::uint32_t begin = d_begins[leading], end = d_begins[leading + 1];
  std::int64_t rank = begin + thread::count_up_to(order.d_keys + begin, end - begin, last);
  if (order.rest_bits > 0 && rank > 0 && searcher.prefix(rank - 1) == mine)
    rank = searcher.end_within_run(rank, mine, own);
  d_ranks[i] = static_cast<std::uint32_t>(rank);
}

/// One thread per point of the order.
template <int D>
__global__ void rank_own_kernel(const __grid_constant__ Searcher<D> searcher, bool by_index, std::uint32_t* d_ranks) {
  const std::int64_t count = searcher.order.count;
  const std::int64_t i = first_element();
  if (i >= count) return;
  std::int64_t end = i + 1;
  const std::uint64_t mine = searcher.prefix(i);
  if (end < count && searcher.prefix(end) == mine) {
    const OnMortonCurve<D> own = searcher.on_curve(searcher.order.d_placed[i]);
    const auto is_before = [&](std::int64_t j) { return searcher.prefix(j) == mine && !searcher.is_past(j, own); };
    std::int64_t step = 1;
    while (i + step < count && is_before(i + step)) step *= 2;
    end = thread::partition_point(i + step / 2, i + step < count ? i + step : count, is_before);
  }
  d_ranks[by_index ? searcher.order.d_placed[i].index : i] = static_cast<std::uint32_t>(end);
}

template <int D>
void launch_rank(const SortedPoints& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                 const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream) {
  rank_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(Searcher<D>{order, shift}, table.d_begins(),
                                                                 order.key_bits - table.bits_for(order), queries, count,
                                                                 d_placed, d_ranks);
  check_launch("rank");
}

template <int D>
void launch_rank_own(const SortedPoints& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks,
                     cudaStream_t stream) {
  rank_own_kernel<<<blocks_for(order.count), k_block_threads, 0, stream>>>(Searcher<D>{order, shift}, by_index,
                                                                           d_ranks);
  check_launch("rank_own");
}

}  // namespace

void rank_queries(const SortedPoints& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                  const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream) {
  if (count == 0) return;
  const auto launch = shift.dimensions == 3 ? launch_rank<3> : launch_rank<2>;
  launch(order, table, queries, count, shift, d_placed, d_ranks, stream);
}

void rank_own(const SortedPoints& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks,
              cudaStream_t stream) {
  if (order.count == 0) return;
  const auto launch = shift.dimensions == 3 ? launch_rank_own<3> : launch_rank_own<2>;
  launch(order, by_index, shift, d_ranks, stream);
}

}  // namespace kann::cuda
