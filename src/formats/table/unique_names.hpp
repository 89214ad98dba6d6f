// Names of attributes in files that allow each only once.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kann::formats {

class UniqueNames {
 public:
  /// @param longest the maximum number of bytes of a name
  explicit UniqueNames(std::size_t longest = static_cast<std::size_t>(-1)) : longest_(longest) {}

  /// Takes `name`, shortened if it is too long; if it is already taken, takes name_1, name_2 and so on instead. Returns
  /// the name that was taken.
  std::string take(std::string_view name);

 private:
  std::string joined(std::string_view name, const std::string& ending) const;

  const std::size_t longest_;
  std::set<std::string, std::less<>> taken_;
};

inline constexpr std::string_view k_name_is_taken = "a coordinate or an attribute before it has its name";

/// A warning that the attribute `asked` is called `taken` in the file; none if that is its name. @param why what the
/// reason is if it is not without_blanks().
std::optional<std::string> renamed_warning(const std::string& file, const std::string& asked, const std::string& taken,
                                           std::string_view why = k_name_is_taken);

/// `name` with _ for every blank and control character; `attribute` for an empty one.
std::string without_blanks(std::string_view name);

}  // namespace kann::formats
