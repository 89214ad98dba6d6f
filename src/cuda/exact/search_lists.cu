// Lists of more than 32 neighbours: a warp searches for one query after another. All points within a guess at the
// distance of the last neighbour are collected, and sorted once; where they are too few, the guess grows.
#include <algorithm>
#include <type_traits>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/guess.cuh"
#include "cuda/exact/long_list.cuh"
#include "cuda/exact/near_nodes.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/scratch_list.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/warp/counted_bound.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

constexpr int k_buckets_at_once = 2 * warp::k_lanes / k_bucket_points;
constexpr int k_max_buckets = 4 * k_children;

template <class List>
struct WarpMemory {
  typename List::Memory list;
  NearNodesMemory nodes;
  std::uint32_t buckets[k_max_buckets];  // still to scan
};

/// All 32 lanes of a warp call every function, and agree in all members.
template <class List, class Real>
class ListSearch {
 public:
  __device__ __forceinline__ ListSearch(const Search<Real>& search, const Query<Real>& query, NearNodes<Real>& nodes,
                                        const List& list, WarpMemory<List>& s_memory)
      : tree_(search.tree), query_(query), nodes_(nodes), list_(list), s_(s_memory) {}

  /// Makes the points within `bound`, the maximum float32 squared distance, or the nearest of them, the neighbours.
  /// Returns false, and keeps them as finds, if they are too few and a larger bound is to follow. `spare`: how much
  /// farther to look for nodes, relative to the bound, for the next queries.
  __device__ __forceinline__ bool search_within(float bound, bool may_grow, double spare) {
    inner_ = bound_;
    bound_ = bound;
    limit_ = query_.exact_above(bound);
    const float reach = __fsqrt_ru(rounded_up(limit_));
    if (!nodes_.hold(query_.given(), reach)) nodes_.find(query_.given(), reach * (1 + spare));
    next_ = 0;
    near_ = 0;
#pragma unroll 1
    while (true) {
      const bool is_over = visit();
      if (is_over && may_grow && !list_.is_full() && list_.count() < list_.size()) return false;
      list_.flush(limit_);
      if (is_over) return true;
      if (!list_.is_full()) continue;
      // The neighbours may be ordered by distances rounded to 2⁻²³ of the limit
      const double last = list_.last().sq_dist();
      limit_ = fmin(limit_, list_.is_exact() ? last : last + 0x1p-19 * limit_);
      bound_ = fminf(bound_, query_.filter_above(limit_));
    }
  }

  /// Points that are within the bound, or as many as the list holds.
  __device__ __forceinline__ int count() const { return list_.count(); }

  /// As LongList::write(). Call after search_within().
  __device__ __forceinline__ double write(const ResultRows& rows, std::int64_t row) {
    return list_.write(limit_, rows, row);
  }

 private:
  /// Visits the boxes that may hold a neighbour. Returns false if the list lacks room before all have been visited.
  __device__ __forceinline__ bool visit() {
    while (true) {
      const bool is_over = near_ == 0 && next_ >= nodes_.count() && nodes_.is_over();
      if (is_over || bucket_count_ > k_max_buckets - 2 * k_children) {
        while (bucket_count_ > 0) {
          if (list_.lacks_room()) return false;
          scan();
        }
        if (is_over) return true;
      }
      if (near_ != 0) {
        push_buckets();
      } else if (next_ < nodes_.count()) {
        const int i = next_ + warp::lane_id();
        const bool exists = i < nodes_.count();
        near_ =
            __ballot_sync(warp::k_all_lanes, tree_.levels == 1 ? exists : may_hold(1, exists ? nodes_[i] : 0, exists));
        next_ += k_children;
      } else {
        nodes_.find_more();
        next_ = 0;
      }
    }
  }

  /// Appends the buckets of the next two near nodes that may hold a neighbour: two boxes are on their way at a time.
  __device__ __forceinline__ void push_buckets() {
    const std::uint32_t bucket = next_bucket(), other = near_ != 0 ? next_bucket() : ~std::uint32_t{0};
    const auto count = static_cast<std::uint32_t>(tree_.count[0]);
    const bool is_near = may_hold(0, bucket, bucket < count), other_is_near = may_hold(0, other, other < count);
    push(bucket, is_near);
    push(other, other_is_near);
  }

  /// The lane's bucket of the next near node.
  __device__ __forceinline__ std::uint32_t next_bucket() {
    const std::uint32_t node = nodes_[next_ - k_children + __ffs(static_cast<int>(near_)) - 1];
    near_ &= near_ - 1;
    return node * k_children + warp::lane_id();
  }

  /// Whether that node of a level may hold a neighbour. A box at the distance of the last one matters only for its
  /// lowest index. All but `level` may differ between lanes.
  __device__ __forceinline__ bool may_hold(int level, std::uint32_t node, bool exists) const {
    if (!exists) return false;
    const NodeBox<Real> box = load_box(tree_.d_boxes + tree_.first[level] + node);
    const Real sq_dist = min_sq_dist<Real>(box, query_.given(), query_.given());
    const bool is_near = sq_dist <= (std::is_same_v<Real, float> ? bound_ : limit_);
    return is_near && list_.is_exact() && list_.is_full() ? query_.min_key(box) < list_.last() : is_near;
  }

  /// Appends the buckets of those lanes for which `is_near`.
  __device__ __forceinline__ void push(std::uint32_t bucket, bool is_near) {
    const unsigned buckets = __ballot_sync(warp::k_all_lanes, is_near), lower = (1u << warp::lane_id()) - 1;
    if (is_near) s_.buckets[bucket_count_ + __popc(buckets & lower)] = bucket;
    bucket_count_ += __popc(buckets);
  }

  /// Collects the points of the last eight buckets, or of all if there are fewer: two of a lane are on their way at a
  /// time.
  __device__ __forceinline__ void scan() {
    __syncwarp();  // the buckets are written
    constexpr int half = k_buckets_at_once / 2;
    const int entry = bucket_count_ - 1 - warp::lane_id() / k_bucket_points;
    const std::uint32_t place = place_in(entry), other = place_in(entry - half);
    bucket_count_ = max(bucket_count_ - k_buckets_at_once, 0);
    const float sq_dist = sq_dist_at(place), other_sq_dist = sq_dist_at(other);
    __syncwarp();  // the buckets have been read
    list_.append(place, sq_dist, is_find(sq_dist));
    list_.append(other, other_sq_dist, is_find(other_sq_dist));
  }

  /// The lane's place in a bucket to scan; that of no point if there is no such entry.
  __device__ __forceinline__ std::uint32_t place_in(int entry) const {
    return entry < 0 ? ~std::uint32_t{0} : s_.buckets[entry] * k_bucket_points + warp::lane_id() % k_bucket_points;
  }
  /// The float32 squared distance of a point; NaN if there is none, or it is the query itself.
  __device__ __forceinline__ float sq_dist_at(std::uint32_t place) const {
    if (place >= static_cast<std::uint32_t>(tree_.point_count)) return NAN;
    const PlacedPoint p = tree_.d_points[place];
    return query_.is(p.index) ? NAN : query_.sq_dist_to(p);
  }
  __device__ __forceinline__ bool is_find(float sq_dist) const { return inner_ < sq_dist && sq_dist <= bound_; }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  NearNodes<Real>& nodes_;
  List list_;
  WarpMemory<List>& s_;
  float inner_ = -1;  // float32 squared distances up to this one have been collected
  float bound_ = -1;  // the maximum float32 squared distance of a neighbour
  double limit_ = 0;  // its maximum exact one
  int next_ = 0;      // node to test; of the 32 before it, a bit for each that is near
  std::uint32_t near_ = 0;
  int bucket_count_ = 0;
};

/// The place of a query among the data, as place_of(). Called by one thread, which has a query of its own.
template <class Real>
__device__ __forceinline__ std::int64_t own_place(const Search<Real>& search, std::int64_t slot,
                                                  const PlacedPoint& point, const Real (&given)[3]) {
  if (!search.d_data_keys) return known_place(search, slot);
  const auto first_without = [](std::int64_t begin, std::int64_t end, auto before) {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      before(middle) ? begin = middle + 1 : end = middle;
    }
    return begin;
  };
  const std::uint64_t key = rank_key(search, point) << search.key_bit;
  const std::uint64_t last = key | ((std::uint64_t{1} << search.key_bit) - 1);
  const std::int64_t count = search.tree.point_count;
  const std::int64_t begin =
      first_without(0, count, [&](std::int64_t place) { return search.d_data_keys[place] < key; });
  if (!search.ordered_within_cells) return begin;
  const std::int64_t end =
      first_without(begin, count, [&](std::int64_t place) { return search.d_data_keys[place] <= last; });
  return first_without(begin, end, [&](std::int64_t place) {
    const Coordinates<Real> placed = coordinates_of(search.tree.d_given[place]);
    return search.curve.dimensions == 3 ? precedes_within_cell<3>(placed.axis, given)
                                        : precedes_within_cell<2>(placed.axis, given);
  });
}

/// How much farther than one query's neighbours nodes are looked for, where the next query is likely to be near.
constexpr float k_spare_reach = 0.8f;

/// Lists of up to K neighbours in shared memory.
template <int K, class Real>
struct SharedLists {
  using List = LongList<K, Real>;
  /// Multiprocessors that hold so many blocks leave registers enough: with 64, a tenth of the instructions were spills.
  static constexpr int k_blocks = K <= 64 ? 6 : K <= 128 ? 5 : 4;
  static constexpr int k_counted = K;
  static constexpr bool k_is_bounded = true;  // by counting

  __device__ __forceinline__ List list_of(const Search<Real>& search, const Query<Real>& query,
                                          typename List::Memory& s_memory) const {
    return List(search.tree, query, static_cast<int>(search.list_size), s_memory);
  }
};

/// Any lists, in global memory.
template <class Real>
struct ScratchLists {
  using List = ScratchList<Real>;
  static constexpr int k_blocks = 4;
  static constexpr int k_counted = 256;
  static constexpr bool k_is_bounded = false;
  ListScratch scratch;

  __device__ __forceinline__ List list_of(const Search<Real>& search, const Query<Real>& query,
                                          typename List::Memory& s_memory) const {
    return List(search.tree, query, static_cast<int>(search.list_size), s_memory, scratch,
                first_element() / warp::k_lanes);
  }
};

/// The queries of one warp, which follow each other.
template <class Lists, class Real>
class QueryRun {
 public:
  /// Queries [begin, end), at most 32.
  __device__ __forceinline__ QueryRun(const Search<Real>& search, std::int64_t begin, std::int64_t end)
      : search_(search), begin_(begin), own_point_(query_at(search, min(begin + warp::lane_id(), end - 1))) {
    const Query<Real> query(search, own_point_);
    if (search.d_found) {
      own_bound_ = query.filter_above(query.exact_above(query.found_before(search)));
    } else if (search.tree.point_count > 0) {
      own_place_ = own_place(search, min(begin + warp::lane_id(), end - 1), own_point_, query.given());
    }
  }

  __device__ __forceinline__ Query<Real> query(std::int64_t slot) const {
    return Query<Real>(search_, shuffle(own_point_, source(slot)));
  }
  /// The maximum float32 squared distance of a neighbour.
  __device__ __forceinline__ float bound(std::int64_t slot, const Query<Real>& query) const {
    if (search_.d_found || !Lists::k_is_bounded) return __shfl_sync(warp::k_all_lanes, own_bound_, source(slot));
    return query.filter_above(query.exact_above(counted(slot, query, static_cast<int>(search_.list_size))));
  }
  /// A guess at the distance of the last neighbour, by that of the 256th in a window.
  __device__ __forceinline__ float rough_radius(std::int64_t slot, const Query<Real>& query) const {
    const auto size = static_cast<float>(search_.list_size);
    const float sq_dist = counted(slot, query, Lists::k_counted);
    return __fsqrt_ru(rounded_up(query.exact_above(sq_dist))) * __powf(size / Lists::k_counted, 0.4f);
  }

 private:
  __device__ __forceinline__ int source(std::int64_t slot) const { return static_cast<int>(slot - begin_); }
  __device__ __forceinline__ float counted(std::int64_t slot, const Query<Real>& query, int size) const {
    constexpr int half = warp::k_bound_rows<Lists::k_counted> * warp::k_lanes / 2;
    const Window window =
        window_around(__shfl_sync(warp::k_all_lanes, own_place_, source(slot)), half, search_.tree.point_count);
    return warp::counted_bound<Lists::k_counted>(search_.tree.d_points, window, query, size, search_.curve.dimensions);
  }

  const Search<Real>& search_;
  std::int64_t begin_;
  PlacedPoint own_point_;  // those of the lane's query
  std::int64_t own_place_ = 0;
  float own_bound_ = INFINITY;
};

/// A warp searches for `at_once` ≤ 32 queries that follow each other, whose points and places are found together.
template <class Lists, class Real>
__global__ void __launch_bounds__(k_threads, Lists::k_blocks)
    search_lists_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, int at_once,
                        const __grid_constant__ Lists lists) {
  using List = typename Lists::List;
  __shared__ WarpMemory<List> s_memory[k_warps];
  WarpMemory<List>& s_own = s_memory[threadIdx.x / warp::k_lanes];
  const auto size = static_cast<int>(search.list_size);
  const std::int64_t stride = std::int64_t{gridDim.x} * k_warps * at_once;
#pragma unroll 1
  for (std::int64_t begin = first_element() / warp::k_lanes * at_once; begin < search.query_count; begin += stride) {
    const std::int64_t end = min(begin + at_once, search.query_count);
    const QueryRun<Lists, Real> run(search, begin, end);
    Guess guess(size);
    NearNodes<Real> nodes(search.tree, s_own.nodes);
#pragma unroll 1
    for (std::int64_t slot = begin; slot < end; ++slot) {
      const Query<Real> query = run.query(slot);
      ListSearch<List, Real> list_search(search, query, nodes, lists.list_of(search, query, s_own.list), s_own);
      float radius = -1;
      if (!search.d_found && size > 0) {
        guess.begin(query.given());
        if (!Lists::k_is_bounded && !guess.is_left()) guess.set(run.rough_radius(slot, query));
      }
#pragma unroll 1
      while (true) {
        const bool is_guess = guess.is_left() && guess.radius() < INFINITY;
        const float bound = size == 0  ? 0.0f
                            : is_guess ? query.filter_above(static_cast<double>(guess.radius()) * guess.radius())
                                       : run.bound(slot, query);
        if (size == 0 || list_search.search_within(bound, is_guess, is_guess ? k_spare_reach : 0)) {
          radius = list_search.write(rows, row_of(search, slot, query));
          if (!is_guess || (radius >= 0 && radius <= guess.radius())) break;
        }
        guess.grow(list_search.count());
      }
      guess.end(query.given(), radius);
      __syncwarp();  // the next query overwrites the list
    }
  }
}

/// The number of queries that a warp searches for together: as many as let every multiprocessor have eight warps.
int queries_at_once(std::int64_t query_count) {
  constexpr std::int64_t enough_warps = 132 * 8;
  return static_cast<int>(std::clamp<std::int64_t>(query_count / enough_warps, 1, warp::k_lanes));
}

template <int K, class Real>
void launch_shared(const Search<Real>& search, const ResultRows& rows, cudaStream_t stream) {
  const int at_once = queries_at_once(search.query_count);
  search_lists_kernel<<<blocks_for(search.query_count, k_warps * at_once), k_threads, 0, stream>>>(
      search, rows, at_once, SharedLists<K, Real>());
}

template <class Real>
void launch_scratch(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  // Room for a quarter more than the neighbours, as guesses hold a few percent more; but there are no more points
  const std::int64_t room =
      std::min(search.list_size + search.list_size / 4 + 1024, search.tree.point_count) + 4 * warp::k_lanes;
  constexpr std::int64_t most_bytes = std::int64_t{2} << 30, most_blocks = 132 * 4;
  constexpr auto entry_bytes = static_cast<std::int64_t>(sizeof(std::uint32_t) + 2 * sizeof(NeighborKey));
  const int at_once = queries_at_once(search.query_count);
  const std::int64_t blocks =
      std::clamp<std::int64_t>(most_bytes / (room * entry_bytes * k_warps), 1,
                               std::min<std::int64_t>(most_blocks, blocks_for(search.query_count, k_warps * at_once)));
  const std::int64_t entries = blocks * k_warps * room;
  const Buffer<std::uint32_t> places(pool, entries);
  const Buffer<NeighborKey> keys(pool, entries), sorted(pool, entries);
  const ScratchLists<Real> lists{{places.data(), keys.data(), sorted.data(), room}};
  search_lists_kernel<<<static_cast<unsigned>(blocks), k_threads, 0, pool.stream()>>>(search, rows, at_once, lists);
}

}  // namespace

template <class Real>
void search_long_lists(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  if (search.query_count == 0) return;
  if (search.list_size <= 64)
    launch_shared<64>(search, rows, pool.stream());
  else if (search.list_size <= 128)
    launch_shared<128>(search, rows, pool.stream());
  else if (search.list_size <= 256)
    launch_shared<256>(search, rows, pool.stream());
  else
    launch_scratch(pool, search, rows);
  check_launch("exact search of long lists");
}

template void search_long_lists(Pool&, const Search<float>&, const ResultRows&);
template void search_long_lists(Pool&, const Search<double>&, const ResultRows&);

}  // namespace kann::cuda::exact
