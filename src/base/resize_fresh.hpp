// Resizes arrays that are about to be overwritten.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

namespace kann::base {

/// Resizes an array whose content is not needed: if memory must be allocated, nothing is copied to it.
template <class T>
void resize_fresh(Array<T>& array, std::int64_t size) {
  if (static_cast<std::size_t>(size) > array.capacity()) array = {};
  array.resize(static_cast<std::size_t>(size));
}

}  // namespace kann::base
