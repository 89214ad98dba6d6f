// Lists of 33 to 1,024 neighbours: one block per query.
#include "cuda/block/nearest_list.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
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
  List list(s_list);
  for (std::int64_t i = blockIdx.x; i < w.query_count; i += gridDim.x) {
    const thread::Query query(w.d_queries[i], w.drop_self);
    lists.first ? list.clear() : list.load(lists.d_kept + i * K);

    bool far = !lists.first && lists.d_far[i];
    for (int j = 0; j < w.shifts; ++j) {
      const bool begins = lists.first && j == 0;
      const PlacedPoint* const d_first = begins ? nullptr : w.d_first;
      const auto merge = [&](std::int64_t half) {
        const Window window = window_around(w.d_ranks[j][i], half, w.data_count);
        list.merge(window.end - window.begin, [&](std::int64_t candidate) {
          const PlacedPoint p = w.d_data[j][window.begin + candidate];
          const std::uint32_t row = d_first ? d_first[p.index].index : p.index;
          return query.is(row) ? k_absent : neighbor_key(query.sq_dist_to(p), row);
        });
      };
      if (begins) {
        merge(w.window);
        far = w.far_window > w.window && is_far(sq_dist_of(list.at(0)), sq_dist_of(list.at(k_far_neighbors - 1)));
        if (far) merge(w.far_window);
      } else {
        merge(far ? w.far_window : w.window);
      }
    }

    if (lists.last) {
      list.write(rows, query.row);
    } else {
      list.store(lists.d_kept + i * K);
      if (threadIdx.x == 0) lists.d_far[i] = far;
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
