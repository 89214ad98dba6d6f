// What columns mean by their names: those of laspy, PDAL, CloudCompare, PCL, Open3D, COLMAP, ROS and E57.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

namespace kann::formats {

/// The name without what programs write differently: in lower case, letters and digits alone, and without the
/// `scalar_` that CloudCompare puts before names. Example: "scalar_Gps Time" and "GpsTime" are both "gpstime".
std::string plain_name(std::string_view name);

/// What a name means alone: `R` means nothing, as it may be red or a radius.
Meaning meaning_of(std::string_view name);

/// What the columns of a table mean by their names. R, G and B are colours side by side, in this order. Colours, and
/// the parts of a normal vector, are there all three, or mean nothing. Two columns never have the same meaning: the one
/// with the name of name_of() has it, else the first.
std::vector<Meaning> meanings_of(std::span<const std::string_view> names);

/// The name that LAS and PLY have for it: red, nx, intensity, gps_time; empty for none, coordinate and found.
std::string_view name_of(Meaning meaning);

/// Whether it is a time of GPS, of whatever epoch.
constexpr bool is_gps_time(Meaning meaning) {
  return meaning == Meaning::gps_time || meaning == Meaning::gps_week_time || meaning == Meaning::gps_standard_time;
}

/// Whether it is red, green, blue, alpha or near infrared: a share of a full value.
constexpr bool is_colour(Meaning meaning) { return meaning >= Meaning::red && meaning <= Meaning::nir; }

/// Gives attributes that mean nothing what they mean by their names, as meanings_of(); for attributes that no reader
/// made.
void give_meanings(std::span<Attribute> attributes);

}  // namespace kann::formats
