// Points are sorted by the leading bits of their cells' numbers; then one block per 256 cells counts the points of each
// cell, and writes them. For 2²³ points, sorting by all bits took .3 ms more. Counting all cells in global memory and
// writing every point to its place, without any sort, took .8 ms more: neighbouring places are then written at
// different times.
#include <bit>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "cuda/exact/cell_order.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/warp/partition_point.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_block_bits = 8;  // the low bits of a cell's number, which number the cells of a block
static_assert(1 << k_block_bits == k_block_threads);

/// One thread per point.
template <int D>
__global__ void number_kernel(PointSource source, std::int64_t count, CellGrid grid, std::uint32_t* d_cells,
                              std::uint32_t* d_rows) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  d_cells[i] = grid.cell_of(point_at<D>(source, i));
  d_rows[i] = static_cast<std::uint32_t>(i);
}

/// One block per 256 cells, and one thread for each. d_cells and d_rows: the points, sorted by their block of cells.
template <int D>
__global__ void __launch_bounds__(k_block_threads)
    place_kernel(PointSource source, std::int64_t count, const std::uint32_t* d_cells, const std::uint32_t* d_rows,
                 std::int64_t cell_count, std::uint32_t* d_begins, PlacedPoint* d_placed) {
  __shared__ std::uint32_t s_bounds[2], s_ends[k_block_threads];
  const std::uint32_t block = blockIdx.x, side = threadIdx.x / warp::k_lanes;
  if (side < 2) {
    const std::int64_t bound =
        warp::partition_point(0, count, [&](std::int64_t i) { return d_cells[i] >> k_block_bits < block + side; });
    if (warp::lane_id() == 0) s_bounds[side] = static_cast<std::uint32_t>(bound);
  }
  s_ends[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t begin = s_bounds[0], end = s_bounds[1];
  for (std::uint32_t i = begin + threadIdx.x; i < end; i += k_block_threads)
    atomicAdd(&s_ends[d_cells[i] % k_block_threads], 1u);
  __syncthreads();
  using Scan = cub::BlockScan<std::uint32_t, k_block_threads>;
  __shared__ typename Scan::TempStorage s_scan;
  std::uint32_t first = 0;
  Scan(s_scan).ExclusiveSum(s_ends[threadIdx.x], first);
  s_ends[threadIdx.x] = begin + first;  // grows as points are written
  const std::int64_t cell = first_element();
  if (cell <= cell_count) d_begins[cell] = begin + first;
  __syncthreads();
  for (std::uint32_t i = begin + threadIdx.x; i < end; i += k_block_threads)
    d_placed[atomicAdd(&s_ends[d_cells[i] % k_block_threads], 1u)] = point_at<D>(source, d_rows[i]);
}

}  // namespace

template <class Real>
DataInCells<Real>::DataInCells(SearchContext& context, const CellGrid& grid)
    : grid_(grid), begins_(context.pool, grid.count() + 1), placed_(context.pool, context.problem.data_count) {
  const Problem& p = context.problem;
  const cudaStream_t stream = context.stream;
  const PointSource source{context.d_data(), nullptr, p.grid};
  {
    PairSorter<std::uint32_t> sorter(context.pool, p.data_count);
    const auto number = p.dimensions == 3 ? number_kernel<3> : number_kernel<2>;
    number<<<blocks_for(p.data_count), k_block_threads, 0, stream>>>(source, p.data_count, grid, sorter.keys_in(),
                                                                     sorter.indices_in());
    check_launch("cells: number");
    const int bits = std::bit_width(static_cast<std::uint64_t>(grid.count()));
    sorter.sort(p.data_count, k_block_bits, std::max(k_block_bits + 1, bits), stream);
    const auto place = p.dimensions == 3 ? place_kernel<3> : place_kernel<2>;
    // The entry after the last cell is the number of points
    place<<<blocks_for(grid.count() + 1), k_block_threads, 0, stream>>>(
        source, p.data_count, sorter.keys(), sorter.indices(), grid.count(), begins_.data(), placed_.data());
    check_launch("cells: place");
  }
  if constexpr (std::is_same_v<Real, double>) {
    given_ = Buffer<GivenPoint>(context.pool, p.data_count);
    place_given(context.d_given_data(), placed_.data(), p.data_count, p.dimensions, given_.data(), stream);
  }
  context.timer.lap(context.steps.sort);
}

template <class Real>
BoxTreeView<Real> DataInCells<Real>::points() const {
  BoxTreeView<Real> view{};
  view.d_points = placed_.data();
  view.point_count = placed_.size();
  if constexpr (std::is_same_v<Real, float>) view.d_given = placed_.data();
  if constexpr (std::is_same_v<Real, double>) view.d_given = given_.data();
  return view;
}

template class DataInCells<float>;
template class DataInCells<double>;

}  // namespace kann::cuda::exact
