// Memory for what is forgotten before the results are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/device/buffer.hpp"

namespace kann::cuda {

/// Gives buffers from arrays that are lent to it while their own time has not come, and from the pool what those have
/// no room for. A copy gives out all that was lent once more: for what comes after the buffers of the first were
/// released.
class Scratch {
 public:
  explicit Scratch(Pool& pool) : pool_(&pool) {}

  /// Lends an array, which must outlive the buffers and may be overwritten as long as there are any.
  template <class T>
  void lend(const Buffer<T>& array) {
    free_.push_back(std::as_writable_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
  }

  /// A buffer of `size` values, uninitialised. @throws Error as Pool::allocate().
  template <class T>
  Buffer<T> take(std::int64_t size) {
    constexpr std::size_t alignment = 256;  // as allocations have it
    const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(T) + alignment - 1) / alignment * alignment;
    for (auto& free : free_) {
      if (bytes > free.size()) continue;
      T* const d_data = reinterpret_cast<T*>(free.data());
      free = free.subspan(bytes);
      return Buffer<T>::lent(d_data, size);
    }
    return Buffer<T>(*pool_, size);
  }

 private:
  Pool* pool_;
  std::vector<std::span<std::byte>> free_;
};

}  // namespace kann::cuda
