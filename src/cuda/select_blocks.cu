// Lists of 33 to 1,024 neighbours: one block a query, the list in shared memory. A list and as many candidates are
// sorted together, repeated keys are dropped, and the first half is the new list.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "cuda/launch.cuh"
#include "cuda/select.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {
namespace {

struct Less {
  __device__ bool operator()(NeighborKey a, NeighborKey b) const { return a < b; }
};

/// Lists of K keys (a power of two), Threads threads a block.
template <int K, int Threads>
class BlockSelector {
 public:
  static constexpr int k_items = 2 * K / Threads;  // keys a thread sorts
  using Sort = cub::BlockMergeSort<NeighborKey, Threads, k_items>;
  using Scan = cub::BlockScan<int, Threads>;

  struct Shared {
    NeighborKey list[K];
    NeighborKey last[Threads];  // each thread's largest key
    union {
      typename Sort::TempStorage sort;
      typename Scan::TempStorage scan;
    };
  };

  __device__ BlockSelector(Shared& shared) : shared_(shared) {}

  /// The list of one query before and after a shift. All threads of the block call it.
  __device__ void run(const Candidates& c, std::int64_t i, bool first, NeighborKey* d_list) {
    for (int j = threadIdx.x; j < K; j += Threads) shared_.list[j] = first ? k_absent : d_list[j];
    const QueryPoint query(c, i);
    const Window window = window_around(c.d_ranks[i], c.window, c.data_count);
    for (std::int64_t begin = window.begin; begin < window.end; begin += K) merge(query, c, begin, window.end);
    __syncthreads();  // the last merge has written the list
    for (int j = threadIdx.x; j < K; j += Threads) d_list[j] = shared_.list[j];
    __syncthreads();  // the next query overwrites it
  }

 private:
  /// Merges the candidates at places [begin, min(begin + K, end)) into the list.
  __device__ void merge(const QueryPoint& query, const Candidates& c, std::int64_t begin, std::int64_t end) {
    // The list and the candidates, one after the other, in blocked order
    __syncthreads();  // the list is written
    NeighborKey keys[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      const int at = static_cast<int>(threadIdx.x) * k_items + j;
      const std::int64_t place = begin + at - K;
      keys[j] = at < K ? shared_.list[at] : place < end ? query.key_of(c.d_data[place]) : k_absent;
    }
    Sort(shared_.sort).Sort(keys, Less());

    // Mark the first of equal keys; absent ones need no mark
    shared_.last[threadIdx.x] = keys[k_items - 1];
    __syncthreads();  // `last` is written, and the sort has left its storage to the scan
    NeighborKey before = threadIdx.x > 0 ? shared_.last[threadIdx.x - 1] : k_absent;
    int places[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      places[j] = keys[j] != before && keys[j] != k_absent;
      before = keys[j];
    }

    // Close the gaps
    int heads[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) heads[j] = places[j];
    int distinct = 0;
    Scan(shared_.scan).ExclusiveSum(places, places, distinct);
#pragma unroll
    for (int j = 0; j < k_items; ++j)
      if (heads[j] && places[j] < K) shared_.list[places[j]] = keys[j];
    for (int j = distinct + static_cast<int>(threadIdx.x); j < K; j += Threads) shared_.list[j] = k_absent;
  }

  Shared& shared_;
};

template <int K, int Threads>
__global__ void __launch_bounds__(Threads) select_blocks_kernel(Candidates c, bool first, NeighborKey* d_kept) {
  using Selector = BlockSelector<K, Threads>;
  __shared__ typename Selector::Shared shared;
  Selector selector(shared);
  for (std::int64_t i = blockIdx.x; i < c.query_count; i += gridDim.x) selector.run(c, i, first, d_kept + i * K);
}

template <int K, int Threads>
void launch(const Candidates& c, bool first, NeighborKey* d_kept, cudaStream_t stream) {
  select_blocks_kernel<K, Threads><<<blocks_for(c.query_count, 1), Threads, 0, stream>>>(c, first, d_kept);
  check_launch("select_blocks");
}

}  // namespace

void select_in_blocks(const Candidates& c, std::int64_t list_size, bool first, NeighborKey* d_kept,
                      cudaStream_t stream) {
  switch (list_stride(list_size)) {
    case 64:
      return launch<64, 32>(c, first, d_kept, stream);
    case 128:
      return launch<128, 64>(c, first, d_kept, stream);
    case 256:
      return launch<256, 128>(c, first, d_kept, stream);
    case 512:
      return launch<512, 256>(c, first, d_kept, stream);
    default:
      return launch<1024, 256>(c, first, d_kept, stream);
  }
}

}  // namespace kann::cuda
