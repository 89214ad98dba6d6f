#include "formats/las/las_field_fits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "formats/table/columns.hpp"
#include "formats/table/meanings.hpp"

namespace kann::formats {
namespace {

constexpr double k_angle_unit = 0.006;  // degrees

ScalarType type_of(const AttributeValues& values) {
  using enum ScalarType;
  constexpr std::array types = {int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64};
  static_assert(types.size() == std::variant_size_v<AttributeValues>);
  return types[values.index()];
}

bool is_scan_angle(Meaning meaning) { return meaning == Meaning::scan_angle || meaning == Meaning::scan_angle_rank; }

/// Whether attributes of the one meaning can take a field of the other.
bool are_alike(Meaning attribute, Meaning field) {
  if (attribute == Meaning::none) return false;
  return attribute == field || (is_gps_time(attribute) && is_gps_time(field)) ||
         (is_scan_angle(attribute) && is_scan_angle(field));
}

/// Whether a field holds the values times `factor`: as they are, or else rounded.
bool holds(const LasField& field, ScalarType type, const ValueRange& range, double factor) {
  if (factor == 1 && type == field.stored && field.bits == 0) return true;
  return with_type(field.stored, [&]<class Stored>(Stored) {
    if constexpr (std::is_floating_point_v<Stored>) return fits_float64(type) && sizeof(Stored) == sizeof(double);
    constexpr double exact = 0x1p53;
    const double most =
        field.bits > 0 ? (1 << field.bits) - 1 : static_cast<double>(std::numeric_limits<Stored>::max());
    return (range.are_whole || (factor != 1 && range.are_finite)) &&
           range.least * factor >= static_cast<double>(std::numeric_limits<Stored>::min()) &&
           range.most * factor <= std::min(most, exact);
  });
}

}  // namespace

LasFieldFits::LasFieldFits(std::vector<LasField> fields, std::span<const Attribute> attributes)
    : fields_(std::move(fields)), ranges_(attributes.size()) {
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    meanings_.push_back(attributes[a].meaning);
    types_.push_back(type_of(attributes[a].values));
    for (std::size_t f = 0; f < fields_.size(); ++f)
      if (fields_[f].name == attributes[a].name || are_alike(meanings_[a], meaning_of(fields_[f].name)))
        pairs_.push_back({a, f});
  }
}

void LasFieldFits::survey(std::span<const Attribute> attributes) {
  for (std::size_t a = 0; a < attributes.size(); ++a)
    if (std::ranges::count(pairs_, a, &Pair::attribute) > 0) ranges_[a].add(attributes[a]);
  for (Pair& pair : pairs_) {
    if (fields_[pair.field].name != "return_number") continue;
    const Attribute& attribute = attributes[pair.attribute];
    for (std::int64_t i = 0; i < attribute.size(); ++i)
      if (const double number = attribute.at(i); number >= 1 && number <= static_cast<double>(pair.by_return.size()))
        ++pair.by_return[static_cast<std::size_t>(number) - 1];
  }
}

bool LasFieldFits::has_fitting(Meaning meaning) const {
  const auto first = std::ranges::find_if(pairs_, [&](const Pair& pair) {
    return are_alike(meanings_[pair.attribute], meaning) && are_alike(meaning, meaning_of(fields_[pair.field].name));
  });
  return first != pairs_.end() && factor_of(*first);
}

std::optional<LasFieldFits::Place> LasFieldFits::take(std::size_t attribute, std::span<const LasField> existing) {
  const auto first = std::ranges::find_if(pairs_, [&](const Pair& pair) {
    return pair.attribute == attribute && !taken_.contains(pair.field) &&
           std::ranges::count(existing, fields_[pair.field].name, &LasField::name) > 0;
  });
  if (first == pairs_.end()) return std::nullopt;
  const std::optional<double> factor = factor_of(*first);
  if (!factor) return std::nullopt;
  taken_.insert(first->field);
  scales_intensity_ |= fields_[first->field].name == "intensity" && *factor != 1;
  return Place{fields_[first->field].name, *factor, first->by_return};
}

std::vector<std::string> LasFieldFits::warnings(const std::string& file) const {
  if (!scales_intensity_) return {};
  return {file + ": intensities from 0 to 1 are written times 65535 and rounded, as LAS has whole numbers"};
}

bool LasFieldFits::is_standard_time(std::size_t attribute) const {
  constexpr double week = 604800;
  return meanings_[attribute] == Meaning::gps_standard_time ||
         (meanings_[attribute] == Meaning::gps_time && ranges_[attribute].most > week);
}

/// What the values of an attribute are multiplied by to be those of the field; none if the field cannot hold them.
std::optional<double> LasFieldFits::factor_of(const Pair& pair) const {
  const LasField& field = fields_[pair.field];
  const Meaning to = meaning_of(field.name), from = meanings_[pair.attribute];
  const ValueRange& range = ranges_[pair.attribute];
  if (field.is_scaled || !field.fault.empty()) return std::nullopt;
  if (is_colour(to) && field.stored == ScalarType::uint16 && from == to) return colour_factor(to);
  const bool are_fractions = range.are_floats && !range.are_whole && range.least >= 0 && range.most <= 1;
  const double factor = to == Meaning::intensity && are_fractions                       ? 65535
                        : to == Meaning::scan_angle && from == Meaning::scan_angle_rank ? 1 / k_angle_unit
                        : to == Meaning::scan_angle_rank && from == Meaning::scan_angle ? k_angle_unit
                                                                                        : 1;
  return holds(field, types_[pair.attribute], range, factor) ? std::optional(factor) : std::nullopt;
}

/// Red, green and blue have a full value in common.
std::optional<double> LasFieldFits::colour_factor(Meaning meaning) const {
  ValueRange all;
  for (std::size_t a = 0; a < meanings_.size(); ++a) {
    const bool is_one = meaning == Meaning::nir ? meanings_[a] == Meaning::nir
                                                : meanings_[a] >= Meaning::red && meanings_[a] <= Meaning::blue;
    if (is_one) all.add(ranges_[a]);
  }
  const std::optional<double> full = full_scale(all);
  return full ? std::optional(65535 / *full) : std::nullopt;
}

}  // namespace kann::formats
