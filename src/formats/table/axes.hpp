// Which columns of a file are its coordinates: those that the user chose, else those whose names say so.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table/read_request.hpp"

namespace kann::formats {

/// The maximum number of names that are compared with a name that is not there: edit distances to half a million names
/// would take seconds.
inline constexpr std::size_t k_compared_names = 1000;

/// The columns of a text file, the properties of a PLY vertex or the fields of a structured array.
struct TableColumns {
  std::string_view noun = "column";          ///< the word for one of them, in messages
  std::size_t count = 0;                     ///< number of columns in the file
  std::vector<std::string_view> names = {};  ///< one per column, without quotes; empty where the file has no names
};

/// A column as the user chose it: a number from 1, or a name (`number` is then 0).
struct ColumnChoice {
  std::size_t number = 0;
  std::string_view name;

  bool operator==(const ColumnChoice&) const = default;
};

/// Reads one element of ReadOptions::columns. Whole numbers are numbers, everything else is a name. None for 0, a
/// negative number, one that is out of range, and an empty name.
std::optional<ColumnChoice> parse_column_choice(std::string_view text);

/// Refuses ReadOptions::columns before a file is read; `option` is their name in messages.
/// @throws Error usage: they are not two or three different ones.
void check_columns(std::span<const std::string> columns, std::string_view option = "--columns");

/// The columns, from 0, that `choice` (as ReadOptions::columns, checked) stands for; empty if any is missing, ambiguous
/// or chosen twice.
std::vector<std::size_t> find_chosen_axes(const TableColumns& table, std::span<const std::string> choice);

/// Like find_chosen_axes() of `options.columns`, but throws where that returns nothing; `file` is the file's name in
/// messages.
/// @throws Error bad_input, which names the columns that there are, and the nearest one ("did you mean 'x'?"); also
///         where all that is chosen may be numbers or names, where a number picks none of the coordinates that
///         named_axes() finds, since the user may have counted the columns of another file, and as refuse_angles();
///         with ReadOptions::sky, where they are not longitude and latitude, in this order.
std::vector<std::size_t> chosen_axes(const TableColumns& table, const ReadRequest& options, const std::string& file);

/// How many degrees a unit of angles is: "deg", "h", "hours", "rad", in any case; none for other words.
std::optional<double> degrees_of_unit(std::string_view cell);

/// "equatorial", "galactic" or "ecliptic", if the name of a longitude says so; else empty.
std::string_view frame_of(std::string_view name);

/// What is made of longitude and latitude: they are no coordinates; or they are, or they may be where the file has no
/// others.
enum class Angles { refused, wanted, taken };

inline Angles angles_of(const ReadRequest& options) {
  return options.sky ? Angles::wanted : options.takes_angles ? Angles::taken : Angles::refused;
}

/// Whether there are such names as lon and lat, or ra and dec, and none of x and y.
bool has_angles(std::span<const std::string_view> names);

/// Refuses coordinates with such names as lon and lat, or ra and dec: distances between them are not those of a plane.
/// @throws Error bad_input.
void refuse_angles(std::span<const std::string_view> names, const std::string& file);

/// The axis, 0 to 2, that a column may be by its name alone: 2 for z, Z[m] and pos_z. −1 if none.
int axis_of(std::string_view name);

/// The columns, from 0, of x, y and, in 3-D, z by their names; empty if the names do not say.
/// - x, y and z, in either case, with the same words for a unit, a position or a frame beside them, or none: X_m,
/// pos_x,
///   positionX, point.x, global_x, centroid_x, x_um, Points:0. There must be only one such set.
/// - Else such names count whatever their words for a unit or a position are; those with a word for a frame do not.
///   There must be one column that can be x, one y, and at most one z. Without z the cloud is 2-D, unless a column has
///   the name of a height, or the word z.
/// - Easting and northing are x and y, and the only name of a height beside them is z.
/// - With Angles::wanted, and with Angles::taken if has_angles(), longitude and latitude come first, where one column
/// has such a name alone, or with a unit. Degrees come before hours and radians.
std::vector<std::size_t> named_axes(std::span<const std::string_view> names, Angles angles = Angles::refused);

/// The coordinates in messages: "x, y and z", or "longitude and latitude".
inline std::string_view coordinate_names(bool sky) { return sky ? "longitude and latitude" : "x, y and z"; }

}  // namespace kann::formats
