#include <algorithm>
#include <bit>

#include "cuda/runtime/launch.cuh"
#include "cuda/shifted_sort/prefix_table.hpp"
#include "cuda/thread/binary_search.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/partition_point.cuh"

namespace kann::cuda {
namespace {

/// One thread per entry: d_begins[b] = the number of keys whose leading bits are less than b. The keys of a block's
/// entries are consecutive: two warps search for the first and the last, and each thread searches between them.
__global__ void __launch_bounds__(k_block_threads)
    fill_table_kernel(const std::uint64_t* d_keys, std::uint32_t count, int low_bits, std::uint32_t* d_begins,
                      std::uint32_t entries) {
  const auto first_key = [&](std::int64_t entry) { return static_cast<std::uint64_t>(entry) << low_bits; };
  const std::int64_t b = first_element(), block_begin = b - threadIdx.x;
  __shared__ std::uint32_t s_bounds[2];
  if (threadIdx.x < 2 * warp::k_lanes) {
    const unsigned side = threadIdx.x / warp::k_lanes;
    const std::int64_t entry = block_begin + side * k_block_threads;
    const std::int64_t bound = entry >= entries - 1 ? count : warp::partition_point(0, count, [&](std::int64_t place) {
      return d_keys[place] < first_key(entry);
    });
    if (warp::lane_id() == 0) s_bounds[side] = static_cast<std::uint32_t>(bound);
  }
  __syncthreads();
  if (b >= entries) return;
  const std::uint32_t begin = s_bounds[0];
  d_begins[b] = threadIdx.x == 0   ? begin
                : b == entries - 1 ? count
                                   : begin + thread::count_up_to(d_keys + begin, s_bounds[1] - begin, first_key(b) - 1);
}

}  // namespace

// If codes are spread evenly, an entry has about sixteen keys. For 2²³ keys, this takes 0.02 ms less than eight or 32.
PrefixTable::PrefixTable(Pool& pool, std::int64_t count)
    : bits_(std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 5, 1, 20)),
      begins_(pool, (std::int64_t{1} << bits_) + 1) {}

int PrefixTable::bits_for(const SortedPoints& order) const { return std::min(bits_, order.key_bits); }

void PrefixTable::fill(const SortedPoints& order, cudaStream_t stream) {
  const int bits = bits_for(order);
  const std::uint32_t entries = (std::uint32_t{1} << bits) + 1;
  fill_table_kernel<<<blocks_for(entries), k_block_threads, 0, stream>>>(
      order.d_keys, static_cast<std::uint32_t>(order.count), order.key_bits - bits, begins_.data(), entries);
  check_launch("prefix table");
}

}  // namespace kann::cuda
