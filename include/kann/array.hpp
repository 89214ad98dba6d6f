// A std::vector whose resize() leaves numbers uninitialised: a cloud of a gigabyte is written once, by its reader.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace kann {

/// std::allocator, but value-initialisation of trivial types writes nothing.
template <class T>
struct DefaultInitAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = DefaultInitAllocator<U>;
  };

  DefaultInitAllocator() = default;
  template <class U>
  DefaultInitAllocator(const DefaultInitAllocator<U>&) noexcept {}

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
