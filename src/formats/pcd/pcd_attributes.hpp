// The attributes of a PCD file: its fields, and the colours that PCL packs into one of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/pcd/pcd_header.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

struct PcdAttribute {
  std::string name;
  std::size_t field = 0;  ///< its place in PcdHeader::fields
  ScalarType type = ScalarType::float32;
  std::size_t byte = 0;  ///< where it begins in the field's value, little-endian
};

struct PcdAttributes {
  std::vector<PcdAttribute> all;
  ChosenAttributes chosen;  ///< by the names that options ask for
};

/// The attributes that `options` ask for, as chosen_attributes() says. A field `rgb` or `rgba` of 4 bytes, whatever its
/// type, is red, green and blue as uint8, by these names and by its own; its bytes are blue, green, red and, unused,
/// alpha. Fields with several values per point cannot be attributes; fields called `_` are padding.
/// @throws Error bad_input.
PcdAttributes choose_pcd_attributes(const PcdHeader& header, const ReadRequest& options, const std::string& file,
                                    std::vector<std::string>& warnings);

}  // namespace kann::formats
