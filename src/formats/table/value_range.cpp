#include "formats/table/value_range.hpp"

#include <algorithm>

namespace kann::formats {

void ValueRange::add(const Attribute& attribute) {
  are_floats |= !attribute.is_whole();
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          if (attribute.is_whole() && attribute.is_missing(value)) continue;
          const auto number = static_cast<double>(value);
          are_finite &= std::isfinite(number);
          are_whole &= std::trunc(number) == number;
          if (!std::isfinite(number)) continue;
          least = std::min(least, number);
          most = std::max(most, number);
        }
      },
      attribute.values);
  are_whole &= are_finite;
}

void ValueRange::add(const ValueRange& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  are_finite &= other.are_finite;
  are_whole &= other.are_whole;
  are_floats |= other.are_floats;
}

std::optional<double> full_scale(const ValueRange& channels) {
  constexpr double of_las = 65535;
  if (channels.least < 0 || channels.most > of_las) return std::nullopt;
  if (channels.are_floats && channels.most <= 1) return 1;
  return channels.most <= 255 ? 255 : of_las;
}

}  // namespace kann::formats
