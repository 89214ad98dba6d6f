#include <bit>

#include "cuda/launch.cuh"
#include "cuda/select.cuh"
#include "cuda/warp/far_window.cuh"
#include "cuda/warp/window_search.cuh"

namespace kann::cuda {
namespace {

// Above this a list no longer fits a thread's registers: 32 keys are 64 of at most 255.
constexpr std::int64_t k_max_register_list = 32;

constexpr int k_select_threads = 128;

/// One thread a query; whole warps stay together, for the far windows.
template <int K>
__global__ void __launch_bounds__(k_select_threads)
    select_kernel(const __grid_constant__ Windows w, KeptLists lists, ResultRows rows) {
  const std::int64_t i = first_element();
  const bool active = i < w.query_count;
  const std::int64_t slot = active ? i : w.query_count - 1;

  const thread::Query query(w.d_queries[slot], w.drop_self);
  __shared__ typename warp::FindsFor<K>::Shared s_finds[k_select_threads / warp::k_lanes];
  warp::FindsFor<K> finds(s_finds[threadIdx.x / warp::k_lanes]);
  thread::NearestList<K> list;
  if (!lists.first) list.load(lists.d_kept + slot * K);

  for (int j = 0; j < w.shifts; ++j) {
    // The window
    const PlacedPoint* const d_data = w.d_data[j];
    const std::int64_t rank = w.d_ranks[j][slot];
    const Window window = window_around(rank, w.window, w.data_count);
    if (lists.first && j == 0) {
      warp::begin_list(d_data, window, query, finds, list);
    } else {
      warp::merge_window(d_data, window, query, finds, list);
    }

    // The far windows of the warp's queries
    if (w.far_window > w.window) {
      const NeighborKey last = w.list_size == K ? list.last() : list.at(static_cast<int>(w.list_size) - 1);
      const bool far = last != k_absent && is_far(sq_dist_of(list.first()), sq_dist_of(last));
      const Window far_window = window_around(rank, w.far_window, w.data_count);
      for (unsigned lanes = __ballot_sync(warp::k_all_lanes, far); lanes; lanes &= lanes - 1)
        warp::merge_far_window(d_data, far_window, query, __ffs(static_cast<int>(lanes)) - 1, list);
    }
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

std::int64_t list_stride(std::int64_t list_size) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(list_size)));
}

bool fits_registers(std::int64_t list_size) { return list_size <= k_max_register_list; }

void select_in_registers(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  switch (list_stride(windows.list_size)) {
    case 1:
      return launch<1>(windows, lists, rows, stream);
    case 2:
      return launch<2>(windows, lists, rows, stream);
    case 4:
      return launch<4>(windows, lists, rows, stream);
    case 8:
      return launch<8>(windows, lists, rows, stream);
    case 16:
      return launch<16>(windows, lists, rows, stream);
    default:
      return launch<32>(windows, lists, rows, stream);
  }
}

void select(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream) {
  if (windows.query_count == 0) return;
  fits_registers(windows.list_size) ? select_in_registers(windows, lists, rows, stream)
                                    : select_in_blocks(windows, lists, rows, stream);
}

}  // namespace kann::cuda
