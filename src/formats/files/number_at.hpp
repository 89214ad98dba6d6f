// Little-endian numbers in a file's bytes, at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace kann::formats {

static_assert(std::endian::native == std::endian::little);

/// The number at `offset`. @pre `bytes` holds it.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// Writes a number over the bytes at `offset`. @pre `bytes` holds it.
template <class T>
void put_number(std::string& bytes, std::size_t offset, T number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

}  // namespace kann::formats
