#include "formats/las/las_field_column.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "base/letter_case.hpp"

namespace kann::formats {
namespace {

constexpr std::array<const char*, 3> k_colours = {"red", "green", "blue"};

}  // namespace

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

CloudColumn las_field_column(const LasField& field, std::size_t attribute, int factor) {
  return [attribute, factor, offset = field.offset, stored = field.stored, shift = field.shift,
          bits = field.bits](const CloudBlock& block) {
    return std::visit(
        [&](const auto& array) -> RowColumn {
          const auto* const p = array.data();
          if (bits == 0)
            return with_type(stored, [&]<class Stored>(Stored) {
              return row_column(offset, [p, factor](std::int64_t i) {
                return static_cast<Stored>(static_cast<Stored>(p[i]) * static_cast<Stored>(factor));
              });
            });
          const unsigned mask = ((1u << bits) - 1) << shift;
          return [p, offset, shift, mask](std::int64_t first, std::int64_t count, char* out, std::size_t stride) {
            for (std::int64_t i = first; i < first + count; ++i, out += stride)
              out[offset] = static_cast<char>((static_cast<unsigned char>(out[offset]) & ~mask) |
                                              static_cast<unsigned>(p[i]) << shift);
          };
        },
        block.attributes[attribute].values);
  };
}

}  // namespace kann::formats
