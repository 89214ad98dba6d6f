#include "formats/table/columns.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kann::formats {
namespace {

template <class T>
T load(const char* address, bool swap) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, address, sizeof(T));
  if (swap) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Whether the table's bytes are row-major coordinates of type Out, to be copied as they are.
template <class Out>
bool is_plain(std::span<const Column> axes) {
  constexpr ScalarType type = sizeof(Out) == 4 ? ScalarType::float32 : ScalarType::float64;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].type != type || axes[a].stride != axes.size() * sizeof(Out) ||
        axes[a].first != axes[0].first + a * sizeof(Out) || axes[a].order != std::endian::native)
      return false;
  return true;
}

template <class Out>
void gather(std::span<const Column> axes, std::size_t count, Out* out) {
  const std::size_t d = axes.size();
  if (count == 0) return;
  if (is_plain<Out>(axes)) {
    std::memcpy(out, axes[0].first, count * d * sizeof(Out));
    return;
  }
  constexpr std::size_t block = 1024;  // rows; they stay in the cache while each axis is copied
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t end = std::min(count, begin + block);
    for (std::size_t a = 0; a < d; ++a) {
      const Column& column = axes[a];
      with_stored_type(column.type, [&]<class In>(In) {
        const auto copy = [&](auto swapped) {
          for (std::size_t i = begin; i < end; ++i)
            out[i * d + a] = static_cast<Out>(load<In>(column.first + i * column.stride, swapped));
        };
        column.order != std::endian::native ? copy(std::true_type{}) : copy(std::false_type{});
      });
    }
  }
}

}  // namespace

std::optional<std::size_t> first_inexact_row(const Column& column, std::size_t count) {
  if (fits_float64(column.type)) return std::nullopt;
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  const bool swap = column.order != std::endian::native;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const at = column.first + i * column.stride;
    const bool is_inexact = column.type == ScalarType::uint64
                                ? std::cmp_greater(load<std::uint64_t>(at, swap), limit)
                                : load<std::int64_t>(at, swap) > limit || load<std::int64_t>(at, swap) < -limit;
    if (is_inexact) return i;
  }
  return std::nullopt;
}

void gather_columns_into(std::span<const Column> axes, std::size_t count, float* out) { gather(axes, count, out); }

void gather_columns_into(std::span<const Column> axes, std::size_t count, double* out) { gather(axes, count, out); }

AttributeValues make_values(ScalarType type, std::size_t count) {
  AttributeValues values;
  with_type(type, [&]<class T>(T) { values = Array<T>(count); });
  return values;
}

void gather_values(const Column& column, std::size_t count, AttributeValues& values, std::size_t first) {
  with_stored_type(column.type, [&]<class In>(In) {
    using Out = std::conditional_t<std::is_same_v<In, Half>, float, In>;
    Out* const out = std::get<Array<Out>>(values).data() + first;
    const auto copy = [&](auto swapped) {
      for (std::size_t i = 0; i < count; ++i) out[i] = load<In>(column.first + i * column.stride, swapped);
    };
    column.order != std::endian::native ? copy(std::true_type{}) : copy(std::false_type{});
  });
}

std::int64_t load_integer(const char* address, ScalarType type, std::endian order) {
  std::int64_t value = 0;
  with_type(type,
            [&]<class T>(T) { value = static_cast<std::int64_t>(load<T>(address, order != std::endian::native)); });
  return value;
}

}  // namespace kann::formats
