// Which method is right for an attribute: a mean of classes names a class that no point has.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "kann/transfer.hpp"

namespace kann {
namespace {

constexpr std::array<std::string_view, 6> k_quantities = {"red", "green", "blue", "alpha", "nir", "intensity"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Whether a name is that of a quantity that files hold as whole numbers, or ends with one: diffuse_red.
bool names_quantity(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(k_quantities, [&](std::string_view word) {
    return name.ends_with(word) && (name.size() == word.size() || !is_letter(name[name.size() - word.size() - 1]));
  });
}

}  // namespace

TransferMethod transfer_method(const Attribute& attribute, TransferMethod asked) {
  if (asked == TransferMethod::nearest) return asked;
  if (asked == TransferMethod::vote) return attribute.is_whole() ? asked : TransferMethod::mean;
  if (attribute.texts) return TransferMethod::vote;
  constexpr std::array quantities = {Meaning::coordinate, Meaning::red, Meaning::green,     Meaning::blue,
                                     Meaning::alpha,      Meaning::nir, Meaning::intensity, Meaning::scan_angle};
  const bool is_quantity =
      !attribute.is_whole() || std::ranges::count(quantities, attribute.meaning) > 0 || names_quantity(attribute.name);
  return is_quantity ? asked : TransferMethod::vote;
}

}  // namespace kann
