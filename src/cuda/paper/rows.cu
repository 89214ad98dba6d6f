#include "cuda/paper/steps.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::paper {
namespace {

/// The place of neighbour j of a row of k in the order of (distance, id). It is j, unless squared distances that differ
/// have the same root.
__device__ std::int64_t place_by_distance(const NeighborKey* d_row, std::int64_t k, std::int64_t j, double unit) {
  const float distance = neighbor_distance(d_row[j], unit);
  const auto ties = [&](std::int64_t i) {
    return d_row[i] != k_absent && d_row[j] != k_absent && neighbor_distance(d_row[i], unit) == distance;
  };
  std::int64_t place = j;
  for (std::int64_t i = j - 1; i >= 0 && ties(i); --i) place -= neighbor_id(d_row[i]) > neighbor_id(d_row[j]);
  for (std::int64_t i = j + 1; i < k && ties(i); ++i) place += neighbor_id(d_row[i]) < neighbor_id(d_row[j]);
  return place;
}

/// One neighbour per thread and step of its loop, so that a row is written by neighbouring threads.
__global__ void rows_kernel(const NeighborKey* d_kept, std::int64_t count, ResultRows rows) {
  for (std::int64_t e = first_element(); e < count; e += element_stride()) {
    const std::int64_t j = e % rows.k, first = e - j;
    const std::int64_t to = first + place_by_distance(d_kept + first, rows.k, j, rows.unit);
    rows.d_ids[to] = neighbor_id(d_kept[e]);
    rows.d_distances[to] = neighbor_distance(d_kept[e], rows.unit);
  }
}

}  // namespace

void write_rows(const NeighborKey* d_kept, std::int64_t query_count, const ResultRows& rows, cudaStream_t stream) {
  if (query_count == 0) return;
  const std::int64_t count = query_count * rows.k;
  rows_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_kept, count, rows);
  check_launch("paper: rows");
}

}  // namespace kann::cuda::paper
