// Names of attributes in files that allow each only once.
#pragma once

#include <cstddef>
#include <optional>
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

/// A warning that the attribute `asked`, of the file, is called `taken`, since an earlier column or a coordinate has
/// its name; none where that is `expected`, which is `asked` as the format can have it.
std::optional<std::string> renamed_warning(const std::string& file, const std::string& asked,
                                           const std::string& expected, const std::string& taken);

/// `name` with _ for every blank and control character; `attribute` for an empty one.
std::string without_blanks(std::string_view name);

}  // namespace kann::io
