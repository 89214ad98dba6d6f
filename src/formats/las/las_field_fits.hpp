// Which attributes the fields of LAS records can hold, and how, from the values of all blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"

#include "formats/las/las_fields.hpp"
#include "formats/las/las_head.hpp"
#include "formats/table/value_range.hpp"

namespace kann::formats {

/// Pass all blocks to survey(), then let the attributes take fields, in their order. An attribute can take a field that
/// has its name or its meaning.
class LasFieldFits {
 public:
  /// @param attributes without values
  LasFieldFits(std::vector<LasField> fields, std::span<const Attribute> attributes);

  /// Looks at the values of the next block.
  void survey(std::span<const Attribute> attributes);

  /// Whether there is a field of that meaning that holds the first attribute which can take it.
  bool has_fitting(Meaning meaning) const;

  /// What an attribute is in the records.
  struct Place {
    std::string field;       ///< the name of the field
    double factor = 1;       ///< its values are those of the attribute times this
    LasReturns by_return{};  ///< if the field is the return number: the counts of the points
  };

  /// Gives an attribute the first field that it can take and that is not taken. None if there is none, if it does not
  /// hold all values, or if `exists` says that the records have no such field.
  std::optional<Place> take(std::size_t attribute, std::span<const LasField> existing);

  /// Says of intensities between 0 and 1 that they become whole numbers.
  std::vector<std::string> warnings(const std::string& file) const;

  /// Whether the times of an attribute are GPS seconds minus 10⁹, not those of a week.
  bool is_standard_time(std::size_t attribute) const;

 private:
  /// A field, and an attribute that can take it.
  struct Pair {
    std::size_t attribute, field;  ///< numbers
    LasReturns by_return{};
  };

  std::optional<double> factor_of(const Pair& pair) const;
  std::optional<double> colour_factor(Meaning meaning) const;

  std::vector<LasField> fields_;
  std::vector<Meaning> meanings_;   ///< of the attributes
  std::vector<ScalarType> types_;   ///< of the attributes
  std::vector<ValueRange> ranges_;  ///< of the attributes
  bool scales_intensity_ = false;
  std::vector<Pair> pairs_;
  std::set<std::size_t> taken_;  ///< numbers of fields
};

}  // namespace kann::formats
