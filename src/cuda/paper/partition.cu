#include "cuda/paper/single_pass_scan.cuh"
#include "cuda/paper/steps.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::paper {
namespace {

/// Step 4: 1 for a data point, 0 for a query.
__global__ void flag_kernel(const std::uint32_t* d_sorted, std::int64_t count, std::int64_t data_count,
                            std::uint8_t* d_flags) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) d_flags[i] = d_sorted[i] < data_count;
}

/// Steps 7 and 8: the scanned flag of a data point is its place among the data; a query is moved behind all data, and
/// its scanned flag is the number of data points before it.
__global__ void partition_kernel(const std::uint32_t* d_sorted, const std::uint32_t* d_positions, std::int64_t count,
                                 std::int64_t data_count, std::uint32_t* d_partitioned, std::uint32_t* d_ranks) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    const std::uint32_t index = d_sorted[i];
    const std::int64_t before = d_positions[i];
    if (index < data_count) {
      d_partitioned[before] = index;
    } else {
      d_partitioned[data_count + (i - before)] = index;
      d_ranks[i - before] = static_cast<std::uint32_t>(before);
    }
  }
}

}  // namespace

Partition::Partition(Pool& pool, std::int64_t data_count, std::int64_t query_count)
    : data_count_(data_count),
      query_count_(query_count),
      flags_(pool, data_count + query_count),
      positions_(pool, data_count + query_count),
      partitioned_(pool, data_count + query_count),
      ranks_(pool, query_count),
      scan_storage_(pool, static_cast<std::int64_t>(single_pass_scan_bytes(data_count + query_count))) {}

void Partition::run(const std::uint32_t* d_sorted, cudaStream_t stream) {
  const std::int64_t count = data_count_ + query_count_;
  if (count == 0) return;
  const unsigned blocks = blocks_for(count);
  flag_kernel<<<blocks, k_block_threads, 0, stream>>>(d_sorted, count, data_count_, flags_.data());
  check_launch("paper: flags");
  single_pass_exclusive_sum(scan_storage_.data(), static_cast<std::size_t>(scan_storage_.size()), flags_.data(),
                            positions_.data(), count, stream);
  partition_kernel<<<blocks, k_block_threads, 0, stream>>>(d_sorted, positions_.data(), count, data_count_,
                                                           partitioned_.data(), ranks_.data());
  check_launch("paper: partition");
}

}  // namespace kann::cuda::paper
