// Step sort: CUB's radix sorts, each with its memory taken once and used by every shift.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/device/buffer.hpp"

namespace kann::cuda {

/// Sorts up to `capacity` pairs, stable: equal keys keep the order of their input. Fill keys_in() and indices_in(),
/// call sort(), read keys() and indices(). Any number of times. Key is std::uint32_t or std::uint64_t.
template <class Key>
class PairSorter {
 public:
  PairSorter() = default;  ///< of no capacity
  PairSorter(Pool& pool, std::int64_t capacity);

  std::int64_t capacity() const { return keys_[0].size(); }
  Key* keys_in() { return keys_[0].data(); }
  std::uint32_t* indices_in() { return indices_[0].data(); }

  /// Sorts the first `count` pairs by the lowest `bits` of their keys. Queued on `stream`; the input is destroyed.
  void sort(std::int64_t count, int bits, cudaStream_t stream);

  const Key* keys() const { return keys_[sorted_].data(); }
  const std::uint32_t* indices() const { return indices_[sorted_].data(); }

 private:
  Buffer<Key> keys_[2];
  Buffer<std::uint32_t> indices_[2];
  Buffer<std::byte> storage_;
  int sorted_ = 0;  // which of the two buffers CUB left the result in
};

/// Sorts up to `capacity` keys of 64 bits by some of their bits, stable: two thirds of the bytes of pairs. Fill
/// keys_in(), call sort(), read keys(). Any number of times.
class KeySorter {
 public:
  KeySorter() = default;  ///< of no capacity
  KeySorter(Pool& pool, std::int64_t capacity);

  std::uint64_t* keys_in() { return keys_[0].data(); }

  /// Sorts the first `count` keys by their bits [begin_bit, end_bit). Queued on `stream`; the input is destroyed.
  void sort(std::int64_t count, int begin_bit, int end_bit, cudaStream_t stream);

  const std::uint64_t* keys() const { return keys_[sorted_].data(); }

 private:
  Buffer<std::uint64_t> keys_[2];
  Buffer<std::byte> storage_;
  int sorted_ = 0;
};

}  // namespace kann::cuda
