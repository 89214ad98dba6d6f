// Step sort: CUB's radix sorts, with memory that is allocated once and used for every shift.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <utility>

#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// Sorts up to `capacity` pairs stably: equal keys keep the order of their input. Fill keys_in() and indices_in(), call
/// sort(), read keys() and indices(); this may be repeated any number of times. Key is std::uint32_t or std::uint64_t.
template <class Key>
class PairSorter {
 public:
  PairSorter() = default;                         ///< its capacity is 0
  PairSorter(Pool& pool, std::int64_t capacity);  ///< all memory, CUB's included, comes from `pool`

  std::int64_t capacity() const { return keys_[0].size(); }
  Key* keys_in() { return keys_[0].data(); }
  std::uint32_t* indices_in() { return indices_[0].data(); }

  /// Sorts the first `count` pairs by the bits [begin_bit, end_bit) of their keys. Queued on `stream`; the input is
  /// destroyed.
  void sort(std::int64_t count, int begin_bit, int end_bit, cudaStream_t stream);

  const Key* keys() const { return keys_[sorted_].data(); }
  const std::uint32_t* indices() const { return indices_[sorted_].data(); }
  Buffer<std::uint32_t> release_indices() { return std::move(indices_[sorted_]); }
  Buffer<Key> release_keys() { return std::move(keys_[sorted_]); }

 private:
  Buffer<Key> keys_[2];
  Buffer<std::uint32_t> indices_[2];
  Buffer<std::byte> storage_;
  int sorted_ = 0;  // which of the two buffers CUB left the result in
};

/// Sorts up to `capacity` keys of 64 bits stably by some of their bits. It moves two thirds of the bytes of a sort of
/// pairs.
class KeySorter {
 public:
  KeySorter(Pool& pool, std::int64_t capacity);

  /// Sorts `count` keys by their bits [begin_bit, end_bit), one bit or more. Queued on `stream`. Both arrays are
  /// overwritten. Returns whether the sorted keys are in d_spare.
  bool sort(std::uint64_t* d_keys, std::uint64_t* d_spare, std::int64_t count, int begin_bit, int end_bit,
            cudaStream_t stream);

 private:
  Buffer<std::byte> storage_;
};

}  // namespace kann::cuda
