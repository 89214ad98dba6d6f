#include <bit>

#include "cuda/launch.cuh"
#include "cuda/select.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {
namespace {

// Above this a list no longer fits a thread's registers: 32 keys are 64 of at most 255.
constexpr std::int64_t k_max_register_list = 32;

/// Puts `key` into its place of the sorted list unless it is there already; the last key falls off.
template <int K>
__device__ void insert(NeighborKey (&list)[K], NeighborKey key) {
  bool seen = false;
#pragma unroll
  for (int j = 0; j < K; ++j) seen |= list[j] == key;
  if (seen) return;
#pragma unroll
  for (int j = K - 1; j > 0; --j) list[j] = key < list[j - 1] ? list[j - 1] : key < list[j] ? key : list[j];
  if (key < list[0]) list[0] = key;
}

/// One thread a query; its list is in registers.
template <int K>
__global__ void select_kernel(Candidates c, bool first, NeighborKey* d_kept) {
  for (std::int64_t i = first_element(); i < c.query_count; i += element_stride()) {
    const QueryPoint query(c, i);
    NeighborKey list[K];
#pragma unroll
    for (int j = 0; j < K; ++j) list[j] = first ? k_absent : d_kept[i * K + j];

    const Window window = window_around(c.d_ranks[i], c.window, c.data_count);
    for (std::int64_t place = window.begin; place < window.end; ++place) {
      const NeighborKey key = query.key_of(c.d_data[place]);
      if (key < list[K - 1]) insert(list, key);
    }

#pragma unroll
    for (int j = 0; j < K; ++j) d_kept[i * K + j] = list[j];
  }
}

template <int K>
void launch(const Candidates& c, bool first, NeighborKey* d_kept, cudaStream_t stream) {
  select_kernel<K><<<blocks_for(c.query_count), k_block_threads, 0, stream>>>(c, first, d_kept);
  check_launch("select");
}

}  // namespace

std::int64_t list_stride(std::int64_t list_size) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(list_size)));
}

void select_in_registers(const Candidates& c, std::int64_t list_size, bool first, NeighborKey* d_kept,
                         cudaStream_t stream) {
  switch (list_stride(list_size)) {
    case 1:
      return launch<1>(c, first, d_kept, stream);
    case 2:
      return launch<2>(c, first, d_kept, stream);
    case 4:
      return launch<4>(c, first, d_kept, stream);
    case 8:
      return launch<8>(c, first, d_kept, stream);
    case 16:
      return launch<16>(c, first, d_kept, stream);
    default:
      return launch<32>(c, first, d_kept, stream);
  }
}

void select(const Candidates& c, std::int64_t list_size, bool first, NeighborKey* d_kept, cudaStream_t stream) {
  if (c.query_count == 0 || list_size == 0) return;
  if (list_size <= k_max_register_list) {
    select_in_registers(c, list_size, first, d_kept, stream);
  } else {
    select_in_blocks(c, list_size, first, d_kept, stream);
  }
}

}  // namespace kann::cuda
