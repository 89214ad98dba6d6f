// Searches in cells for one query after another, exactly: for queries whose row a team does not prove, and for all of
// them if they are so sparse that 32 of them have few points in common.
#include <algorithm>

#include "cuda/exact/cells/cell_rows.cuh"
#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/single/single_list.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;
constexpr int k_max_balls = 3;
/// The most rows of cells for a ball: that around a query outside of the box of the data by five radii.
constexpr int k_max_rows = 256;

/// The factor from the radius of a ball to that of the next.
float growth(std::int64_t list_size) { return list_size <= 8 ? 1.36f : list_size <= 16 ? 1.26f : 1.16f; }

template <int K>
struct SingleMemory {
  SingleListMemory<K> list;
  CellRows::Memory rows;
};

/// Makes the list of all points within a radius of its query. Returns whether it proves the neighbours. Called by all
/// 32 lanes of a warp.
template <int K, class Real>
__device__ __forceinline__ bool fill(SingleList<K, Real>& list, const Search<Real>& search, const Cells& cells,
                                     float radius, CellRows::Memory& s_rows) {
  list.begin(radius * radius);
  int row = 0, all = 0;
#pragma unroll 1
  do {
    CellRows rows(cells, list.query(), radius, s_rows, row);
    all = rows.all();
    // Where one in a hundred of all points is in a few cells, so is one in a hundred of the queries
    if (!rows.are_near() || all > k_max_rows || rows.count() > k_max_team_points) return false;
#pragma unroll 1
    for (std::uint32_t first = 0; first < rows.count(); first += warp::k_lanes) {
      const std::uint32_t place = rows.next_place();
      list.offer(place, place != CellRows::k_none);
    }
    row += warp::k_lanes;
  } while (row < all);
  list.flush();
  // A point that is not farther than the last neighbour has a float32 squared distance within that of the ball
  return list.is_full() && list.query().filter_above(list.last().sq_dist()) <= radius * radius;
}

/// A warp per query.
template <int K, class Real>
__global__ void __launch_bounds__(k_threads)
    search_singly_kernel(const __grid_constant__ Search<Real> search, const __grid_constant__ Cells cells, float factor,
                         float growth, ResultRows rows, QueryQueue from, QueryQueue left) {
  __shared__ SingleMemory<K> s_memory[k_warps];
  SingleMemory<K>& s_own = s_memory[threadIdx.x / warp::k_lanes];
  const auto all = static_cast<std::uint32_t>(search.query_count);
  const std::uint32_t count = from.d_count ? *from.d_count : all;
  const bool are_too_many = from.d_count && are_many(count, all);
#pragma unroll 1
  for (std::int64_t entry = first_element() / warp::k_lanes; entry < count; entry += element_stride() / warp::k_lanes) {
    const std::uint32_t number = from.d_slots[entry];
    bool is_proven = false;
    if (!are_too_many) {
      SingleList<K, Real> list(search, query_at(search, number), s_own.list);
      // The ball of a query outside reaches as far into the box as that of a query on its surface
      const float outside = cells.grid.distance_to(list.query());
      float radius = cells.grid.radius * factor;
#pragma unroll 1
      for (int ball = 0; ball < k_max_balls && !is_proven; ++ball) {
        is_proven = fill(list, search, cells, outside + radius, s_own.rows);
        radius *= growth;
      }
      if (is_proven) list.write(rows);
    }
    left.add(warp::lane_id() == 0 && !is_proven, number);
    __syncwarp();  // the next query overwrites the list
  }
}

}  // namespace

template <class Real>
void search_singly(const Search<Real>& search, const Cells& cells, const ResultRows& rows, const QueryQueue& from,
                   const QueryQueue& left, cudaStream_t stream) {
  const float factor = growth(search.list_size);
  const auto kernel = search.list_size <= 32 ? search_singly_kernel<32, Real> : search_singly_kernel<64, Real>;
  const unsigned blocks = std::min(blocks_for(search.query_count * warp::k_lanes, k_threads), resident_blocks(12));
  Search<Real> numbered = search;
  numbered.queries.d_from = nullptr;  // queues have numbers of points of the source
  kernel<<<blocks, k_threads, 0, stream>>>(numbered, cells, from.d_count ? factor : 1, factor, rows, from, left);
  check_launch("search in cells, one by one");
}

template void search_singly(const Search<float>&, const Cells&, const ResultRows&, const QueryQueue&, const QueryQueue&,
                            cudaStream_t);
template void search_singly(const Search<double>&, const Cells&, const ResultRows&, const QueryQueue&,
                            const QueryQueue&, cudaStream_t);

}  // namespace kann::cuda::exact
