// Compares names without regard to case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace kann::base {

/// Whether two texts are equal if the case of ASCII letters is ignored.
inline bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace kann::base
