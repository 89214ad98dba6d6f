// Which attributes the fields of LAS records can hold, from the values of all blocks.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

#include "formats/las/las_fields.hpp"
#include "formats/las/las_head.hpp"

namespace kann::formats {

/// Pass all blocks to survey(), then let the attributes take fields, in their order.
class LasFieldFits {
 public:
  /// @param is_same_name whether the name of a field (first) is that of an attribute
  LasFieldFits(std::span<const LasField> fields, std::span<const Attribute> attributes,
               bool (*is_same_name)(std::string_view, std::string_view));

  /// Looks at the values of the next block.
  void survey(std::span<const Attribute> attributes);

  /// Whether the field holds the first attribute that has its name.
  bool has_fitting(std::string_view field) const;

  /// No attribute can take this field.
  void leave_out(std::string_view field);

  /// Gives an attribute the first field of its name that is not taken. Returns null if there is none, or it does not
  /// hold all values.
  const LasField* take(std::size_t attribute);

  /// The counts of the attribute that took the return number; null if none did.
  const LasReturns* returns() const { return returns_; }

 private:
  /// A field and an attribute of its name.
  struct Pair {
    std::size_t attribute, number;  ///< number of the field
    LasField field;
    bool fits = true;
    LasReturns by_return{};  ///< if the field is the return number
  };

  std::vector<Pair> pairs_;
  std::set<std::size_t> taken_;  ///< numbers of fields
  const LasReturns* returns_ = nullptr;
};

}  // namespace kann::formats
