// Lists of 33 to 1,024 neighbours: one block per query.
#include "cuda/block/nearest_list.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/shifted_sort/row_doubt.cuh"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/thread/query.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {
namespace {

template <int K, int Threads>
__global__ void __launch_bounds__(Threads)
    select_blocks_kernel(const __grid_constant__ Windows w, KeptLists lists, ResultRows rows) {
  using List = block::NearestList<K, Threads>;
  __shared__ typename List::Shared s_list;
  __shared__ int s_seen;
  List list(s_list);
  for (std::int64_t i = blockIdx.x; i < w.query_count; i += gridDim.x) {
    const thread::Query query(w.d_queries[i], w.drop_self);
    lists.first ? list.clear() : list.load(lists.d_kept + i * K);

    Evidence evidence;
    if (!lists.first) evidence = lists.d_evidence[i];
    std::int32_t seen = 0;  // by this thread
    const auto sq_dist_at = [&](std::int64_t place) { return sq_dist_of(list.at(place)); };
    const Window first = w.d_first ? window_around(w.d_first_ranks[i], w.window, w.data_count) : Window{0, 0};
    const auto first_begin = static_cast<std::uint32_t>(first.begin);
    const auto first_count = static_cast<std::uint32_t>(first.end - first.begin);
    for (int j = 0; j < w.shifts; ++j) {
      const bool begins = lists.first && j == 0;
      const PlacedPoint* const d_first = begins ? nullptr : w.d_first;
      const Window window = window_around(w.d_ranks[j][i], w.window, w.data_count);
      const float near = d_first ? sq_dist_at(w.list_size - 1) : -1.0f;
      list.merge(window.end - window.begin, [&](std::int64_t candidate) {
        const PlacedPoint p = w.d_data[j][window.begin + candidate];
        const float sq_dist = query.sq_dist_to(p);
        if (p.index - first_begin < first_count && sq_dist <= near) ++seen;
        const std::uint32_t row = d_first ? d_first[p.index].index : p.index;
        return query.is(row) ? k_absent : neighbor_key(sq_dist, row);
      });
      if (begins)
        evidence.first_ratio = doubt_ratio(sq_dist_at(0), sq_dist_at(min(k_doubt_neighbors, w.list_size) - 1));
    }

    if (threadIdx.x == 0) s_seen = evidence.seen;
    __syncthreads();  // s_seen is written
    if (seen > 0) atomicAdd(&s_seen, seen);
    __syncthreads();  // s_seen is complete
    evidence.seen = s_seen;
    if (lists.last) {
      if (threadIdx.x == 0 && lists.d_doubtful)
        lists.d_doubtful[i] = is_row_doubtful(w, i, query, evidence, sq_dist_at(0), sq_dist_at(w.list_size - 1));
      __syncthreads();  // the list has been read
      list.write(rows, query.row);
    } else {
      list.store(lists.d_kept + i * K);
      if (threadIdx.x == 0) lists.d_evidence[i] = evidence;
    }
    __syncthreads();  // the next query overwrites the list
  }
}

}  // namespace

void select_in_blocks(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  block::with_list(windows.list_size, [&](auto k, auto threads) {
    select_blocks_kernel<k(), threads()>
        <<<blocks_for(windows.query_count, 1), threads(), 0, stream>>>(windows, lists, rows);
  });
  check_launch("select_blocks");
}

}  // namespace kann::cuda
