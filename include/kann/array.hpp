// A std::vector whose resize() leaves numbers uninitialised: a cloud of a gigabyte is written once, by its reader.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace kann {

/// Memory of at least `k_large_bytes`, aligned to 2 MiB, in huge pages where the system grants them: a result of 537 MB
/// is 131,072 faults in small pages and 256 in huge ones. Nothing is touched. @throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory) noexcept;
inline constexpr std::size_t k_large_bytes = std::size_t{4} << 20;

/// std::allocator, but value-initialisation of trivial types writes nothing, and what is large lies in huge pages.
template <class T>
struct DefaultInitAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = DefaultInitAllocator<U>;
  };

  DefaultInitAllocator() = default;
  template <class U>
  DefaultInitAllocator(const DefaultInitAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count < k_large_bytes / sizeof(T) || count > static_cast<std::size_t>(-1) / sizeof(T))
      return std::allocator<T>::allocate(count);  // refuses a size that is none
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < k_large_bytes / sizeof(T)) return std::allocator<T>::deallocate(memory, count);
    free_large(memory);
  }

  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(place)) U;
    } else {
      ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
  }
};

/// A contiguous, owned array; the storage of clouds and results.
template <class T>
using Array = std::vector<T, DefaultInitAllocator<T>>;

}  // namespace kann
