// Numbers of things in messages.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace kann::base {

/// "1 column", "2 columns", "2 queries"
std::string counted(std::integral auto count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun.ends_with('y') ? fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1))
                             : fmt::format("{} {}s", count, noun);
}

}  // namespace kann::base
