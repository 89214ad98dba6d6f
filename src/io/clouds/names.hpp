// Names of attributes in files that allow each only once.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace kann::io {

class UniqueNames {
 public:
  /// Names of at most `longest` bytes.
  explicit UniqueNames(std::size_t longest = static_cast<std::size_t>(-1)) : longest_(longest) {}

  /// Takes `name`, shortened to what may be, if nobody has; else name_1, name_2 and so on. Returns what was taken.
  std::string take(std::string_view name);

 private:
  std::string joined(std::string_view name, const std::string& ending) const;

  const std::size_t longest_;
  std::set<std::string, std::less<>> taken_;
};

/// `name` with _ for every blank and control character; `attribute` for an empty one.
std::string without_blanks(std::string_view name);

}  // namespace kann::io
