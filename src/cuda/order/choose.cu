#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "cuda/order/choose.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

/// One thread per query.
__global__ void flags_by_row_kernel(const bool* d_flags, const PlacedPoint* d_queries, std::int64_t count,
                                    bool* d_by_row) {
  const std::int64_t i = first_element();
  if (i < count) d_by_row[d_queries[i].index] = d_flags[i];
}

/// The number that the i-th query of a sequence has in its source.
struct NumberAt {
  const std::uint32_t* d_from;
  __device__ std::uint32_t operator()(std::uint32_t i) const { return d_from ? d_from[i] : i; }
};

/// Whether the i-th query has a flag.
struct FlagAt {
  NumberAt number;
  const PlacedPoint* d_placed;
  const bool* d_by_row;
  __device__ bool operator()(std::uint32_t i) const {
    return d_by_row[d_placed ? d_placed[number(i)].index : number(i)];
  }
};

}  // namespace

Buffer<bool> flags_by_row(Pool& pool, const bool* d_flags, const PlacedPoint* d_queries, std::int64_t count) {
  Buffer<bool> by_row(pool, count);
  if (count == 0) return by_row;
  flags_by_row_kernel<<<blocks_for(count), k_block_threads, 0, pool.stream()>>>(d_flags, d_queries, count,
                                                                                by_row.data());
  check_launch("flags_by_row");
  return by_row;
}

Buffer<std::uint32_t> choose(Pool& pool, const PointSequence& sequence, std::int64_t count, const bool* d_by_row,
                             std::int64_t chosen) {
  Buffer<std::uint32_t> from(pool, chosen);
  const Buffer<std::uint32_t> selected(pool, 1);
  const thrust::counting_iterator<std::uint32_t> places(0);
  const NumberAt number{sequence.d_from};
  const auto numbers = thrust::make_transform_iterator(places, number);
  const auto flags = thrust::make_transform_iterator(places, FlagAt{number, sequence.source.d_placed, d_by_row});
  const auto select = [&](void* d_storage, std::size_t& bytes) {
    check(cub::DeviceSelect::Flagged(d_storage, bytes, numbers, flags, from.data(), selected.data(), count,
                                     pool.stream()),
          "DeviceSelect::Flagged");
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  const Buffer<std::byte> storage(pool, static_cast<std::int64_t>(bytes));
  select(storage.data(), bytes);
  return from;
}

}  // namespace kann::cuda
