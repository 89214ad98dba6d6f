#include "cuda/exact/cells/cell_search.cuh"
#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/exact/query_queue.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/order/place.hpp"
#include "cuda/order/query_order.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/nearest_list.cuh"

namespace kann::cuda::exact {
namespace {

/// Few balls hold more than 24, 36 or 56 points: one query in 10⁵ is searched for again because of that.
template <int K>
using FirstBall = BallShape<4, K <= 4   ? 24
                               : K <= 8 ? 36
                                        : 56>;
/// Queries that are left are searched for in up to two larger balls. The data are less dense there, so that these balls
/// hold fewer points than others of their size. As the queries are few, one kernel serves all lists: its code is loaded
/// sooner than that of several.
using LaterBall = BallShape<6, 72>;
constexpr int k_later_balls = 2;

/// The factor from the radius of a ball to that of the next.
float radius_factor(std::int64_t list_size) { return list_size <= 8 ? 1.36f : 1.26f; }

constexpr int k_first_warps = 4, k_later_warps = 2;

/// The bits of the keys along the Hilbert curve that queries are sorted by. With 16, the search takes .25 ms longer for
/// 2²³ queries, and the sort .08 less. The order of the queries' cells is no better: neighbouring warps share fewer
/// points.
constexpr int k_query_bits = 24;

/// One thread per query. Those whose row is not proven are added to `left`.
template <int K, class Real, bool drops_self>
__global__ void __launch_bounds__(k_first_warps* warp::k_lanes)
    search_kernel(const __grid_constant__ Search<Real> search, const __grid_constant__ Cells cells, ResultRows rows,
                  QueryQueue left) {
  using OwnSearch = CellSearch<K, Real, drops_self, FirstBall<K>>;
  __shared__ typename OwnSearch::Memory s_memory[k_first_warps];
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const auto slot = static_cast<std::uint32_t>(min(i, last));
  bool is_proven = false;
  if (!__any_sync(warp::k_all_lanes, are_many(left.count(), slot))) {
    const Query<Real> query(search, query_at(search, slot));
    const OwnSearch own(search, cells, query, cells.grid.radius, s_memory[threadIdx.x / warp::k_lanes]);
    is_proven = own.write(rows, query.row);
  }
  left.add(i <= last && !is_proven, slot);
}

/// Searches for the queries of a queue, unless they are so many that another search follows. Those whose row is not
/// proven are added to `left`.
template <class Real>
__global__ void __launch_bounds__(k_later_warps* warp::k_lanes)
    search_again_kernel(const __grid_constant__ Search<Real> search, const __grid_constant__ Cells cells, float factor,
                        ResultRows rows, QueryQueue from, QueryQueue left) {
  using OwnSearch = CellSearch<k_max_cell_list, Real, true, LaterBall>;
  __shared__ typename OwnSearch::Memory s_memory[k_later_warps];
  const std::uint32_t count = *from.d_count;
  if (are_many(count, static_cast<std::uint32_t>(search.query_count))) return;
  for (std::int64_t i = first_element(); i - warp::lane_id() < count; i += element_stride()) {
    const std::uint32_t slot = from.d_slots[min(i, std::int64_t{count} - 1)];
    const Query<Real> query(search, query_at(search, slot));
    float radius = cells.grid.radius;
    bool is_proven = i >= count;
#pragma unroll 1
    for (int ball = 0; ball < k_later_balls && !is_proven; ++ball) {
      radius *= factor;
      const OwnSearch own(search, cells, query, radius, s_memory[threadIdx.x / warp::k_lanes]);
      is_proven = own.write(rows, query.row);
    }
    left.add(!is_proven, slot);
  }
}

/// Queues the search for all queries in balls. `second` receives those that the first ball does not decide, and `left`
/// those that no ball decides.
template <int K, bool drops_self, class Real>
void search_balls(const Search<Real>& search, const Cells& cells, const ResultRows& rows, const QueryQueue& second,
                  const QueryQueue& left, cudaStream_t stream) {
  constexpr int threads = k_first_warps * warp::k_lanes, later_threads = k_later_warps * warp::k_lanes;
  const auto kernel = search_kernel<K, Real, drops_self>;
  // The cache limits this search more than the number of warps: with three quarters of it as shared memory it takes
  // 1.9 ms for 2²³ queries and k = 8, with nine tenths 2.5
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 75), "search in cells");
  kernel<<<blocks_for(search.query_count, threads), threads, 0, stream>>>(search, cells, rows, second);
  check_launch("search in cells");
  const unsigned blocks = std::min(blocks_for(search.query_count, later_threads), resident_blocks(8));
  search_again_kernel<<<blocks, later_threads, 0, stream>>>(search, cells, radius_factor(search.list_size), rows,
                                                            second, left);
  check_launch("search in cells again");
}

}  // namespace

template <class Real>
bool search_cells(SearchContext& context, const CellGrid& grid) {
  const Problem& p = context.problem;
  Pool& pool = context.pool;
  QueryOrder query_order;
  if (!p.self_query()) {
    QuerySorter sorter(context, hilbert_curve(p.dimensions));
    sorter.sort(k_query_bits);
    query_order.rows = sorter.release_rows();
  }
  PointSequence queries = query_order.sequence(context);
  const CellOrder order(pool, {context.d_data(), nullptr, p.grid}, p.data_count, p.dimensions, grid);
  BoxTreeView<Real> points{};
  points.d_points = order.d_placed();
  points.point_count = p.data_count;
  Buffer<GivenPoint> given;
  if constexpr (std::is_same_v<Real, float>) {
    points.d_given = order.d_placed();
  } else {
    given = Buffer<GivenPoint>(pool, p.data_count);
    place_given(context.d_given_data(), order.d_placed(), p.data_count, p.dimensions, given.data(), context.stream);
    points.d_given = given.data();
  }
  if (p.self_query()) queries.source.d_placed = order.d_placed();
  context.timer.lap(context.steps.sort);

  Search<Real> search = search_over(context, points, queries, p.query_count);
  const Buffer<std::uint32_t> slots(pool, 2 * p.query_count), counts(pool, 3);
  check(cudaMemsetAsync(counts.data(), 0, 3 * sizeof(std::uint32_t), context.stream), "search in cells: zero");
  const QueryQueue second{slots.data(), counts.data()}, left{slots.data() + p.query_count, counts.data() + 1};
  thread::with_list(std::max<std::int64_t>(search.list_size, 4), [&](auto k) {
    if constexpr (k() >= 4 && k() <= k_max_cell_list) {
      constexpr bool always = std::is_same_v<Real, double>;  // as in search_warps.cu
      const auto search_all = search.drop_self ? search_balls<k(), true, Real> : search_balls<k(), always, Real>;
      search_all(search, order.cells(), context.rows(), second, left, context.stream);
    }
  });
  std::uint32_t undecided[2];  // the numbers of queries that the first ball, and all balls, leave undecided
  check(cudaMemcpyAsync(undecided, counts.data(), sizeof undecided, cudaMemcpyDeviceToHost, context.stream),
        "search in cells: counts");
  context.stream.synchronize();
  const bool is_done = !are_many(undecided[0], static_cast<std::uint32_t>(p.query_count));
  if (is_done && undecided[1] > 0) {
    const BoxTree<Real> tree(pool, points.d_points, points.d_given, p.data_count);
    search.tree = tree.view();
    search_queued(pool, search, context.rows(), Remaining{{}, {}, left, counts.data() + 2});
  }
  context.timer.lap(context.steps.select);
  return is_done;
}

template <class Real>
bool search_even_data(SearchContext& context) {
  const std::optional<CellGrid> grid = plan_cells(context.problem);
  return grid && search_cells<Real>(context, *grid);
}

template bool search_cells<float>(SearchContext&, const CellGrid&);
template bool search_cells<double>(SearchContext&, const CellGrid&);
template bool search_even_data<float>(SearchContext&);
template bool search_even_data<double>(SearchContext&);

}  // namespace kann::cuda::exact
