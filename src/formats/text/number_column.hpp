// A column of numbers whose type only its cells say.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "kann/array.hpp"

namespace kann::formats {

/// Appends a value. @throws Error resources, which names the file.
template <class T>
void append(Array<T>& values, T value, const std::string& file);

/// The values have the first of these types that holds all of them, so that whole numbers, which may be names, keep
/// their digits. Other numbers are rounded to float64. A cell that is_missing_value() is NaN; -0 is float64, too.
class NumberColumn {
 public:
  using Values = std::variant<Array<std::int32_t>, Array<std::int64_t>, Array<std::uint64_t>, Array<double>>;

  /// Appends the number of a cell. Returns what is wrong with it ("is not a number"), also if it needs float64 in a
  /// column with a whole number that float64 does not hold; then the column is of no more use. Empty: nothing is wrong.
  /// @throws Error resources, which names the file.
  std::string add(std::string_view cell, const std::string& file);

  Values values;

 private:
  std::string add_whole(std::integral auto value, const std::string& file);
  std::string add_other(std::string_view cell, const std::string& file);
  std::string loss() const;
  template <class T>
  void widen(const std::string& file);

  bool has_negative_ = false;
  std::string inexact_ = {};  // the first whole number that float64 does not hold
};

}  // namespace kann::formats
