#include <algorithm>

#include "cuda/exact/teams/row_ends.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

/// The words of a sector.
struct Sector {
  std::uint32_t words[k_sector_words];

  /// Reads the halves with the last `count` words, or with the first.
  __device__ void load_last(const std::uint32_t* d_halves, int count) {
    if (count > 4) load(0, d_halves);
    if (count > 0) load(4, d_halves + (count > 4 ? 4 : 0));
  }
  __device__ void load_first(const std::uint32_t* d_halves, int count) {
    if (count > 0) load(0, d_halves);
    if (count > 4) load(4, d_halves + 4);
  }
  __device__ void load(int first, const std::uint32_t* d_half) {
    const uint4 half = *reinterpret_cast<const uint4*>(d_half);
    words[first] = half.x;
    words[first + 1] = half.y;
    words[first + 2] = half.z;
    words[first + 3] = half.w;
  }
};

constexpr int k_joined_rows = 128;

/// One thread per row of 9 or more, and the same number of threads again: the first write the sector that the ids of
/// the tail share with the head of the next row, the others that of the distances. A block reads its slots through
/// shared memory, and that of the row after its own.
__global__ void __launch_bounds__(2 * k_joined_rows)
    join_long_kernel(RowEnds ends, std::int64_t count, ResultRows rows) {
  extern __shared__ uint4 s_slots[];
  const std::int64_t first = std::int64_t{blockIdx.x} * k_joined_rows;
  const auto here = static_cast<int>(min(count - first, std::int64_t{k_joined_rows}));
  const bool is_end = first + here == count;
  const int per_slot = ends.slot_words / 4, halves = (here + !is_end) * per_slot, k = static_cast<int>(rows.k);
  const auto* const d_slots = reinterpret_cast<const uint4*>(ends.d_slots + first * ends.slot_words);
  for (int i = static_cast<int>(threadIdx.x); i < halves; i += 2 * k_joined_rows) {
    const int slot = i / per_slot;
    if ((i - slot * per_slot) * 4 < RowSplit(static_cast<std::uint32_t>(first + slot), k).slot_words())
      s_slots[i] = d_slots[i];
  }
  __syncthreads();  // the slots are in shared memory
  const bool are_distances = threadIdx.x >= k_joined_rows;
  const int own = static_cast<int>(threadIdx.x) % k_joined_rows;
  const RowSplit split(static_cast<std::uint32_t>(first + own), k);
  if (own >= here || split.tail == 0) return;
  const int head = k_sector_words - split.tail, tail_words = RowSplit::in_halves(split.tail);  // head: of the next row
  const auto* const s_slot = reinterpret_cast<const std::uint32_t*>(s_slots) + own * ends.slot_words;
  void* const d_values = are_distances ? static_cast<void*>(rows.d_distances) : rows.d_ids;
  std::uint32_t* const d_sector = static_cast<std::uint32_t*>(d_values) + (first + own) * k + split.head + split.whole;
  Sector sector, of_next;
  sector.load_first(s_slot + 2 * RowSplit::in_halves(split.head) + are_distances * tail_words, split.tail);
  if (is_end && own == here - 1) {  // no row follows
#pragma unroll
    for (int j = 0; j < k_sector_words; ++j)
      if (j < split.tail) d_sector[j] = sector.words[j];
    return;
  }
  of_next.load_last(s_slot + ends.slot_words + are_distances * RowSplit::in_halves(head), head);
#pragma unroll
  for (int j = 0; j < k_sector_words; ++j)
    if (j >= split.tail) sector.words[j] = of_next.words[j];
#pragma unroll
  for (int j = 0; j < k_sector_words; j += 4)
    *reinterpret_cast<uint4*>(d_sector + j) = {sector.words[j], sector.words[j + 1], sector.words[j + 2],
                                               sector.words[j + 3]};
}

/// One thread per row of less than 8: a block copies its rows through shared memory, whose words it then writes in
/// their order.
__global__ void __launch_bounds__(k_block_threads)
    join_short_kernel(RowEnds ends, std::int64_t count, ResultRows rows) {
  __shared__ std::uint32_t s_words[2][k_block_threads * (k_sector_words - 1)];
  const auto k = static_cast<int>(rows.k);
  const std::int64_t first = first_element() - threadIdx.x, row = first_element();
  if (row < count) {
    const std::uint32_t* const d_slot = ends.d_slots + row * ends.slot_words;
#pragma unroll
    for (int values = 0; values < 2; ++values) {
      Sector of_row;
      of_row.load_first(d_slot + values * RowSplit::in_halves(k), k);
#pragma unroll
      for (int j = 0; j < k_sector_words - 1; ++j)
        if (j < k) s_words[values][threadIdx.x * k + j] = of_row.words[j];
    }
  }
  __syncthreads();  // the rows are in shared memory
  const int words = static_cast<int>(min(count - first, std::int64_t{k_block_threads})) * k;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += k_block_threads) {
    reinterpret_cast<std::uint32_t*>(rows.d_ids)[first * k + i] = s_words[0][i];
    reinterpret_cast<std::uint32_t*>(rows.d_distances)[first * k + i] = s_words[1][i];
  }
}

}  // namespace

int slot_words_for(std::int64_t k) {
  int most = 0;  // where rows begin in their sectors repeats after eight rows
  for (std::uint32_t row = 0; row < k_sector_words; ++row)
    most = std::max(most, RowSplit(row, static_cast<int>(k)).slot_words());
  return most;
}

void join_row_ends(const RowEnds& ends, std::int64_t count, const ResultRows& rows, cudaStream_t stream) {
  if (ends.slot_words == 0) return;
  if (rows.k < k_sector_words) {
    join_short_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(ends, count, rows);
  } else {
    const unsigned bytes = (k_joined_rows + 1) * ends.slot_words * sizeof(std::uint32_t);
    join_long_kernel<<<blocks_for(count, k_joined_rows), 2 * k_joined_rows, bytes, stream>>>(ends, count, rows);
  }
  check_launch("ends of rows");
}

}  // namespace kann::cuda::exact
