// Copies columns of binary tables, for PLY, NPY, PCD and LAS: any scalar type, either byte order, any stride.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kann/attributes.hpp"

namespace kann::formats {

enum class ScalarType { int8, uint8, int16, uint16, int32, uint32, float16, float32, float64, int64, uint64 };

/// A float16 (IEEE 754 binary16) as a file has it.
struct Half {
  std::uint16_t bits = 0;

  operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ffu;
    const float denormal = static_cast<float>(fraction) * 0x1p-24f;
    if (exponent == 0) return sign ? -denormal : denormal;
    const std::uint32_t wide = exponent == 0x1f ? 0xff : exponent + (127 - 15);
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
};

/// Bytes of one scalar.
constexpr std::size_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
    case ScalarType::uint8:
      return 1;
    case ScalarType::int16:
    case ScalarType::uint16:
    case ScalarType::float16:
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

/// Calls f with a value of the C++ type that holds values of `type`, which is float for float16, and returns what f
/// returns.
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
    case ScalarType::float16:
    case ScalarType::float32:
      return f(float{});
    case ScalarType::float64:
      break;
  }
  return f(double{});
}

/// Like with_type(), but with a value of the type as it stands in files: for float16, Half.
template <class F>
auto with_stored_type(ScalarType type, F&& f) {
  return type == ScalarType::float16 ? f(Half{}) : with_type(type, f);
}

constexpr bool is_floating(ScalarType type) { return type == ScalarType::float32 || type == ScalarType::float64; }

constexpr bool is_integer(ScalarType type) { return !is_floating(type) && type != ScalarType::float16; }

/// Whether float64 holds every value of the type exactly.
constexpr bool fits_float64(ScalarType type) { return is_floating(type) || size_of(type) <= 4; }

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

/// The first of `count` values that float64 may not hold exactly, past 2^53; none if there is none.
std::optional<std::size_t> first_inexact_row(const Column& column, std::size_t count);

/// Copies `count` points to `out`, which has room for count × axes.size() coordinates; coordinate `a` is column
/// `axes[a]`. To be called for float only if that holds every value.
void gather_columns_into(std::span<const Column> axes, std::size_t count, float* out);
void gather_columns_into(std::span<const Column> axes, std::size_t count, double* out);

/// An array of `count` values of the type, which are not set.
AttributeValues make_values(ScalarType type, std::size_t count);

/// Copies the `count` values of a column to `values` from index `first` on; `values` is of the column's type.
void gather_values(const Column& column, std::size_t count, AttributeValues& values, std::size_t first);

/// The value of integer type `type`, of at most 32 bits, at `address`.
std::int64_t load_integer(const char* address, ScalarType type, std::endian order);

}  // namespace kann::formats
