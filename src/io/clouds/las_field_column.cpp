#include "io/clouds/las_field_column.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/letter_case.hpp"

namespace kann::io {
namespace {

constexpr std::array<const char*, 3> k_colours = {"red", "green", "blue"};

}  // namespace

bool fits_las_field(const Attribute& attribute, const LasField& field) {
  if (field.is_scaled || !field.fault.empty()) return false;
  return with_type(field.stored, [&]<class Stored>(Stored) {
    return std::visit(
        [&]<class T>(const Array<T>& values) {
          if constexpr (std::is_same_v<T, Stored>) {
            const auto largest = static_cast<T>((1 << field.bits) - 1);
            return field.bits == 0 || std::ranges::all_of(values, [&](T value) { return value <= largest; });
          } else if constexpr (std::is_same_v<Stored, double>) {
            return sizeof(T) < sizeof(double);  // whole numbers of 64 bits may have more digits
          } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Stored>) {
            const Stored largest =
                field.bits > 0 ? static_cast<Stored>((1 << field.bits) - 1) : std::numeric_limits<Stored>::max();
            return std::ranges::all_of(values, [&](T value) {
              return !std::cmp_less(value, std::numeric_limits<Stored>::min()) && !std::cmp_greater(value, largest);
            });
          } else {
            return false;
          }
        },
        attribute.values);
  });
}

LasColours las_colours(std::span<const Attribute> attributes) {
  LasColours colours{};
  for (std::size_t c = 0; c < colours.size(); ++c) {
    const auto found = std::ranges::find_if(
        attributes, [&](const Attribute& a) { return base::equal_in_any_case(a.name, k_colours[c]); });
    if (found != attributes.end()) colours[c] = &*found;
  }
  return colours;
}

int las_factor(const LasField& field, const LasColours& colours) {
  const bool are_bytes = std::ranges::all_of(colours, [](const Attribute* colour) {
    return colour && std::holds_alternative<Array<std::uint8_t>>(colour->values);
  });
  return are_bytes && field.stored == ScalarType::uint16 && std::ranges::count(k_colours, field.name) > 0 ? 257 : 1;
}

RowColumn las_field_column(const LasField& field, const AttributeValues& values, int factor) {
  return std::visit(
      [&](const auto& array) -> RowColumn {
        const auto* const p = array.data();
        if (field.bits == 0)
          return with_type(field.stored, [&]<class Stored>(Stored) {
            return row_column(field.offset, [p, factor](std::int64_t i) {
              return static_cast<Stored>(static_cast<Stored>(p[i]) * static_cast<Stored>(factor));
            });
          });
        const unsigned mask = ((1u << field.bits) - 1) << field.shift;
        return [p, offset = field.offset, shift = field.shift, mask](std::int64_t first, std::int64_t count, char* out,
                                                                     std::size_t stride) {
          for (std::int64_t i = first; i < first + count; ++i, out += stride)
            out[offset] = static_cast<char>((static_cast<unsigned char>(out[offset]) & ~mask) |
                                            static_cast<unsigned>(p[i]) << shift);
        };
      },
      values);
}

}  // namespace kann::io
