#include "formats/las/las_extra.hpp"

#include <fmt/format.h>
#include <limits>
#include <utility>
#include <variant>

#include "formats/las/las_fields.hpp"
#include "formats/table/meanings.hpp"

namespace kann::formats {
namespace {

/// Whether LAS has a field of that meaning, in some point format.
bool is_las_field(Meaning meaning) {
  return (meaning >= Meaning::red && meaning <= Meaning::nir && meaning != Meaning::alpha) ||
         meaning >= Meaning::intensity;
}

/// The name that programs look for in extra bytes.
std::string name_in_las(const Attribute& attribute) {
  if (attribute.meaning == Meaning::nx) return "NormalX";
  if (attribute.meaning == Meaning::ny) return "NormalY";
  if (attribute.meaning == Meaning::nz) return "NormalZ";
  return attribute.name;
}

}  // namespace

LasExtras::LasExtras(int point_format, std::size_t record_bytes) : record_bytes_(record_bytes) {
  for (const LasField& field : las_standard_fields(point_format)) reserve(field.name);
  // Coordinates, and what laspy calls the parts of a record besides.
  for (const char* const name :
       {"x", "y", "z", "X", "Y", "Z", "bit_fields", "raw_classification", "classification_flags", "scan_angle_rank",
        "wavepacket_index", "wavepacket_offset", "wavepacket_size", "return_point_wave_location", "x_t", "y_t", "z_t"})
    reserve(name);
}

void LasExtras::add(const Attribute& attribute, std::size_t number) {
  const std::string name = name_in_las(attribute);
  descriptions_.push_back({names_.take(without_blanks(name)), las_type_of(attribute.values), attribute.no_data});
  names_asked_for_.push_back(name);
  are_fields_.push_back(is_las_field(attribute.meaning));
  columns_.push_back(attribute_column(record_bytes_, number));
  record_bytes_ += std::visit([](const auto& values) { return sizeof values[0]; }, attribute.values);
}

std::vector<std::string> LasExtras::warnings(const std::string& file) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < descriptions_.size(); ++i)
    if (auto line = renamed_warning(file, names_asked_for_[i], descriptions_[i].name,
                                    "LAS has a field of its name that does not hold it, or the name is too long"))
      lines.push_back(std::move(*line));
    else if (are_fields_[i])
      lines.push_back(
          fmt::format("{}: attribute {} is in extra bytes, where few programs look for it: no field holds it", file,
                      quote(names_asked_for_[i])));
  return lines;
}

void LasExtras::check_size(const std::string& file) const {
  constexpr std::size_t longest = std::numeric_limits<std::uint16_t>::max();
  if (record_bytes_ > longest)
    refuse(file, fmt::format("LAS records have at most {} bytes, these attributes need {}; write ply", longest,
                             record_bytes_));
}

}  // namespace kann::formats
