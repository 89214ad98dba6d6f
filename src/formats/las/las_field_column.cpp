#include "formats/las/las_field_column.hpp"

#include <cstdint>
#include <variant>

namespace kann::formats {

CloudColumn las_field_column(const LasField& field, std::size_t attribute, double factor) {
  if (field.bits == 0)
    return with_type(field.stored,
                     [&]<class Stored>(Stored) { return scaled_column<Stored>(field.offset, attribute, factor); });
  return [attribute, offset = field.offset, shift = field.shift, bits = field.bits](const CloudBlock& block) {
    return std::visit(
        [&](const auto& array) -> RowColumn {
          const unsigned mask = ((1u << bits) - 1) << shift;
          return [p = array.data(), offset, shift, mask](std::int64_t first, std::int64_t count, char* out,
                                                         std::size_t stride) {
            for (std::int64_t i = first; i < first + count; ++i, out += stride)
              out[offset] = static_cast<char>((static_cast<unsigned char>(out[offset]) & ~mask) |
                                              static_cast<unsigned>(p[i]) << shift);
          };
        },
        block.attributes[attribute].values);
  };
}

}  // namespace kann::formats
