// Which values a column has.
#pragma once

#include <cstdint>
#include <variant>

#include "kann/attributes.hpp"

namespace kann::statistics {

/// A value of a column: whole numbers are held exactly.
using ColumnValue = std::variant<std::int64_t, std::uint64_t, double>;

struct ColumnRange {
  ColumnValue minimum, maximum;  ///< of the finite values; not set if there are none
  std::int64_t finite = 0;       ///< values that are numbers
  std::int64_t others = 0;       ///< NaN, infinite and missing values

  /// Adds values, which have the type of those before them. @param no_data as Attribute::no_data
  void add(const AttributeValues& values, std::optional<double> no_data = {});
};

}  // namespace kann::statistics
