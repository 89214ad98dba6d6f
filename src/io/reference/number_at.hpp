// Little-endian numbers in a file's bytes, at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "kann/array.hpp"

namespace kann::io {

static_assert(std::endian::native == std::endian::little);

/// The number at `offset`. @pre `bytes` holds it.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// Fills `out` with the numbers that `bytes` begins with. @pre `bytes` holds as many.
template <class T>
void copy_numbers(std::string_view bytes, Array<T>& out) {
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
}

}  // namespace kann::io
