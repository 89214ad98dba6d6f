// Searches with lists of more than 16 neighbours: a warp searches for one query after another. It collects all points
// within a guess at the distance of the last neighbour, and sorts them once; if they are too few, the guess grows.
#include <algorithm>

#include "cuda/exact/exact_float32_limit.cuh"
#include "cuda/exact/lists/guess.cuh"
#include "cuda/exact/lists/lattice_list.cuh"
#include "cuda/exact/lists/list_search.cuh"
#include "cuda/exact/lists/long_list.cuh"
#include "cuda/exact/lists/query_run.cuh"
#include "cuda/exact/lists/scratch_list.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"

namespace kann::cuda::exact {
namespace {

/// The longest list that is bounded by counting the points of a window; longer ones begin with a
/// guess from this many points.
constexpr int k_max_counted = 256;
/// The longest list in the shared memory of a warp.
constexpr int k_max_shared = 1024;
/// The longest list of queries whose search is wide that search_queued() takes. Nodes are visited in the order of the
/// data here, and from the nearest on there.
constexpr int k_max_single = 64;

template <class Lists>
constexpr int k_threads = Lists::k_warps* warp::k_lanes;

/// How much farther than the neighbours of a query to look for nodes, relative to their distance: for the next queries,
/// which are likely to be near.
constexpr float k_spare_reach = 0.8f;

/// Lists that are made of a query and shared memory alone.
template <class ListType, class Real>
struct ListsInSharedMemory {
  using List = ListType;

  __device__ __forceinline__ List list_of(const Search<Real>& search, const Query<Real>& query,
                                          typename List::Memory& s_memory) const {
    return List(search.tree, query, static_cast<int>(search.list_size), s_memory);
  }
};

/// Lists of up to K neighbours.
template <int K, class Real>
struct SharedLists : ListsInSharedMemory<LongList<K, Real>, Real> {
  static constexpr int k_warps = K <= k_max_counted ? 4 : K <= 512 ? 2 : 1;
  static constexpr int k_blocks = K <= 64 ? 8 : K <= 128 ? 7 : K <= 256 ? 6 : K <= 512 ? 9 : 10;
  static constexpr int k_counted = std::min(K, k_max_counted);
  static constexpr bool k_is_bounded = K <= k_max_counted;
  static constexpr bool k_guesses = true;
  static constexpr bool k_leaves_wide = K <= k_max_single;

  /// Whether the list may take points of up to a float32 squared distance.
  __device__ __forceinline__ bool serves(const Search<Real>&, const Query<Real>&, float) const { return true; }
};

/// Lists of up to K neighbours, for clouds on a lattice.
template <int K>
struct LatticeLists : ListsInSharedMemory<LatticeList<K>, float> {
  static constexpr int k_warps = 4, k_blocks = 4;
  static constexpr int k_counted = K;
  static constexpr bool k_is_bounded = true;
  static constexpr bool k_guesses = false;  // a proven bound shows in advance whether the list serves
  static constexpr bool k_leaves_wide = false;

  __device__ __forceinline__ bool serves(const Search<float>& search, const Query<float>& query, float bound) const {
    return bound < exact_float32_limit(search.tree, query);
  }
};

/// Any lists, in global memory.
template <class Real>
struct ScratchLists {
  using List = ScratchList<Real>;
  static constexpr int k_warps = 4, k_blocks = 4;
  static constexpr int k_counted = k_max_counted;
  static constexpr bool k_is_bounded = false;
  static constexpr bool k_guesses = true;
  static constexpr bool k_leaves_wide = false;
  ListScratch scratch;

  __device__ __forceinline__ bool serves(const Search<Real>&, const Query<Real>&, float) const { return true; }
  __device__ __forceinline__ List list_of(const Search<Real>& search, const Query<Real>& query,
                                          typename List::Memory& s_memory) const {
    return List(search.tree, query, static_cast<int>(search.list_size), s_memory, scratch,
                first_element() / warp::k_lanes);
  }
};

/// A warp searches for `at_once` ≤ 32 queries that follow each other, whose points and places its lanes find together.
/// Queries that float32 does not decide are added to `undecided`; ScratchLists decide all. Queries whose search is wide
/// are added to `wide`, if Lists leave them.
template <class Lists, class Real>
__global__ void __launch_bounds__(k_threads<Lists>, Lists::k_blocks)
    search_lists_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, int at_once,
                        const __grid_constant__ Lists lists, QueryQueue some, QueryQueue undecided, QueryQueue wide) {
  using List = typename Lists::List;
  __shared__ WarpMemory<List, Real> s_memory[Lists::k_warps];
  WarpMemory<List, Real>& s_own = s_memory[threadIdx.x / warp::k_lanes];
  const auto size = static_cast<int>(search.list_size);
  const std::int64_t query_count = some.d_count ? *some.d_count : search.known_query_count();
  const std::int64_t stride = std::int64_t{gridDim.x} * Lists::k_warps * at_once;
#pragma unroll 1
  for (std::int64_t begin = first_element() / warp::k_lanes * at_once; begin < query_count; begin += stride) {
    const std::int64_t end = min(begin + at_once, query_count);
    const bool is_first = wide.d_count;  // whether other searches follow
    const auto leaves_all_to = [&](const QueryQueue& queue) {
      const std::int64_t own = begin + warp::lane_id();
      const bool are_left = __any_sync(warp::k_all_lanes, are_many(queue.count(), static_cast<std::uint32_t>(begin)));
      if (are_left)
        queue.add(own < end, some.d_slots && own < end ? some.d_slots[own] : static_cast<std::uint32_t>(own));
      return are_left;
    };
    if (is_first && (leaves_all_to(undecided) || (Lists::k_leaves_wide && leaves_all_to(wide)))) continue;
    const QueryRun<Lists, Real> run(search, some.d_slots, begin, end, s_own.queries);
    Guess guess(size);
    NearNodes<Real> nodes(search.tree, s_own.nodes);
#pragma unroll 1
    for (int i = 0; i < run.count(); ++i) {
      const Query<Real> query = run.query(i);
      ListSearch<Lists, Real> list_search(search, query, nodes, lists.list_of(search, query, s_own.list), s_own);
      float radius = -1;
      if (Lists::k_guesses && size > 0) {
        guess.begin(query.given());
        if (!Lists::k_is_bounded && !guess.is_left()) guess.set(run.rough_radius(i, query));
      }
#pragma unroll 1
      while (true) {
        const bool is_guess = guess.is_left() && guess.radius() < INFINITY;
        const float bound = size == 0  ? 0.0f
                            : is_guess ? query.filter_above(static_cast<double>(guess.radius()) * guess.radius())
                                       : run.bound(i, query);
        Outcome outcome = Outcome::found;
        if (!lists.serves(search, query, bound))
          outcome = Outcome::undecided;
        else if (size > 0)
          outcome = list_search.search_within(bound, is_guess, is_guess ? k_spare_reach : 0);
        if (outcome == Outcome::found && !list_search.write(rows, query.row, radius)) outcome = Outcome::undecided;
        if (outcome == Outcome::undecided) undecided.add(warp::lane_id() == 0, run.slot(i));
        if (Lists::k_leaves_wide && outcome == Outcome::wide) wide.add(warp::lane_id() == 0, run.slot(i));
        if (outcome == Outcome::undecided || outcome == Outcome::wide) break;
        if (outcome == Outcome::found && (!is_guess || (radius >= 0 && radius <= guess.radius()))) break;
        guess.grow(list_search.count());
      }
      guess.end(query.given(), radius);
      __syncwarp();  // the next query overwrites the list
    }
    __syncwarp();  // the next queries overwrite the run
  }
}

/// The number of queries that a warp searches for together: as many as let every multiprocessor have eight warps.
int queries_at_once(std::int64_t query_count) {
  const std::int64_t enough_warps = resident_blocks(8);
  return static_cast<int>(std::clamp<std::int64_t>(query_count / enough_warps, 1, warp::k_lanes));
}

template <class Lists, class Real>
void launch(Pool& pool, const Search<Real>& search, const ResultRows& rows, std::int64_t blocks, int at_once,
            const Lists& lists, QueryQueue some, QueryQueue undecided, QueryQueue wide = {}) {
  search_lists_kernel<<<static_cast<unsigned>(blocks), k_threads<Lists>, 0, pool.stream()>>>(
      search, rows, at_once, lists, some, undecided, wide);
  check_launch("exact search of long lists");
}

/// The number of blocks for a search for some of the queries, if the host does not know how many there are.
template <class Lists>
std::int64_t blocks_for_some(std::int64_t query_count, int at_once) {
  return std::min(blocks_for(query_count, Lists::k_warps * at_once), resident_blocks(Lists::k_blocks));
}

/// Searches with lists in global memory, which decide all queries.
template <class Real>
void launch_scratch(Pool& pool, const Search<Real>& search, const ResultRows& rows, int at_once, QueryQueue some) {
  using Lists = ScratchLists<Real>;
  // A quarter more than the neighbours and up to 1,024, since guesses hold a few percent more, but not more than all
  // points
  const std::int64_t more = search.list_size / 4 + std::min<std::int64_t>(search.list_size, 1024);
  const std::int64_t capacity = std::min(search.list_size + more, search.tree.point_count) + 4 * warp::k_lanes;
  constexpr std::int64_t most_bytes = std::int64_t{2} << 30;
  constexpr auto entry_bytes = static_cast<std::int64_t>(sizeof(std::uint32_t) + 2 * sizeof(NeighborKey));
  const std::int64_t blocks = std::clamp<std::int64_t>(most_bytes / (capacity * entry_bytes * Lists::k_warps), 1,
                                                       blocks_for_some<Lists>(search.query_count, at_once));
  const std::int64_t entries = blocks * Lists::k_warps * capacity;
  const Buffer<std::uint32_t> places(pool, entries);
  const Buffer<NeighborKey> keys(pool, entries), sorted(pool, entries);
  const Lists lists{{places.data(), keys.data(), sorted.data(), capacity}};
  launch(pool, search, rows, blocks, at_once, lists, some, QueryQueue());
}

/// Searches for some of the queries, or for all if that queue has no count, with lists in shared memory, and again for
/// the queries that these leave.
template <int K, class Real>
void launch_shared(Pool& pool, const Search<Real>& search, const ResultRows& rows, QueryQueue some = {}) {
  using Lists = SharedLists<K, Real>;
  const std::int64_t count = search.query_count;
  const Buffer<std::uint32_t> slots(pool, 2 * count), counts(pool, 4);
  const QueryQueue undecided{slots.data(), counts.data()};
  check(cudaMemsetAsync(counts.data(), 0, 4 * sizeof(std::uint32_t), pool.stream()), "counts of queries that are left");
  constexpr int few_at_once = 4;  // undecided queries are few, or near each other
  const int at_once = search.d_query_count || some.d_count ? few_at_once : queries_at_once(count);
  const QueryQueue wide{slots.data() + count, counts.data() + 1};
  const std::int64_t blocks =
      some.d_count ? blocks_for_some<Lists>(count, at_once) : blocks_for(count, Lists::k_warps * at_once);
  launch(pool, search, rows, blocks, at_once, Lists(), some, undecided, wide);
  if constexpr (Lists::k_leaves_wide) search_queued(pool, search, rows, {{}, {}, wide, counts.data() + 2});
  if constexpr (std::is_same_v<Real, float> && K <= k_max_counted) {
    using Lattices = LatticeLists<K>;
    const QueryQueue off_lattice{slots.data() + count, counts.data() + 3};  // where the wide ones were
    launch(pool, search, rows, blocks_for_some<Lattices>(count, few_at_once), few_at_once, Lattices(), undecided,
           off_lattice);
    launch_scratch(pool, search, rows, few_at_once, off_lattice);
  } else {
    launch_scratch(pool, search, rows, few_at_once, undecided);
  }
}

}  // namespace

template <class Real>
void search_long_lists(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  if (search.query_count == 0) return;
  if (is_for_near(search, rows)) {
    const Buffer<std::uint32_t> slots(pool, search.query_count), count(pool, 1);
    check(cudaMemsetAsync(count.data(), 0, sizeof(std::uint32_t), pool.stream()), "count of queries that are left");
    const QueryQueue left{slots.data(), count.data()};
    search_near(pool, search, rows, left);
    return launch_shared<64>(pool, search, rows, left);
  }
  if (search.list_size <= 64) return launch_shared<64>(pool, search, rows);
  if (search.list_size <= 128) return launch_shared<128>(pool, search, rows);
  if (search.list_size <= 256) return launch_shared<256>(pool, search, rows);
  if (search.list_size <= 512) return launch_shared<512>(pool, search, rows);
  if (search.list_size <= k_max_shared) return launch_shared<k_max_shared>(pool, search, rows);
  launch_scratch(pool, search, rows, queries_at_once(search.query_count), QueryQueue());
}

template void search_long_lists(Pool&, const Search<float>&, const ResultRows&);
template void search_long_lists(Pool&, const Search<double>&, const ResultRows&);

}  // namespace kann::cuda::exact
