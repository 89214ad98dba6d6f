#include <cstddef>

#include "cuda/exact/cells/cell_rows.cuh"
#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/team_search.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 2;
constexpr int k_threads = k_warps * warp::k_lanes;
/// More shared memory would need a setting of each kernel, which the threads of a program would have to agree on.
static_assert(k_warps * TeamMemory<64, CellRows>::bytes(k_max_staged) <= 48 << 10);

/// One thread per query.
template <int K, class Real, bool drops_self, bool stages_in_turns>
__global__ void __launch_bounds__(k_threads)
    search_teams_kernel(const __grid_constant__ Search<Real> search, const __grid_constant__ Cells cells,
                        ResultRows rows, RowEnds ends, QueryQueue left) {
  using Team = TeamSearch<K, Real, drops_self, stages_in_turns, CellRows>;
  extern __shared__ uint4 s_all[];
  auto& s_memory = *reinterpret_cast<typename Team::Memory*>(
      reinterpret_cast<std::byte*>(s_all) + threadIdx.x / warp::k_lanes * Team::Memory::bytes(cells.grid.staged));
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const auto slot = static_cast<std::uint32_t>(min(i, last));
  bool is_proven = false;
  if (!__any_sync(warp::k_all_lanes, are_many(left.count(), static_cast<std::uint32_t>(search.query_count)))) {
    const Query<Real> query(search, query_at(search, slot));
    const float radius = cells.grid.radius;
    CellRows near(cells, query, radius, s_memory.near);
    Team team(search, query, near, radius * radius, radius, cells.grid.staged, s_memory);
    is_proven = team.write(rows, ends, query.row);
  }
  left.add(i <= last && !is_proven, search.queries.d_from[slot]);
}

template <int K, bool stages_in_turns, class Real>
void launch(const Search<Real>& search, const Cells& cells, const ResultRows& rows, const RowEnds& ends,
            const QueryQueue& left, cudaStream_t stream) {
  // As in search_warps.cu; large teams are too rare for kernels of their own
  constexpr bool always = std::is_same_v<Real, double> || stages_in_turns;
  const auto kernel = search.drop_self ? search_teams_kernel<K, Real, true, stages_in_turns>
                                       : search_teams_kernel<K, Real, always, stages_in_turns>;
  const unsigned bytes = k_warps * TeamMemory<K, CellRows>::bytes(cells.grid.staged);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "search in teams");
  kernel<<<blocks_for(search.query_count, k_threads), k_threads, bytes, stream>>>(search, cells, rows, ends, left);
  check_launch("search in teams");
}

template <int K, class Real>
void search_teams_of(bool may_be_large, const Search<Real>& search, const Cells& cells, const ResultRows& rows,
                     const RowEnds& ends, const QueryQueue& left, cudaStream_t stream) {
  const auto launch_for = may_be_large ? launch<K, true, Real> : launch<K, false, Real>;
  launch_for(search, cells, rows, ends, left, stream);
}

}  // namespace

template <class Real>
void search_teams(const Search<Real>& search, const Cells& cells, bool may_be_large, const ResultRows& rows,
                  const RowEnds& ends, const QueryQueue& left, cudaStream_t stream) {
  const auto search_all = search.list_size <= 8    ? search_teams_of<8, Real>
                          : search.list_size <= 16 ? search_teams_of<16, Real>
                          : search.list_size <= 32 ? search_teams_of<32, Real>
                                                   : search_teams_of<64, Real>;
  search_all(may_be_large, search, cells, rows, ends, left, stream);
}

template void search_teams(const Search<float>&, const Cells&, bool, const ResultRows&, const RowEnds&,
                           const QueryQueue&, cudaStream_t);
template void search_teams(const Search<double>&, const Cells&, bool, const ResultRows&, const RowEnds&,
                           const QueryQueue&, cudaStream_t);

}  // namespace kann::cuda::exact
