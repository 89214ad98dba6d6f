#include <algorithm>
#include <bit>
#include <cmath>

#include "cuda/exact/cells/beam_order.hpp"
#include "cuda/exact/cells/cell_rows.cuh"
#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_rows_across = 2;

std::uint32_t beams_across(const CellGrid& grid, int axis) {
  return static_cast<std::uint32_t>((grid.cells[axis] + k_rows_across - 1) / k_rows_across);
}

/// One thread per point.
template <int D>
__global__ void number_kernel(PointSource source, std::int64_t count, CellGrid grid, std::uint32_t beams_y, int x_bits,
                              std::uint32_t* d_keys, std::uint32_t* d_numbers) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const PlacedPoint p = point_at<D>(source, i);
  const std::uint32_t beam_z = static_cast<std::uint32_t>(grid.cell(p.z, 2)) / k_rows_across;
  std::uint32_t beam_y = static_cast<std::uint32_t>(grid.cell(p.y, 1)) / k_rows_across;
  if (beam_z % 2 == 1) beam_y = beams_y - 1 - beam_y;
  const std::uint32_t beam = beam_z * beams_y + beam_y, last = (1u << x_bits) - 1;
  const float share = grid.place(p.x, 0) / static_cast<float>(grid.cells[0]);
  std::uint32_t x = min(static_cast<std::uint32_t>(fmaxf(share, 0.0f) * static_cast<float>(1u << x_bits)), last);
  if (beam % 2 == 1) x = last - x;
  d_keys[i] = beam << x_bits | x;
  d_numbers[i] = static_cast<std::uint32_t>(i);
}

constexpr int k_sample_threads = 1024, k_sampled_per_warp = 4;
constexpr int k_samples = k_sample_threads / warp::k_lanes * k_sampled_per_warp;

/// One block: a warp looks at some teams of 32 queries.
template <int D>
__global__ void __launch_bounds__(k_sample_threads)
    sample_kernel(PointSequence queries, std::int64_t count, CellGrid grid, BeamSample* d_sample) {
  __shared__ int s_outside, s_far, s_large, s_apart;  // queries, and teams
  if (threadIdx.x == 0) s_outside = s_far = s_large = s_apart = 0;
  __syncthreads();  // the counts are 0
  const std::int64_t teams = (count + warp::k_lanes - 1) / warp::k_lanes;
  const int warp = static_cast<int>(threadIdx.x) / warp::k_lanes, lane = warp::lane_id();
  PlacedPoint points[k_sampled_per_warp];
#pragma unroll
  for (int i = 0; i < k_sampled_per_warp; ++i) {
    const std::int64_t team = (warp * k_sampled_per_warp + i) * teams / k_samples;
    points[i] = point_at<D>(queries, min(team * warp::k_lanes + lane, count - 1));
  }
#pragma unroll
  for (int i = 0; i < k_sampled_per_warp; ++i) {
    const PlacedPoint& p = points[i];
    const CellBlock block(grid, p.x, p.y, p.z, grid.radius);
    const float place[3] = {grid.place(p.x, 0), grid.place(p.y, 1), grid.place(p.z, 2)};
    bool is_outside = false, is_far = false;
#pragma unroll
    for (int a = 0; a < D; ++a) {
      const float outside = fmaxf(-place[a], place[a] - grid.sides[a]);  // in cells
      is_outside |= outside > 0;
      is_far |= outside > 0.5f * grid.radius * grid.inv[a];
    }
    const int outside = __popc(__ballot_sync(warp::k_all_lanes, is_outside)),
              far = __popc(__ballot_sync(warp::k_all_lanes, is_far));
    const float rows = static_cast<float>(block.cells(1)) * static_cast<float>(block.cells(2)),
                mean = rows * static_cast<float>(block.cells(0)) * grid.points_per_cell;
    if (lane != 0) continue;
    if (outside > 0) atomicAdd(&s_outside, outside);
    if (far > 0) atomicAdd(&s_far, far);
    if (rows > warp::k_lanes || mean > k_max_team_points) atomicAdd(&s_apart, 1);
    // One of six teams has more points than the root of the mean above it
    if (mean + sqrtf(mean) > static_cast<float>(grid.staged)) atomicAdd(&s_large, 1);
  }
  __syncthreads();  // all samples are counted
  constexpr auto queries_in_all = static_cast<float>(k_samples * warp::k_lanes);
  if (threadIdx.x == 0)
    *d_sample = {static_cast<float>(s_outside) / queries_in_all, static_cast<float>(s_far) / queries_in_all,
                 static_cast<float>(s_large) / k_samples, static_cast<float>(s_apart) / k_samples};
}

}  // namespace

Buffer<std::uint32_t> order_in_beams(SearchContext& context, const PointSource& source, const CellGrid& grid) {
  const std::int64_t count = context.problem.query_count;
  const std::uint32_t beams_y = beams_across(grid, 1), beams = beams_y * beams_across(grid, 2);
  const int beam_bits = std::bit_width(beams), cell_bits = std::bit_width(static_cast<unsigned>(grid.cells[0]));
  // Two places per cell or more, so that few queries share one: with one per cell, the search takes a tenth longer
  const int x_bits = std::min(cell_bits + 1, 32 - beam_bits);
  PairSorter<std::uint32_t> sorter(context.pool, count);
  const auto number = context.problem.dimensions == 3 ? number_kernel<3> : number_kernel<2>;
  number<<<blocks_for(count), k_block_threads, 0, context.stream>>>(source, count, grid, beams_y, x_bits,
                                                                    sorter.keys_in(), sorter.indices_in());
  check_launch("beams: number");
  sorter.sort(count, 0, std::max(beam_bits + x_bits, 1), context.stream);
  return sorter.release_indices();
}

BeamSample sample_beams(SearchContext& context, const PointSequence& queries, const CellGrid& grid,
                        const std::function<void()>& meanwhile) {
  auto* d_sample = static_cast<BeamSample*>(context.mapped.device());
  const Buffer<BeamSample> own(context.pool, d_sample ? 0 : 1);
  if (!d_sample) d_sample = own.data();
  const auto kernel = context.problem.dimensions == 3 ? sample_kernel<3> : sample_kernel<2>;
  kernel<<<1, k_sample_threads, 0, context.stream>>>(queries, context.problem.query_count, grid, d_sample);
  check_launch("beams: sample");
  Event arrival;
  arrival.record(context.stream);
  meanwhile();
  arrival.synchronize();
  if (!own.data()) return *static_cast<const BeamSample*>(context.mapped.host());
  BeamSample sample;
  context.download_array(own, &sample);
  return sample;
}

}  // namespace kann::cuda::exact
