// Attributes as the fields of LAS records that have their names.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kann/attributes.hpp"

#include "formats/las/las_fields.hpp"
#include "formats/table/binary_rows.hpp"

namespace kann::formats {

/// Red, green and blue, each null if no attribute has that name.
using LasColours = std::array<const Attribute*, 3>;
LasColours las_colours(std::span<const Attribute> attributes);

/// The factor that the values of a field are multiplied by: 257 for a colour if all three are uint8, which makes it
/// both the high and the low byte of the uint16 that LAS has; else 1.
int las_factor(const LasField& field, const LasColours& colours);

/// Writes the values of attribute number `attribute`, which fit, times `factor` to the field; other bits of its byte
/// stay.
CloudColumn las_field_column(const LasField& field, std::size_t attribute, int factor);

}  // namespace kann::formats
