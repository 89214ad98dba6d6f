#include <cub/device/device_radix_sort.cuh>

#include "cuda/order/sort.hpp"

namespace kann::cuda {
namespace {

constexpr int k_key_bits = 64;

// For a 32-bit count, CUB uses its kernels with 32-bit offsets.
using Count = std::uint32_t;

constexpr const char* k_pairs = "DeviceRadixSort::SortPairs";
constexpr const char* k_keys = "DeviceRadixSort::SortKeys";

}  // namespace

template <class Key>
PairSorter<Key>::PairSorter(Pool& pool, std::int64_t capacity) {
  for (auto& keys : keys_) keys = Buffer<Key>(pool, capacity);
  for (auto& indices : indices_) indices = Buffer<std::uint32_t>(pool, capacity);

  std::size_t bytes = 0;
  cub::DoubleBuffer<Key> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> indices(indices_[0].data(), indices_[1].data());
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, indices, static_cast<Count>(capacity), 0,
                                        static_cast<int>(8 * sizeof(Key))),
        k_pairs);
  storage_ = Buffer<std::byte>(pool, static_cast<std::int64_t>(bytes));
}

template <class Key>
void PairSorter<Key>::sort(std::int64_t count, int begin_bit, int end_bit, cudaStream_t stream) {
  sorted_ = 0;
  if (count == 0) return;
  std::size_t bytes = static_cast<std::size_t>(storage_.size());
  cub::DoubleBuffer<Key> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> indices(indices_[0].data(), indices_[1].data());
  check(cub::DeviceRadixSort::SortPairs(storage_.data(), bytes, keys, indices, static_cast<Count>(count), begin_bit,
                                        end_bit, stream),
        k_pairs);
  // The selectors of both double buffers are equal.
  sorted_ = keys.selector;
}

template class PairSorter<std::uint32_t>;
template class PairSorter<std::uint64_t>;

KeySorter::KeySorter(Pool& pool, std::int64_t capacity) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, static_cast<Count>(capacity), 0, k_key_bits), k_keys);
  storage_ = Buffer<std::byte>(pool, static_cast<std::int64_t>(bytes));
}

bool KeySorter::sort(std::uint64_t* d_keys, std::uint64_t* d_spare, std::int64_t count, int begin_bit, int end_bit,
                     cudaStream_t stream) {
  if (count == 0) return false;
  std::size_t bytes = static_cast<std::size_t>(storage_.size());
  cub::DoubleBuffer<std::uint64_t> keys(d_keys, d_spare);
  check(cub::DeviceRadixSort::SortKeys(storage_.data(), bytes, keys, static_cast<Count>(count), begin_bit, end_bit,
                                       stream),
        k_keys);
  return keys.selector != 0;
}

}  // namespace kann::cuda
