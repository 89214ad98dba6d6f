#include "formats/table/unique_names.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "formats/files/refusal.hpp"

namespace kann::formats {

/// Cuts `name` before `ending` so that both fit, and not within a character of UTF-8.
std::string UniqueNames::joined(std::string_view name, const std::string& ending) const {
  if (name.size() + ending.size() > longest_) {
    std::size_t end = longest_ - ending.size();
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    name = name.substr(0, end);
  }
  return std::string(name) + ending;
}

std::string UniqueNames::take(std::string_view name) {
  std::string taken = joined(name, "");
  for (std::size_t number = 1; !taken_.insert(taken).second; ++number)
    taken = joined(name, "_" + std::to_string(number));
  return taken;
}

std::optional<std::string> renamed_warning(const std::string& file, const std::string& asked, const std::string& taken,
                                           std::string_view why) {
  if (taken == asked) return std::nullopt;
  if (taken == without_blanks(asked)) why = "names in this format have letters and no blanks";
  return fmt::format("{}: attribute {} is called {}: {}", file, quote(asked), quote(taken), why);
}

std::string without_blanks(std::string_view name) {
  std::string out(name);
  std::ranges::replace_if(
      out, [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return out.empty() ? "attribute" : out;
}

}  // namespace kann::formats
