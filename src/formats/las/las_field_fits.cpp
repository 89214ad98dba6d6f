#include "formats/las/las_field_fits.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace kann::formats {
namespace {

/// Whether the field holds all values as they are.
bool fits_las_field(const Attribute& attribute, const LasField& field) {
  if (field.is_scaled || !field.fault.empty()) return false;
  return with_type(field.stored, [&]<class Stored>(Stored) {
    return std::visit(
        [&]<class T>(const Array<T>& values) {
          if constexpr (std::is_same_v<T, Stored>) {
            const auto largest = static_cast<T>((1 << field.bits) - 1);
            return field.bits == 0 || std::ranges::all_of(values, [&](T value) { return value <= largest; });
          } else if constexpr (std::is_same_v<Stored, double>) {
            return sizeof(T) < sizeof(double);  // whole numbers of 64 bits may have more digits
          } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Stored>) {
            const Stored largest =
                field.bits > 0 ? static_cast<Stored>((1 << field.bits) - 1) : std::numeric_limits<Stored>::max();
            return std::ranges::all_of(values, [&](T value) {
              return !std::cmp_less(value, std::numeric_limits<Stored>::min()) && !std::cmp_greater(value, largest);
            });
          } else {
            return false;
          }
        },
        attribute.values);
  });
}

}  // namespace

LasFieldFits::LasFieldFits(std::span<const LasField> fields, std::span<const Attribute> attributes,
                           bool (*is_same_name)(std::string_view, std::string_view)) {
  for (std::size_t a = 0; a < attributes.size(); ++a)
    for (std::size_t f = 0; f < fields.size(); ++f)
      if (is_same_name(fields[f].name, attributes[a].name)) pairs_.push_back({a, f, fields[f]});
}

void LasFieldFits::survey(std::span<const Attribute> attributes) {
  for (Pair& pair : pairs_) {
    const Attribute& attribute = attributes[pair.attribute];
    pair.fits = pair.fits && fits_las_field(attribute, pair.field);
    if (!pair.fits || pair.field.name != "return_number") continue;
    for (std::int64_t i = 0; i < attribute.size(); ++i)
      if (const auto number = static_cast<std::size_t>(attribute.at(i)); number > 0) ++pair.by_return[number - 1];
  }
}

bool LasFieldFits::has_fitting(std::string_view field) const {
  const auto first = std::ranges::find(pairs_, field, [](const Pair& pair) { return pair.field.name; });
  return first != pairs_.end() && first->fits;
}

void LasFieldFits::leave_out(std::string_view field) {
  std::erase_if(pairs_, [&](const Pair& pair) { return pair.field.name == field; });
}

const LasField* LasFieldFits::take(std::size_t attribute) {
  const auto first = std::ranges::find_if(
      pairs_, [&](const Pair& pair) { return pair.attribute == attribute && !taken_.contains(pair.number); });
  if (first == pairs_.end() || !first->fits) return nullptr;
  taken_.insert(first->number);
  if (first->field.name == "return_number") returns_ = &first->by_return;
  return &first->field;
}

}  // namespace kann::formats
