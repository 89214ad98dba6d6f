#include "formats/table/meanings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

namespace kann::formats {
namespace {

using enum Meaning;

/// The name of a meaning, and other plain names that have it.
struct Names {
  Meaning meaning;
  std::string_view name;
  std::array<std::string_view, 4> others = {};
};

constexpr std::array k_names = {
    Names{red, "red", {"diffusered", "colorred", "colourred", "rf"}},  // rf: CloudCompare's, from 0 to 1
    Names{green, "green", {"diffusegreen", "colorgreen", "colourgreen", "gf"}},
    Names{blue, "blue", {"diffuseblue", "colorblue", "colourblue", "bf"}},
    Names{alpha, "alpha", {"diffusealpha"}},
    Names{nir, "nir", {"infrared", "nearinfrared"}},
    Names{nx, "nx", {"normalx", "normalsx"}},
    Names{ny, "ny", {"normaly", "normalsy"}},
    Names{nz, "nz", {"normalz", "normalsz"}},
    Names{intensity, "intensity"},
    Names{return_number, "return_number", {"returnnumber"}},
    Names{number_of_returns, "number_of_returns", {"numberofreturns"}},
    Names{scan_direction_flag, "scan_direction_flag", {"scandirectionflag", "scandirection"}},
    Names{edge_of_flight_line, "edge_of_flight_line", {"edgeofflightline", "flightlineedge"}},
    Names{classification, "classification", {"class"}},
    Names{synthetic, "synthetic"},
    Names{key_point, "key_point", {"keypoint"}},
    Names{withheld, "withheld"},
    Names{overlap, "overlap"},
    Names{scanner_channel, "scanner_channel", {"scannerchannel", "scanchannel"}},
    Names{scan_angle_rank, "scan_angle_rank", {"scananglerank"}},
    Names{scan_angle, "scan_angle", {"scanangle"}},
    Names{user_data, "user_data", {"userdata"}},
    Names{point_source_id, "point_source_id", {"pointsourceid"}},
    Names{gps_time, "gps_time", {"gpstime"}},
};

constexpr std::array<std::array<Meaning, 3>, 2> k_triples = {{{red, green, blue}, {nx, ny, nz}}};

bool has_any(std::span<const Meaning> all, std::span<const Meaning> some) {
  return std::ranges::any_of(some, [&](Meaning meaning) { return std::ranges::count(all, meaning) > 0; });
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view prefix = "scalar";
  const bool has_prefix = plain.size() > prefix.size() && plain.starts_with(prefix) && name.size() > prefix.size() &&
                          name[prefix.size()] == '_';
  return has_prefix ? plain.substr(prefix.size()) : plain;
}

Meaning meaning_of(std::string_view name) {
  const std::string plain = plain_name(name);
  const auto* const found = std::ranges::find_if(k_names, [&](const Names& names) {
    return !plain.empty() && (names.name == plain || std::ranges::count(names.others, plain) > 0);
  });
  return found == k_names.end() ? none : found->meaning;
}

std::string_view name_of(Meaning meaning) {
  if (is_gps_time(meaning)) meaning = gps_time;
  const auto* const found = std::ranges::find(k_names, meaning, &Names::meaning);
  return found == k_names.end() ? std::string_view() : found->name;
}

std::vector<Meaning> meanings_of(std::span<const std::string_view> names) {
  std::vector<Meaning> all;
  for (const std::string_view name : names) all.push_back(meaning_of(name));
  constexpr std::span colours = k_triples[0];
  for (std::size_t i = 0; i + 2 < names.size() && !has_any(all, colours); ++i)
    if (plain_name(names[i]) == "r" && plain_name(names[i + 1]) == "g" && plain_name(names[i + 2]) == "b")
      std::ranges::copy(colours, all.begin() + static_cast<std::ptrdiff_t>(i));
  for (const Names& one : k_names) {
    std::ptrdiff_t owner = -1;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == one.meaning && (owner < 0 || (names[i] == one.name && names[owner] != one.name)))
        owner = static_cast<std::ptrdiff_t>(i);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == one.meaning && std::cmp_not_equal(i, owner)) all[i] = none;
  }
  for (const auto& triple : k_triples)
    if (!std::ranges::all_of(triple, [&](Meaning part) { return std::ranges::count(all, part) > 0; }))
      std::ranges::replace_if(
          all, [&](Meaning meaning) { return std::ranges::count(triple, meaning) > 0; }, none);
  return all;
}

void give_meanings(std::span<Attribute> attributes) {
  std::vector<std::string_view> names;
  for (const Attribute& attribute : attributes)
    names.push_back(attribute.meaning == none ? std::string_view(attribute.name) : std::string_view());
  const std::vector<Meaning> by_name = meanings_of(names);
  const auto has_meaning = [&](Meaning meaning) {
    return std::ranges::count(attributes, meaning, &Attribute::meaning) > 0;
  };
  std::vector<Meaning> given(attributes.size(), none);
  for (std::size_t i = 0; i < attributes.size(); ++i)
    if (by_name[i] != none && !has_meaning(by_name[i])) given[i] = by_name[i];
  for (std::size_t i = 0; i < attributes.size(); ++i)
    if (given[i] != none) attributes[i].meaning = given[i];
}

}  // namespace kann::formats
