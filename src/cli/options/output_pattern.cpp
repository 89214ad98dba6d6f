#include "cli/options/output_pattern.hpp"

#include <array>
#include <string_view>

#include "kann/error.hpp"

#include "base/suggest.hpp"

namespace kann::cli {
namespace {

constexpr std::array<std::string_view, 4> k_names = {"stem", "name", "data", "index"};

[[noreturn]] void refuse_word(const std::string& pattern, std::string_view word) {
  const std::string_view nearest = base::nearest_name(word, k_names);
  throw Error(ErrorKind::usage, pattern + ": unknown placeholder '{" + std::string(word) + "}'; " +
                                    (nearest.empty() || word.empty()
                                         ? "there are {stem}, {name}, {data} and {index}, and {{ stands for a brace"
                                         : "did you mean '{" + std::string(nearest) + "}'?"));
}

/// Calls text(part) or placeholder(word) for each part of a pattern, in order.
template <class Text, class Placeholder>
void for_each_part(std::string_view pattern, Text text, Placeholder placeholder) {
  while (!pattern.empty()) {
    const bool is_doubled = pattern.starts_with("{{") || pattern.starts_with("}}");
    const std::size_t close =
        pattern[0] == '{' && !is_doubled ? pattern.find_first_of("{}", 1) : std::string_view::npos;
    if (close != std::string_view::npos && pattern[close] == '}') {
      placeholder(pattern.substr(1, close - 1));
      pattern.remove_prefix(close + 1);
    } else {
      text(pattern.substr(0, 1));
      pattern.remove_prefix(is_doubled ? 2 : 1);
    }
  }
}

}  // namespace

bool has_placeholder(const std::string& pattern) {
  bool has = false;
  for_each_part(
      pattern, [](std::string_view) {},
      [&](std::string_view word) {
        for (const std::string_view name : k_names) has |= word == name;
      });
  return has;
}

void check_pattern(const std::string& pattern) { filled_in(pattern, {}); }

std::string filled_in(const std::string& pattern, const PatternValues& values) {
  const std::array<const std::string*, k_names.size()> in_place = {&values.stem, &values.name, &values.data,
                                                                   &values.index};
  std::string out;
  for_each_part(
      pattern, [&](std::string_view part) { out += part; },
      [&](std::string_view word) {
        for (std::size_t i = 0; i < k_names.size(); ++i)
          if (word == k_names[i]) {
            out += *in_place[i];
            return;
          }
        refuse_word(pattern, word);
      });
  return out;
}

}  // namespace kann::cli
