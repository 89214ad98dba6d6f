#include <cub/device/device_radix_sort.cuh>

#include "cuda/sort.hpp"

namespace kann::cuda {
namespace {

constexpr int k_key_bits = 64;

// CUB takes its kernels with 32-bit offsets for a 32-bit count.
using Count = std::uint32_t;

}  // namespace

PairSorter::PairSorter(Pool& pool, std::int64_t capacity) {
  for (auto& keys : keys_) keys = Buffer<std::uint64_t>(pool, capacity);
  for (auto& indices : indices_) indices = Buffer<std::uint32_t>(pool, capacity);

  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> indices(indices_[0].data(), indices_[1].data());
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, indices, static_cast<Count>(capacity), 0, k_key_bits,
                                        pool.stream()),
        "DeviceRadixSort::SortPairs");
  storage_ = Buffer<std::byte>(pool, static_cast<std::int64_t>(bytes));
}

void PairSorter::sort(std::int64_t count, int bits, cudaStream_t stream) {
  sorted_ = 0;
  if (count == 0) return;
  std::size_t bytes = static_cast<std::size_t>(storage_.size());
  cub::DoubleBuffer<std::uint64_t> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> indices(indices_[0].data(), indices_[1].data());
  check(cub::DeviceRadixSort::SortPairs(storage_.data(), bytes, keys, indices, static_cast<Count>(count), 0, bits,
                                        stream),
        "DeviceRadixSort::SortPairs");
  // Both buffers change sides together.
  sorted_ = keys.selector;
}

}  // namespace kann::cuda
