// Reads a JSON object into values, by nlohmann-json, but without its tree, whose destructor ends a program that has no
// memory left.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/facts/facts.hpp"

namespace kann::cli {

/// Values by their keys; the key of a value in an object within is "outer.inner".
struct ReadFacts {
  std::map<std::string, Value> values;
  std::string twice;  ///< a key that is there more than once; empty: none

  /// The value of a key; none if there is none of that type. Whole numbers are doubles as well.
  template <class T>
  std::optional<T> get(const std::string& key) const {
    const auto found = values.find(key);
    if (found == values.end()) return std::nullopt;
    if constexpr (std::same_as<T, double>)
      if (const auto* const whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
    const T* const value = std::get_if<T>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
  }
};

/// The values of the object that `text` holds: null, booleans, numbers, texts, and lists of numbers (as doubles) or of
/// texts. A list of anything else is an empty list. None unless `text` is one object, valid by RFC 8259.
std::optional<ReadFacts> read_json(std::string_view text);

}  // namespace kann::cli
