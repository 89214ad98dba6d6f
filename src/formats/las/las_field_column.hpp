// Attributes as the fields of LAS records.
#pragma once

#include <cstddef>

#include "formats/las/las_fields.hpp"
#include "formats/table/binary_rows.hpp"

namespace kann::formats {

/// Writes the values of attribute number `attribute` times `factor` to the field, which holds them; other bits of its
/// byte stay.
CloudColumn las_field_column(const LasField& field, std::size_t attribute, double factor);

}  // namespace kann::formats
