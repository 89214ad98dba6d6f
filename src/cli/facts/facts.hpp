// What is known of a run, a plan or a file: one tree, which JSON, text and pages are made from.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kann::cli {

struct Fact;

/// The members of an object, in their order.
using Facts = std::vector<Fact>;

/// Objects that have the same keys. A type of its own, as a std::variant of libstdc++ 12 whose alternatives are all of
/// the standard library is destroyed as if it had a value if a copy of it fails.
struct Table {
  std::vector<Facts> rows;
};

/// The value of a fact: nothing, a value, a list, an object, or a table.
class Value
    : public std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<double>,
                          std::vector<std::int64_t>, std::vector<std::string>, Facts, Table> {
 public:
  using Variant = variant;
  Value() = default;
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Value>) Value(T&& value);
};

struct Fact {
  std::string_view key;  ///< without one, the fact is for people alone
  Value value = {};
  std::string_view label = {};  ///< for people; without one, the fact is for programs alone
  std::string shown = {};       ///< what people read; if it is empty, the value
};

/// A value of a type that Value has, or that becomes one: a whole number, text, or an optional.
template <class T>
Value::Variant variant_of(T&& value) {
  using Type = std::remove_cvref_t<T>;
  if constexpr (std::same_as<Type, bool> || std::same_as<Type, std::uint64_t>)
    return value;
  else if constexpr (std::integral<Type>)
    return static_cast<std::int64_t>(value);
  else if constexpr (std::convertible_to<T, std::string_view>)
    return std::string(std::string_view(value));
  else if constexpr (std::same_as<Type, std::vector<Facts>>)
    return Table{std::forward<T>(value)};
  else if constexpr (requires { value.has_value(); })
    return value ? variant_of(*value) : Value::Variant();
  else
    return std::forward<T>(value);
}

template <class T>
requires(!std::same_as<std::remove_cvref_t<T>, Value>) Value::Value(T&& value)
    : Variant(variant_of(std::forward<T>(value))) {}

/// The tree as JSON with a final newline, indented by two columns per level or in one line. Text that is not UTF-8 gets
/// U+FFFD in place of the wrong bytes; numbers that are not finite become null. The text is made by one pass without a
/// tree of its own: that of nlohmann-json allocates in its destructor, and crashes where memory has run out.
std::string json(const Facts& facts, bool is_indented);

/// The value of a key; null if there is none.
const Value* find(const Facts& facts, std::string_view key);

/// Labels and texts of the facts that have a label, also in objects within, but not in tables.
std::vector<std::pair<std::string_view, std::string>> labelled(const Facts& facts);

/// A table for people: labels, then a row for each object. @param digits significant digits of numbers
std::vector<std::vector<std::string>> cells(const std::vector<Facts>& rows, int digits = 6);

/// The lines of a table whose columns are as wide as their widest text: the first `flush_left` columns begin at the
/// left, the others end at the right. @param gap blanks between columns
std::vector<std::string> lines(const std::vector<std::vector<std::string>>& cells, std::size_t flush_left,
                               std::size_t gap = 2);

}  // namespace kann::cli
