// Conditions on the values of columns, as --where and --keep take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

namespace kann {

/// What one column has to be.
struct Criterion {
  enum class Operator : std::uint8_t { equal, not_equal, less, at_most, greater, at_least };

  std::string name;  ///< of the column
  Operator op;
  std::vector<std::string> values;  ///< numbers or words; any of them with `equal`, else one

  /// Whether no text can be compared so.
  bool needs_numbers() const { return op != Operator::equal && op != Operator::not_equal; }
};

/// All of the criteria have to hold; none stand for no condition.
struct Condition {
  std::string option = {};  ///< the option that gave it, in messages
  std::string text = {};    ///< as it was given
  std::vector<Criterion> all = {};

  explicit operator bool() const { return !all.empty(); }

  /// Adds what has to hold, too.
  void add(Condition more);
  bool names(std::string_view column) const { return std::ranges::count(all, column, &Criterion::name) > 0; }
};

/// Reads "nn_distance > 0.5 and class in 2,6": NAME or "NAME", one of = != < <= > >= and a number or a word, or `in`
/// and several with commas between them; and so on after `and`.
/// @throws Error usage: it begins with `option`.
Condition parse_condition(const std::string& option, const std::string& text);

/// Whether the column can be compared: numbers with numbers, and text with words. Returns what is wrong; empty:
/// nothing.
std::string fault_of(const Criterion& criterion, const Attribute& column);

/// Sets `met` to 0 in the rows for whose values of `column` the criterion does not hold, as it never does for a
/// missing value.
void compare(const Criterion& criterion, const Attribute& column, std::span<std::uint8_t> met);

}  // namespace kann
