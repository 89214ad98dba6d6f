#include "kann/search.hpp"

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/shifted_sort/window_search.cuh"

namespace kann::cuda {
namespace {

constexpr int k_select_threads = 128;

/// The best parameters of each list size, measured with 2²³ points.
template <int K>
struct Tuning {
  // Candidates per lane in the buffer; a larger one leaves less cache to the points.
  static constexpr int k_capacity = K <= 8 ? 12 : 20;
  // Candidates per group: with k = 16 and W = 38, the kernel takes 5.0 ms with 5, and 5.4 with 4.
  static constexpr int k_group = K <= 4 ? 6 : K <= 8 ? 4 : 5;
  // Blocks per multiprocessor, which limits their registers.
  static constexpr int k_blocks = K <= 8 ? 8 : K <= 16 ? 5 : 3;
};

/// One thread per query, in whole warps: lanes past the last query take part without writing.
template <int K>
__global__ void __launch_bounds__(k_select_threads, Tuning<K>::k_blocks)
    select_kernel(const __grid_constant__ Windows w, KeptLists lists, ResultRows rows) {
  const std::int64_t i = first_element();
  const bool active = i < w.query_count;
  const std::int64_t slot = active ? i : w.query_count - 1;

  const thread::Query query(w.d_queries[slot], w.drop_self, w.first_query);
  using CandidateBuffer = warp::CandidateBuffer<Tuning<K>::k_capacity>;
  __shared__ typename CandidateBuffer::Shared s_buffers[k_select_threads / warp::k_lanes];
  CandidateBuffer buffer(s_buffers[threadIdx.x / warp::k_lanes]);
  thread::NearestList<K> list;

  if (lists.first) {
    const Window window = window_around(w.d_ranks[0][slot], w.window, w.data_count);
    list = nearest_list_in<K>(w.d_data[0], window, query, buffer);
  } else {
    list.load(lists.d_kept + slot * K);
  }

  const FirstWindow first_window(w, slot);
  for (int j = lists.first ? 1 : 0; j < w.shifts; ++j) {
    const Window window = window_around(w.d_ranks[j][slot], w.window, w.data_count);
    merge_window<Tuning<K>::k_group>(w.d_data[j], window, first_window, query, buffer, list);
  }

  if (!active) return;
  if (lists.last) {
    list.write(rows, query.row);
  } else {
    list.store(lists.d_kept + slot * K);
  }
}

template <int K>
void launch(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  select_kernel<K>
      <<<blocks_for(windows.query_count, k_select_threads), k_select_threads, 0, stream>>>(windows, lists, rows);
  check_launch("select");
}

}  // namespace

void select(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  if (windows.query_count == 0) return;
  static_assert(k_max_shifted_k == k_max_register_list);
  thread::with_list(windows.list_size, [&](auto k) { launch<k()>(windows, lists, rows, stream); });
}

}  // namespace kann::cuda
