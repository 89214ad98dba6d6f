// Arrays that are about to be overwritten.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

namespace kann::base {

/// Resizes an array whose content does not matter: where it must move, nothing is copied.
template <class T>
void resize_fresh(Array<T>& array, std::int64_t size) {
  if (static_cast<std::size_t>(size) > array.capacity()) array = {};
  array.resize(static_cast<std::size_t>(size));
}

}  // namespace kann::base
