// Lists of more than 32 neighbours: one warp per query. Candidates within the bound are collected, and sorted once per
// shift.
#include <algorithm>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/shifted_sort/row_doubt.cuh"
#include "cuda/shifted_sort/scratch_candidates.cuh"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/warp/candidate_list.cuh"
#include "cuda/warp/counted_bound.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// Lists of up to K neighbours in shared memory.
template <int K>
struct SharedLists {
  using List = warp::CandidateList<K>;
  static constexpr int k_blocks = K <= 64 ? 6 : K <= 128 ? 5 : 4;
  static constexpr bool k_is_bounded = true;  // by counting, before candidates are collected
  static constexpr int k_size = K;

  __device__ __forceinline__ List list_of(typename List::Memory& s_memory, int size) const {
    return List(s_memory, size);
  }
  static __device__ __forceinline__ std::int64_t list_stride(int) { return K; }
};

/// Any lists, in global memory.
struct ScratchLists {
  using List = ScratchCandidates;
  static constexpr int k_blocks = 4;
  static constexpr bool k_is_bounded = false;
  CandidateScratch scratch;
  std::int64_t stored_size;  // of a list between two groups of shifts

  __device__ __forceinline__ List list_of(List::Memory& s_memory, int size) const {
    return List(s_memory, scratch, first_element() / warp::k_lanes, size);
  }
  __device__ __forceinline__ std::int64_t list_stride(int) const { return stored_size; }
};

template <class Lists>
__global__ void __launch_bounds__(k_threads, Lists::k_blocks)
    select_lists_kernel(const __grid_constant__ Windows w, KeptLists lists, ResultRows rows,
                        const __grid_constant__ Lists lists_in) {
  using List = typename Lists::List;
  __shared__ typename List::Memory s_memory[k_warps];
#pragma unroll 1
  for (std::int64_t i = first_element() / warp::k_lanes; i < w.query_count; i += std::int64_t{gridDim.x} * k_warps) {
    const thread::Query query(w.d_queries[i], w.drop_self, w.first_query);
    const int size = static_cast<int>(w.list_size);
    List list = lists_in.list_of(s_memory[threadIdx.x / warp::k_lanes], size);
    Evidence evidence;
    if (!lists.first) {
      list.load(lists.d_kept + i * lists_in.list_stride(size));
      evidence = lists.d_evidence[i];
    }

    const Window first = w.d_first ? window_around(w.d_first_ranks[i], w.window, w.data_count) : Window{0, 0};
    const auto first_begin = static_cast<std::uint32_t>(first.begin);
    const auto first_count = static_cast<std::uint32_t>(first.end - first.begin);
    int seen = 0;  // by this lane
    for (int j = 0; j < w.shifts; ++j) {
      const bool begins = lists.first && j == 0;
      const PlacedPoint* const d_first = begins ? nullptr : w.d_first;
      const Window window = window_around(w.d_ranks[j][i], w.window, w.data_count);
      const PlacedPoint* const d_points = w.d_data[j] + window.begin;
      const int length = static_cast<int>(window.end - window.begin);
      const float near = d_first ? list.sq_dist_at(size - 1) : -1.0f;
      float bound = list.bound();
      if constexpr (Lists::k_is_bounded)
        if (begins) bound = warp::counted_bound<Lists::k_size>(w.d_data[j], window, query, size, w.dimensions);
      // One step more than the window has, for what is in the list then
      for (int begin = 0; begin < length + warp::k_lanes; begin += warp::k_lanes) {
        if (list.needs_flush() || begin >= length) {
          list.flush();
          bound = fminf(bound, list.bound());
        }
        const int candidate = begin + warp::lane_id();
        float sq_dist = INFINITY;
        bool enters = false;
        std::uint32_t row = 0;
        if (candidate < length) {
          const PlacedPoint p = d_points[candidate];
          sq_dist = query.sq_dist_to(p);
          row = p.index;
          enters = sq_dist <= bound;
          if (d_first) {
            const bool was_first = p.index - first_begin < first_count;
            seen += was_first && sq_dist <= near;
            enters = enters && !was_first;
            if (enters) row = d_first[p.index].index;
          }
          enters = enters && !query.is(row);
        }
        list.append(neighbor_key(sq_dist, row), enters);
      }
      if (begins)
        evidence.first_ratio =
            doubt_ratio(list.sq_dist_at(0), list.sq_dist_at(static_cast<int>(min(k_doubt_neighbors, w.list_size)) - 1));
    }

    evidence.seen += warp::reduce_add(seen);
    if (lists.last) {
      if (lists.d_doubtful) {
        const bool is_doubtful = is_row_doubtful(w, i, query, evidence, list.sq_dist_at(0), list.sq_dist_at(size - 1));
        if (warp::lane_id() == 0) lists.d_doubtful[i] = is_doubtful;
      }
      list.write(rows, query.row);
    } else {
      list.store(lists.d_kept + i * lists_in.list_stride(size));
      if (warp::lane_id() == 0) lists.d_evidence[i] = evidence;
    }
    __syncwarp();  // the next query overwrites the list
  }
}

template <int K>
void launch_shared(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  select_lists_kernel<<<blocks_for(windows.query_count, k_warps), k_threads, 0, stream>>>(windows, lists, rows,
                                                                                          SharedLists<K>());
}

void launch_scratch(Pool& pool, const Windows& windows, const KeptLists& lists, const ResultRows& rows) {
  const std::int64_t capacity =
      windows.list_size + std::min(2 * windows.window, windows.data_count) + 2 * warp::k_lanes;
  constexpr std::int64_t most_bytes = std::int64_t{2} << 30, most_blocks = 132 * 4;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(most_bytes / (capacity * k_warps * 2 * static_cast<std::int64_t>(sizeof(NeighborKey))),
                               1, std::min<std::int64_t>(most_blocks, blocks_for(windows.query_count, k_warps)));
  const Buffer<NeighborKey> keys(pool, blocks * k_warps * capacity), sorted(pool, blocks * k_warps * capacity);
  const ScratchLists scratch{{keys.data(), sorted.data(), capacity}, rounded_list_size(windows.list_size)};
  select_lists_kernel<<<static_cast<unsigned>(blocks), k_threads, 0, pool.stream()>>>(windows, lists, rows, scratch);
}

}  // namespace

void select_in_lists(Pool& pool, const Windows& windows, const KeptLists& lists, const ResultRows& rows) {
  if (windows.list_size <= 64)
    launch_shared<64>(windows, lists, rows, pool.stream());
  else if (windows.list_size <= 128)
    launch_shared<128>(windows, lists, rows, pool.stream());
  else if (windows.list_size <= k_max_warp_list)
    launch_shared<k_max_warp_list>(windows, lists, rows, pool.stream());
  else
    launch_scratch(pool, windows, lists, rows);
  check_launch("select_lists");
}

}  // namespace kann::cuda
