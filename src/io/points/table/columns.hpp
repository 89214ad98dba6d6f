// Copies columns of binary tables, for PLY, NPY, PCD and LAS: any scalar type, either byte order, any stride.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kann/attributes.hpp"
#include "kann/points.hpp"

namespace kann::io {

enum class ScalarType { int8, uint8, int16, uint16, int32, uint32, float32, float64, int64, uint64 };

/// Bytes of one scalar.
constexpr std::size_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
    case ScalarType::uint8:
      return 1;
    case ScalarType::int16:
    case ScalarType::uint16:
      return 2;
    case ScalarType::int32:
    case ScalarType::uint32:
    case ScalarType::float32:
      return 4;
    case ScalarType::float64:
    case ScalarType::int64:
    case ScalarType::uint64:
      return 8;
  }
  return 0;
}

/// Calls f with a value of the C++ type that `type` names, and returns what it does.
template <class F>
auto with_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::int8:
      return f(std::int8_t{});
    case ScalarType::uint8:
      return f(std::uint8_t{});
    case ScalarType::int16:
      return f(std::int16_t{});
    case ScalarType::uint16:
      return f(std::uint16_t{});
    case ScalarType::int32:
      return f(std::int32_t{});
    case ScalarType::uint32:
      return f(std::uint32_t{});
    case ScalarType::int64:
      return f(std::int64_t{});
    case ScalarType::uint64:
      return f(std::uint64_t{});
    case ScalarType::float32:
      return f(float{});
    case ScalarType::float64:
      break;
  }
  return f(double{});
}

constexpr bool is_floating(ScalarType type) { return type == ScalarType::float32 || type == ScalarType::float64; }

/// Whether coordinates may be of the type: float64 holds every value of it exactly.
constexpr bool is_coordinate_type(ScalarType type) { return is_floating(type) || size_of(type) <= 4; }

/// Whether float32 holds every value of the type exactly.
constexpr bool fits_float32(ScalarType type) {
  return type == ScalarType::float32 || (!is_floating(type) && size_of(type) <= 2);
}

/// One value of every row; that of row i is at first + i·stride.
struct Column {
  ScalarType type;
  const char* first;
  std::size_t stride;  ///< bytes
  std::endian order = std::endian::native;
};

/// Copies `count` points of 2 or 3 dimensions; coordinate `a` is column `axes[a]`. The result is float32 if that holds
/// every value of the columns' types, else float64. The caller has checked that the memory holds all `count` rows.
Points gather_columns(std::span<const Column> axes, std::int64_t count);

/// The same to `out`, which has room for count × axes.size() coordinates. Float only where it holds every value.
void gather_columns_into(std::span<const Column> axes, std::size_t count, float* out);
void gather_columns_into(std::span<const Column> axes, std::size_t count, double* out);

/// An array of `count` values of the type, which are not set.
AttributeValues make_values(ScalarType type, std::size_t count);

/// Copies the `count` values of a column to `values` from index `first` on; `values` is of the column's type.
void gather_values(const Column& column, std::size_t count, AttributeValues& values, std::size_t first);

/// The value of integer type `type`, of at most 32 bits, at `address`.
std::int64_t load_integer(const char* address, ScalarType type, std::endian order);

}  // namespace kann::io
