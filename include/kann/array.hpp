// A std::vector whose resize() leaves numbers uninitialised: a cloud of a gigabyte is written once, by its reader.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace kann {

/// Allocates `bytes` of uninitialised memory, aligned to 2 MiB, in huge pages where the system grants them: a result of
/// 537 MB takes 131,072 page faults in small pages, 256 in huge ones. @throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory) noexcept;

/// Arrays of this size and above come from allocate_large().
inline constexpr std::size_t k_large_bytes = std::size_t{4} << 20;

/// The allocator of Array: value-initialisation of a trivial type writes nothing, and large arrays lie in huge pages.
/// Allocators have no state, so all are equal. The class is not derived from std::allocator, whose allocate_at_least()
/// (C++23) would be inherited and would bypass allocate().
template <class T>
struct DefaultInitAllocator {
  using value_type = T;

  DefaultInitAllocator() = default;
  template <class U>
  DefaultInitAllocator(const DefaultInitAllocator<U>&) noexcept {}

  /// @throws std::bad_array_new_length if the size in bytes exceeds std::ptrdiff_t, std::bad_alloc.
  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    if (is_large(count)) return static_cast<T*>(allocate_large(count * sizeof(T)));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_large(count)) return free_large(memory);
    std::allocator<T>().deallocate(memory, count);
  }

  template <class U, class... Args>
  void construct(U* object, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(object)) U;
    } else {
      ::new (static_cast<void*>(object)) U(std::forward<Args>(args)...);
    }
  }

  template <class U>
  friend bool operator==(const DefaultInitAllocator&, const DefaultInitAllocator<U>&) noexcept {
    return true;
  }

 private:
  static constexpr bool is_large(std::size_t count) { return count * sizeof(T) >= k_large_bytes; }
};

/// A contiguous array that owns its elements; the storage of clouds and results.
template <class T>
using Array = std::vector<T, DefaultInitAllocator<T>>;

}  // namespace kann
