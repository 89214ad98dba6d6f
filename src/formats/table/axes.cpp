#include "formats/table/axes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <utility>

#include "base/counted.hpp"
#include "base/suggest.hpp"
#include "base/usage_error.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::array k_position_words = {
    "pos"sv,         "position"sv, "positions"sv, "point"sv,     "points"sv, "coord"sv, "coords"sv, "coordinate"sv,
    "coordinates"sv, "loc"sv,      "location"sv,  "cartesian"sv, "m"sv,      "mm"sv,    "cm"sv,     "km"sv,
    "ft"sv,          "foot"sv,     "feet"sv,      "metre"sv,     "metres"sv, "meter"sv, "meters"sv};
/// Words of coordinates that are not taken together with coordinates without them, which may have another unit or
/// origin.
constexpr std::array k_frame_words = {"global"sv, "world"sv, "absolute"sv, "local"sv,  "centroid"sv, "center"sv,
                                      "centre"sv, "um"sv,    "µm"sv,       "micron"sv, "microns"sv,  "nm"sv,
                                      "px"sv,     "pixel"sv, "pixels"sv,   "å"sv,      "angstrom"sv};
/// Words for x, y and z: surveyors', and the numbers of ParaView's Points:0 to Points:2.
constexpr std::array k_axis_words = {std::array{"x"sv, "easting"sv, "eastings"sv, "0"sv},
                                     std::array{"y"sv, "northing"sv, "northings"sv, "1"sv},
                                     std::array{"z"sv, "z"sv, "z"sv, "2"sv}};
/// Words for longitude and for latitude: geographic, equatorial, galactic and ecliptic ones, and those of SExtractor,
/// which have an epoch.
using AngleWords = std::array<std::array<std::string_view, 8>, 2>;
constexpr std::array<AngleWords, 5> k_frames = {{
    {{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}}},
    {{{"ra", "raj", "raj2000", "raicrs", "radeg", "ascension"},
      {"dec", "de", "decl", "dej", "dej2000", "deicrs", "dedeg", "declination"}}},
    {{{"glon"}, {"glat"}}},
    {{{"elon"}, {"elat"}}},
    {{{"alpha"}, {"delta"}}},
}};
constexpr std::size_t k_with_epoch = 4;  // in k_frames
constexpr std::array k_height_words = {"height"sv, "elevation"sv, "elev"sv, "altitude"sv, "alt"sv, "depth"sv};
constexpr std::array k_id_words = {"id"sv, "idx"sv, "index"sv, "fid"sv, "gid"sv, "oid"sv, "uid"sv, "objectid"sv};

constexpr std::array k_degree_words = {"deg"sv, "degree"sv, "degrees"sv, "d"sv, "°"sv};
constexpr std::array k_hour_words = {"h"sv, "hr"sv, "hrs"sv, "hour"sv, "hours"sv};
constexpr std::array k_radian_words = {"rad"sv, "radian"sv, "radians"sv};
constexpr double k_hour = 15, k_radian = 180 / std::numbers::pi;  // in degrees
/// Words for the parts of sexagesimal angles, beside which a column of hours has whole ones alone.
constexpr std::array k_parts_of_angles = {"m"sv, "min"sv, "minute"sv, "minutes"sv,
                                          "s"sv, "sec"sv, "second"sv, "seconds"sv};

constexpr std::size_t k_longest_name = 64;  // bytes; a longer name says nothing

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Calls f with every word of a name, in lower case. A word ends at what is neither letter nor digit, and before a
/// capital after a small letter: "cartesianX [m]" has cartesian, x and m.
template <class F>
void for_each_word(std::string_view name, F&& f) {
  const auto is_separator = [](char c) {
    return !(is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80);
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const bool ends = i == name.size() || is_separator(name[i]);
    if (!ends && !(i > begin && is_upper(name[i]) && is_lower(name[i - 1]))) continue;
    if (i > begin) f(lower(name.substr(begin, i - begin)));
    begin = ends ? i + 1 : i;
  }
}

bool has_word_of(std::string_view name, std::span<const std::string_view> words) {
  if (name.size() > k_longest_name) return false;
  bool found = false;
  for_each_word(name, [&](const std::string& word) { found |= std::ranges::count(words, word) > 0; });
  return found;
}

/// What a name of a coordinate says.
struct AxisName {
  int axis;                    ///< 0 to 2
  std::string others = {};     ///< the other words: names with the same ones belong together
  bool is_in_a_frame = false;  ///< whether one of them is among k_frame_words
};

std::optional<AxisName> parse_axis(std::string_view name) {
  if (name.size() > k_longest_name) return std::nullopt;
  AxisName parsed{-1};
  bool is_other = false, is_digit = false, has_points = false;
  for_each_word(name, [&](const std::string& word) {
    const auto* const axis = std::ranges::find_if(
        k_axis_words, [&](const auto& words) { return std::ranges::count(words, std::string_view(word)) > 0; });
    if (axis != k_axis_words.end() && parsed.axis < 0) {
      parsed.axis = static_cast<int>(axis - k_axis_words.begin());
      is_digit = word.size() == 1 && word[0] <= '9';
      return;
    }
    parsed.others += word + " ";
    has_points |= word == "points";
    const bool is_frame = std::ranges::count(k_frame_words, std::string_view(word)) > 0;
    parsed.is_in_a_frame |= is_frame;
    is_other |= !is_frame && std::ranges::count(k_position_words, std::string_view(word)) == 0;
  });
  if (parsed.axis < 0 || is_other || (is_digit && !has_points)) return std::nullopt;
  return parsed;
}

/// The columns that may be each axis.
struct Candidates {
  std::array<std::vector<std::size_t>, 3> of_axis;

  /// One column for each axis; empty if there are several, or none for x or y.
  std::vector<std::size_t> axes() const {
    const auto& [x, y, z] = of_axis;
    if (x.size() != 1 || y.size() != 1 || z.size() > 1) return {};
    std::vector<std::size_t> axes = {x[0], y[0]};
    axes.insert(axes.end(), z.begin(), z.end());
    return axes;
  }
};

/// The only axes of so many dimensions that names with the same other words are; empty if there are none, or several.
std::vector<std::size_t> only_axes(const std::map<std::string, Candidates>& together, std::size_t dimensions) {
  std::vector<std::size_t> only;
  for (const auto& [others, candidates] : together) {
    const std::vector<std::size_t> axes = candidates.axes();
    if (axes.size() != dimensions) continue;
    if (!only.empty()) return {};
    only = axes;
  }
  return only;
}

/// The indices of the columns with that number or name.
std::vector<std::size_t> matches(const TableColumns& table, const ColumnChoice& choice) {
  if (choice.number > 0)
    return choice.number <= table.count ? std::vector{choice.number - 1} : std::vector<std::size_t>{};
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    if (table.names[i] == choice.name) found.push_back(i);
  return found;
}

/// What a name of an angle says.
struct AngleName {
  std::size_t frame, angle;  ///< numbers in k_frames: of the frame; 0 for longitude, 1 for latitude
  std::string others = {};   ///< the other words: names of one frame with the same ones belong together
  std::string epoch = {};    ///< those of them that are no units
  bool is_plain = true;      ///< whether these are an epoch, or none
  double degrees = 1;        ///< of the unit
};

/// None for a name without such a word.
std::optional<AngleName> parse_angle(std::string_view name) {
  constexpr std::array epochs = {"j2000"sv, "icrs"sv};
  if (name.size() > k_longest_name) return std::nullopt;
  std::optional<AngleName> parsed;
  AngleName said{0, 0, name.starts_with('_') ? "_" : ""};
  bool has_epoch = false;
  for_each_word(name, [&](const std::string& word) {
    const auto has_word = [&](const auto& words) { return std::ranges::count(words, std::string_view(word)) > 0; };
    for (std::size_t frame = 0; frame < k_frames.size() && !parsed; ++frame)
      for (std::size_t angle = 0; angle < 2; ++angle)
        if (has_word(k_frames[frame][angle])) {
          parsed = AngleName{frame, angle};
          return;
        }
    if (word == "right") return;  // right ascension
    said.others += " " + word;
    if (const std::optional<double> degrees = degrees_of_unit(word)) {
      said.degrees = *degrees;
      return;
    }
    said.epoch += " " + word;
    has_epoch |= has_word(epochs);
    said.is_plain &= has_word(epochs);
  });
  if (!parsed || (parsed->frame == k_with_epoch && !has_epoch)) return std::nullopt;
  said.frame = parsed->frame;
  said.angle = parsed->angle;
  return said;
}

bool is_angle(std::string_view name, std::size_t angle) {
  const std::optional<AngleName> parsed = parse_angle(name);
  return parsed && parsed->angle == angle;
}

/// The first name of a longitude, or of a latitude; null if there is none.
const std::string_view* named_of(std::span<const std::string_view> names, std::size_t angle) {
  const auto found = std::ranges::find_if(names, [&](std::string_view name) { return is_angle(name, angle); });
  return found == names.end() ? nullptr : &*found;
}

std::string suggestion(const TableColumns& table, std::string_view typed) {
  const std::span names(table.names.data(), std::min(table.names.size(), k_compared_names));
  const auto same = std::ranges::find_if(names, [&](std::string_view name) { return lower(name) == lower(typed); });
  const std::string_view nearest = same != names.end() ? *same : base::nearest_name(typed, names);
  return nearest.empty() ? "" : fmt::format("did you mean {}? ", quote(nearest));
}

/// What is wrong with a column that is not there.
std::string missing(const TableColumns& table, const ColumnChoice& choice) {
  if (choice.number > 0)
    return fmt::format("no {} {}; the file has {}{}", table.noun, choice.number, table.count,
                       table.names.empty() ? "" : ": " + list_of(table.names));
  if (table.names.empty())
    return fmt::format("no {} {}; they have no names here, give numbers from 1 to {}", table.noun, quote(choice.name),
                       table.count);
  return fmt::format("no {} {}; {}the file has {}", table.noun, quote(choice.name), suggestion(table, choice.name),
                     list_of(table.names));
}

/// Whether an option can give the column by its name.
bool has_usable_name(const TableColumns& table, std::size_t column) {
  const std::string_view name = table.names[column];
  const std::optional<ColumnChoice> choice = parse_column_choice(name);
  return choice && choice->number == 0 && name.find(',') == name.npos && std::ranges::count(table.names, name) == 1;
}

/// What is wrong with a number that picks a column which is none of the coordinates that the file names; or "".
std::string contradiction(const TableColumns& table, const ReadRequest& options, std::span<const std::size_t> axes) {
  const std::span<const std::string> choice = options.columns;
  const std::vector<std::size_t> named = named_axes(table.names, angles_of(options));
  const auto names_of = [&](std::span<const std::size_t> columns) {
    std::string text;
    for (const std::size_t column : columns) text += (text.empty() ? "" : ",") + excerpt(table.names[column]);
    return text;
  };
  if (named.empty() || !std::ranges::all_of(axes, [&](std::size_t axis) { return has_usable_name(table, axis); }))
    return "";
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (parse_column_choice(choice[a]).value().number > 0 && std::ranges::count(named, axes[a]) == 0)
      return fmt::format("{} {} is {}, but the file names its coordinates itself: {}; to take it, give names: {}",
                         table.noun, axes[a] + 1, quote(table.names[axes[a]]), names_of(named), names_of(axes));
  return "";
}

}  // namespace

std::optional<double> degrees_of_unit(std::string_view cell) {
  const std::string word = lower(cell);
  const std::string_view unit = word;
  if (std::ranges::count(k_hour_words, unit) > 0) return k_hour;
  if (std::ranges::count(k_radian_words, unit) > 0) return k_radian;
  return std::ranges::count(k_degree_words, unit) > 0 ? std::optional(1.0) : std::nullopt;
}

std::string_view frame_of(std::string_view name) {
  constexpr std::array<std::string_view, k_frames.size()> frames = {"", "equatorial", "galactic", "ecliptic",
                                                                    "equatorial"};
  const std::optional<AngleName> parsed = parse_angle(name);
  return parsed ? frames[parsed->frame] : "";
}

std::optional<ColumnChoice> parse_column_choice(std::string_view text) {
  std::int64_t number = 0;
  const NumberFault fault = parse_whole(text, number);
  if (fault == NumberFault::not_a_number && !text.empty()) return ColumnChoice{0, text};
  if (fault != NumberFault::none || number < 1) return std::nullopt;
  return ColumnChoice{static_cast<std::size_t>(number), {}};
}

void check_columns(std::span<const std::string> columns, std::string_view option) {
  bool is_right = columns.empty() || columns.size() == 2 || columns.size() == 3;
  std::vector<ColumnChoice> seen;
  for (const std::string& text : columns) {
    const ColumnChoice column = parse_column_choice(text).value_or(ColumnChoice());
    is_right = is_right && column != ColumnChoice() && std::ranges::count(seen, column) == 0;
    seen.push_back(column);
  }
  if (!is_right)
    base::fail_usage(fmt::format("{} expects two or three different columns, by name or by number from 1, got '{}'",
                                 option, fmt::join(columns, ",")));
}

std::vector<std::size_t> find_chosen_axes(const TableColumns& table, std::span<const std::string> choice) {
  std::vector<std::size_t> axes;
  for (const std::string& text : choice) {
    const std::vector<std::size_t> found = matches(table, parse_column_choice(text).value());
    if (found.size() != 1 || std::ranges::count(axes, found[0]) > 0) return {};
    axes.push_back(found[0]);
  }
  return axes;
}

std::vector<std::size_t> chosen_axes(const TableColumns& table, const ReadRequest& options, const std::string& file) {
  const std::span<const std::string> choice = options.columns;
  const std::string option = options.columns_option + options.columns_note;
  const bool are_names =
      std::ranges::all_of(choice, [&](const std::string& text) { return std::ranges::count(table.names, text) > 0; });
  if (are_names && parse_column_choice(choice[0]).value().number > 0)
    refuse(file,
           fmt::format("{} {}{} may be numbers or names here; rename what is called by a number: {}",
                       options.columns_option, fmt::join(choice, ","), options.columns_note, list_of(table.names)));
  std::vector<std::size_t> axes;
  for (const std::string& text : choice) {
    const ColumnChoice column = parse_column_choice(text).value();
    const std::vector<std::size_t> found = matches(table, column);
    if (found.empty()) refuse(file, fmt::format("{}: {}", option, missing(table, column)));
    if (found.size() > 1)
      refuse(file, fmt::format("{}: {} are called {} (numbers {}); give a number", option,
                               base::counted(found.size(), table.noun), quote(column.name), numbers_of(found)));
    if (const auto first = std::ranges::find(axes, found[0]); first != axes.end())
      refuse(file, fmt::format("{}: {} and {} are the same {}", option, quote(choice[first - axes.begin()]),
                               quote(text), table.noun));
    axes.push_back(found[0]);
  }
  if (const std::string wrong = contradiction(table, options, axes); !wrong.empty())
    refuse(file, fmt::format("{}: {}", option, wrong));
  std::vector<std::string_view> names;
  if (!table.names.empty())
    for (const std::size_t axis : axes) names.push_back(table.names[axis]);
  if (!options.sky) {
    if (angles_of(options) == Angles::refused) refuse_angles(names, file);
  } else if (axes.size() != 2) {
    refuse(file, fmt::format("{}: --sky takes two coordinates, longitude and latitude, got {}", option, axes.size()));
  } else if (const auto other = std::ranges::find_if(names, [](auto name) { return degrees_per_unit(name) != 1; });
             other != names.end() && parse_column_choice(choice[other - names.begin()]).value().number > 0) {
    refuse(file, fmt::format("{}: by its name, {} is in hours or radians; give names, and it is converted to degrees",
                             option, quote(*other)));
  } else if (!names.empty() && (is_angle(names[0], 1) || is_angle(names[1], 0))) {
    refuse(file, fmt::format("{}: --sky takes longitude (ra) first, then latitude (dec): {},{}", option,
                             excerpt(names[1]), excerpt(names[0])));
  }
  return axes;
}

namespace {

/// The columns of longitude and latitude: the only pair of one frame with the same unit and epoch. Of two such pairs,
/// `_RAJ2000` is taken, which VizieR writes in degrees, while RAJ2000 may be sexagesimal. Empty if nothing says.
/// @param in_degrees only columns in degrees; else longitudes in hours, with latitudes in degrees, and radians
std::vector<std::size_t> angle_columns(std::span<const std::string_view> names, bool in_degrees = true) {
  std::map<std::pair<std::size_t, std::string>, std::array<std::vector<std::size_t>, 2>> together;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<AngleName> parsed = parse_angle(names[i]);
    if (parsed && !in_degrees && has_word_of(names[i], k_parts_of_angles)) return {};
    if (!parsed || !parsed->is_plain) continue;
    const bool is_radian = parsed->degrees == k_radian;
    const double expected = is_radian ? k_radian : !in_degrees && parsed->angle == 0 ? k_hour : 1;
    if (parsed->degrees != expected || (is_radian && in_degrees)) continue;
    const std::string others = in_degrees ? parsed->others : parsed->epoch + (is_radian ? " rad" : "");
    together[{parsed->frame, others}][parsed->angle].push_back(i);
  }
  std::vector<std::vector<std::size_t>> pairs;
  for (const auto& [key, columns] : together)
    if (columns[0].size() == 1 && columns[1].size() == 1) pairs.push_back({columns[0][0], columns[1][0]});
  if (pairs.empty() && in_degrees) return angle_columns(names, false);
  const auto are_made = [&](const auto& pair) { return names[pair[0]].starts_with('_'); };
  if (pairs.size() == 2 && std::ranges::count_if(pairs, are_made) == 1) return *std::ranges::find_if(pairs, are_made);
  return pairs.size() == 1 ? pairs[0] : std::vector<std::size_t>();
}

}  // namespace

bool has_angles(std::span<const std::string_view> names) {
  return named_of(names, 0) && named_of(names, 1) && named_axes(names).empty();
}

void refuse_angles(std::span<const std::string_view> names, const std::string& file) {
  if (!has_angles(names)) return;
  const std::string_view* const longitude = named_of(names, 0);
  const std::string_view* const latitude = named_of(names, 1);
  refuse(file,
         fmt::format("{} and {} are angles, and distances are those of a plane; give --sky, or convert them to x, "
                     "y and z first",
                     quote(*longitude), quote(*latitude)));
}

int axis_of(std::string_view name) {
  const std::optional<AxisName> parsed = parse_axis(name);
  return parsed ? parsed->axis : -1;
}

std::vector<std::size_t> named_axes(std::span<const std::string_view> names, Angles angles) {
  if (angles == Angles::wanted || (angles == Angles::taken && has_angles(names))) {
    if (const std::vector<std::size_t> pair = angle_columns(names); !pair.empty()) return pair;
    if (named_of(names, 0) || named_of(names, 1)) return {};
  }
  std::map<std::string, Candidates> together;
  Candidates all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<AxisName> parsed = parse_axis(names[i]);
    if (!parsed) continue;
    together[parsed->others].of_axis[parsed->axis].push_back(i);
    if (!parsed->is_in_a_frame) all.of_axis[parsed->axis].push_back(i);
  }
  const auto are_complete = [](const auto& one) { return one.second.axes().size() == 3; };
  if (std::ranges::any_of(together, are_complete)) return only_axes(together, 3);
  std::vector<std::size_t> axes = all.axes();
  if (axes.empty()) axes = only_axes(together, 2);
  if (axes.size() != 2) return axes;
  const auto is_height = [](std::string_view name) { return has_word_of(name, k_height_words); };
  if (has_word_of(names[axes[0]], std::span(k_axis_words[0]).subspan(1, 2)) &&
      std::ranges::count_if(names, is_height) == 1) {
    axes.push_back(static_cast<std::size_t>(std::ranges::find_if(names, is_height) - names.begin()));
    return axes;
  }
  const bool has_z =
      std::ranges::any_of(names, [](std::string_view name) { return has_word_of(name, std::array{"z"sv}); });
  return has_z || std::ranges::any_of(names, is_height) ? std::vector<std::size_t>{} : axes;
}

}  // namespace kann::formats

double kann::degrees_per_unit(std::string_view column) {
  const std::optional<formats::AngleName> parsed = formats::parse_angle(column);
  return parsed && parsed->is_plain ? parsed->degrees : 1;
}

std::vector<std::size_t> kann::coordinate_columns(std::span<const std::string_view> names, std::optional<bool> sky,
                                                  const std::string& table) {
  using namespace formats;
  const Angles angles = !sky ? Angles::taken : *sky ? Angles::wanted : Angles::refused;
  if (angles == Angles::refused) refuse_angles(names, table);
  std::vector<std::size_t> axes = named_axes(names, angles);
  const auto says = [](std::string_view name) {
    return axis_of(name) >= 0 || parse_angle(name) || has_word_of(name, k_height_words) ||
           has_word_of(name, k_id_words);
  };
  if (axes.empty() && (names.size() == 2 || names.size() == 3) && std::ranges::none_of(names, says))
    for (std::size_t column = 0; column < names.size(); ++column) axes.push_back(column);
  return axes;
}
