// Lists of 33 to 1,024 neighbours: a block searches for one query. Its warps traverse the tree together, and each tests
// the same 32 children. The points of a node of buckets are divided among the threads, which store the places of
// candidates within the bound in a buffer in shared memory; a flush merges them into the list.
#include "cuda/block/nearest_list.cuh"
#include "cuda/exact/bound.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/exact_key.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::exact {
namespace {

using thread::ExactKey;

constexpr int k_node_points = k_bucket_points * k_children;

template <int K, int Threads, class Real>
class BlockSearch {
 public:
  using List = block::NearestList<K, Threads, ExactKey>;

  struct Shared {
    typename List::Shared list;
    std::uint32_t buffer[K + k_node_points];
    int found;
    unsigned children[k_max_levels];
    std::int64_t first_child[k_max_levels];
  };

  /// For the query at `slot`.
  __device__ BlockSearch(const Search<Real>& search, const PlacedPoint& point, Shared& s_shared)
      : search_(search), s_(s_shared), list_(s_shared.list), query_(search, point) {}

  /// All threads of the block call it.
  __device__ void run(std::int64_t slot, const PlacedPoint& point, const ResultRows& rows) {
    if (threadIdx.x == 0) s_.found = 0;
    list_.clear();
    const BoxTreeView<Real>& tree = search_.tree;
    const std::int64_t place =
        search_.d_data_keys ? place_of(search_, rank_key(search_, point), query_.given()) : known_place(search_, slot);
    // One more than K points even where one of them is the query itself: K of them bound the search from the start
    const Window window = window_around(place, K / 2 + 1, tree.point_count);
    list_.merge(window.end - window.begin, [&](std::int64_t i) { return key_at(window.begin + i); });
    visit();
    list_.write(rows, row_of(search_, slot, query_));
    __syncthreads();  // the next query overwrites the list
  }

 private:
  __device__ ExactKey key_at(std::int64_t place) const {
    const Point<Real> p = search_.tree.d_given[place];
    return query_.is(p.index) ? ExactKey() : query_.key_of(p);
  }

  __device__ void visit() {
    const BoxTreeView<Real>& tree = search_.tree;
    if (tree.levels == 0) return;
    int level = tree.levels - 1;
    open(level, 0);
    while (level < tree.levels) {
      const unsigned children = s_.children[level];
      const std::int64_t first = s_.first_child[level];
      if (children == 0) {
        ++level;
        continue;
      }
      if (level == 0) {  // a node of buckets, all at once
        scan(first, children);
        ++level;
        continue;
      }
      const std::int64_t node = first + __ffs(static_cast<int>(children)) - 1;
      __syncthreads();  // all have read the children
      if (threadIdx.x == 0) s_.children[level] = children & (children - 1);
      const bool enters = query_.min_key(load_box(tree.d_boxes + tree.first[level] + node)) < list_.at(K - 1);
      __syncthreads();  // the children are written
      if (enters) open(--level, node * k_children);
    }
    flush();
  }

  /// Sets the nodes to visit on a level: those of the 32 from `first` on that may hold a neighbour.
  __device__ void open(int level, std::int64_t first) {
    const BoxTreeView<Real>& tree = search_.tree;
    const std::int64_t child = first + warp::lane_id();
    bool may_hold = false;
    if (child < tree.count[level])
      may_hold = query_.min_key(load_box(tree.d_boxes + tree.first[level] + child)) < list_.at(K - 1);
    const unsigned children = __ballot_sync(warp::k_all_lanes, may_hold);
    if (threadIdx.x == 0) {
      s_.children[level] = children;
      s_.first_child[level] = first;
    }
    __syncthreads();  // the children are written
  }

  /// Tests the points of those of the 32 buckets from `first` on that `children` has a bit for.
  __device__ void scan(std::int64_t first, unsigned children) {
    const BoxTreeView<Real>& tree = search_.tree;
    const ExactKey last = list_.at(K - 1);
    const float bound = last.is_absent() ? INFINITY : query_.filter_above(last.sq_dist());
    for (int i = threadIdx.x; i < k_node_points; i += Threads) {
      const std::int64_t place = first * k_bucket_points + i;
      if (!(children >> i / k_bucket_points & 1) || place >= tree.point_count) continue;
      if (query_.sq_dist_to(tree.d_points[place]) <= bound && key_at(place) < last)
        s_.buffer[atomicAdd(&s_.found, 1)] = static_cast<std::uint32_t>(place);
    }
    __syncthreads();  // the buffer is written
    if (s_.found >= K) flush();
    __syncthreads();  // all have read s_.found
  }

  /// Merges the buffer into the list, and empties it.
  __device__ void flush() {
    const int found = s_.found;
    list_.merge(found, [&](std::int64_t i) { return key_at(s_.buffer[i]); });
    __syncthreads();  // all have read s_.found; merge() has no barrier if it is 0
    if (threadIdx.x == 0) s_.found = 0;
    __syncthreads();  // the buffer is empty
  }

  const Search<Real>& search_;
  Shared& s_;
  List list_;
  Query<Real> query_;
};

template <int K, int Threads, class Real>
__global__ void __launch_bounds__(Threads)
    search_blocks_kernel(const __grid_constant__ Search<Real> search, ResultRows rows) {
  using Searcher = BlockSearch<K, Threads, Real>;
  __shared__ typename Searcher::Shared s_shared;
  for (std::int64_t i = blockIdx.x; i < search.query_count; i += gridDim.x) {
    const PlacedPoint point = query_at(search, i);
    Searcher(search, point, s_shared).run(i, point, rows);
  }
}

}  // namespace

template <class Real>
void search_by_blocks(const Search<Real>& search, const ResultRows& rows, cudaStream_t stream) {
  block::with_list(search.list_size, [&](auto k, auto threads) {
    search_blocks_kernel<k(), threads()><<<blocks_for(search.query_count, 1), threads(), 0, stream>>>(search, rows);
  });
  check_launch("exact search by blocks");
}

template void search_by_blocks(const Search<float>&, const ResultRows&, cudaStream_t);
template void search_by_blocks(const Search<double>&, const ResultRows&, cudaStream_t);

}  // namespace kann::cuda::exact
