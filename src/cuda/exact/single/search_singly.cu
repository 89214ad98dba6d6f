// Searches for queries that are far apart: a warp searches for one after another. Neighbours that were found before
// bound the search, so that most queries have fewer candidates than a warp has lanes.
#include <type_traits>

#include "cuda/exact/query_queue.cuh"
#include "cuda/exact/single/single_search.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;
/// Blocks per multiprocessor.
template <class Real>
constexpr int k_blocks = std::is_same_v<Real, float> ? 8 : 5;

/// Searches for the query of a slot, and writes its row. Called by all 32 lanes of a warp.
template <class Real>
__device__ __forceinline__ void search_one(const Search<Real>& search, std::int64_t slot, const PlacedPoint& point,
                                           float bound, SingleSearchMemory<Real>& s_memory, const ResultRows& rows) {
  SingleSearch<Real> single(search, point, bound, s_memory);
  if (search.tree.point_count > 0) single.visit();
  single.write(rows, single.row(slot));
  __syncwarp();  // the next query overwrites the memory
}

/// A warp searches for `at_once` queries one after the other; their points and bounds are loaded together. The first
/// `few_blocks` blocks work on `few`, one query per warp, and the others on `many`.
template <class Real>
__global__ void __launch_bounds__(k_threads, k_blocks<Real>)
    search_singly_kernel(const __grid_constant__ SearchJob<Real> few, const __grid_constant__ SearchJob<Real> many,
                         unsigned few_blocks, int at_once) {
  __shared__ SingleSearchMemory<Real> s_memory[k_warps];
  const bool is_few = blockIdx.x < few_blocks;
  const SearchJob<Real>& job = is_few ? few : many;
  const int queries = is_few ? 1 : at_once;
  const unsigned warp = threadIdx.x / warp::k_lanes;
  const std::int64_t block = is_few ? blockIdx.x : blockIdx.x - few_blocks;
  const std::int64_t begin = (block * k_warps + warp) * queries;
  const std::int64_t end = min(begin + queries, job.search.query_count);
  if (begin >= end) return;

  const std::int64_t own_slot = min(begin + warp::lane_id(), end - 1);
  const PlacedPoint own_point = query_at(job.search, own_slot);
  float own_bound = INFINITY;
  if (job.search.d_found) {
    const Query<Real> query(job.search, own_point);
    own_bound = query.filter_above(query.exact_above(query.found_before(job.search)));
  }
  for (std::int64_t slot = begin; slot < end; ++slot) {
    const int source = static_cast<int>(slot - begin);
    search_one(job.search, slot, shuffle(own_point, source), __shfl_sync(warp::k_all_lanes, own_bound, source),
               s_memory[warp], job.rows);
  }
}

/// Searches for the queries of a queue, whose number the host does not know. Each warp takes the next query when it is
/// ready, since some take much longer than others.
template <class Real>
__global__ void __launch_bounds__(k_threads, k_blocks<Real>)
    search_queued_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, QueryQueue queue,
                         std::uint32_t* d_next) {
  __shared__ SingleSearchMemory<Real> s_memory[k_warps];
  const std::uint32_t count = *queue.d_count;
#pragma unroll 1
  while (true) {
    std::uint32_t entry = 0;
    if (warp::lane_id() == 0) entry = atomicAdd(d_next, 1u);
    entry = __shfl_sync(warp::k_all_lanes, entry, 0);
    if (entry >= count) return;
    const std::uint32_t slot = queue.d_slots[entry];
    search_one(search, slot, query_at(search, slot), INFINITY, s_memory[threadIdx.x / warp::k_lanes], rows);
  }
}

}  // namespace

template <class Real>
void search_singly(Pool& pool, const SearchJob<Real>& few, const SearchJob<Real>& many) {
  if (few.search.query_count + many.search.query_count == 0) return;
  if (few.search.list_size > k_max_register_list) {
    for (const SearchJob<Real>& job : {few, many}) search_long_lists(pool, job.search, job.rows);
    return;
  }
  // So few that the last warps do not work alone for long
  constexpr int at_once = 8;
  const auto blocks = [](const SearchJob<Real>& job, int queries) {
    return job.search.query_count > 0 ? blocks_for(job.search.query_count, k_warps * queries) : 0;
  };
  const unsigned few_blocks = blocks(few, 1);
  search_singly_kernel<<<few_blocks + blocks(many, at_once), k_threads, 0, pool.stream()>>>(few, many, few_blocks,
                                                                                            at_once);
  check_launch("exact search of single queries");
}

template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining) {
  const unsigned blocks = std::min(blocks_for(search.query_count, k_warps), resident_blocks(k_blocks<Real>));
  search_queued_kernel<<<blocks, k_threads, 0, pool.stream()>>>(search, rows, remaining.single, remaining.d_next);
  check_launch("exact search of queued queries");
}

template void search_queued(Pool&, const Search<float>&, const ResultRows&, const Remaining&);
template void search_queued(Pool&, const Search<double>&, const ResultRows&, const Remaining&);
template void search_singly(Pool&, const SearchJob<float>&, const SearchJob<float>&);
template void search_singly(Pool&, const SearchJob<double>&, const SearchJob<double>&);

}  // namespace kann::cuda::exact
