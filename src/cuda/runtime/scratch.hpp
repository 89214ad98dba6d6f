// Temporary memory for steps that end before the results are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// Makes buffers in borrowed arrays, which are not yet in use themselves, or from the pool if no array has enough bytes
/// left. A copy of it uses all borrowed memory again: for steps that begin after the buffers of the first are released.
class Scratch {
 public:
  explicit Scratch(Pool& pool) : pool_(&pool) {}

  /// Borrows an array. It must outlive the buffers, which overwrite it.
  template <class T>
  void borrow(const Buffer<T>& array) {
    free_.push_back(std::as_writable_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
  }

  /// Whether take() would return borrowed memory.
  template <class T>
  bool has_borrowed(std::int64_t size) const {
    return std::ranges::any_of(free_, [&](const auto& free) { return bytes_of<T>(size) <= free.size(); });
  }

  /// A buffer of `size` values, uninitialised. @throws Error as Pool::allocate().
  template <class T>
  Buffer<T> take(std::int64_t size) {
    const auto free = std::ranges::find_if(free_, [&](const auto& some) { return bytes_of<T>(size) <= some.size(); });
    if (free == free_.end()) return Buffer<T>(*pool_, size);
    T* const d_data = reinterpret_cast<T*>(free->data());
    constexpr std::size_t alignment = 256;  // as allocations have it
    *free = free->subspan(std::min(free->size(), (bytes_of<T>(size) + alignment - 1) / alignment * alignment));
    return Buffer<T>::unowned(d_data, size);
  }

 private:
  template <class T>
  static std::size_t bytes_of(std::int64_t size) {
    return static_cast<std::size_t>(size) * sizeof(T);
  }

  Pool* pool_;
  std::vector<std::span<std::byte>> free_;
};

}  // namespace kann::cuda
