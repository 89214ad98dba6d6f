// What the program asks of the readers of point files beyond the public ReadOptions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kann/io.hpp"

namespace kann::formats {

struct ReadRequest : ReadOptions {
  ReadRequest(ReadOptions options = {}) : ReadOptions(std::move(options)) {}

  /// Two angles are also taken without `sky`, from a file whose names say that it has these and no x and y, and which
  /// is refused otherwise: for who looks at coordinates and measures no distances.
  bool takes_angles = false;
  /// With `all_attributes`: also the coordinates, in their places among the columns; in text without names, as x, y and
  /// z. Arrays without names and LAS have no columns of coordinates.
  bool coordinates_too = false;
  /// With `texts`: a column is also text if a cell of it is one of the names that look like numbers: whole numbers that
  /// begin with 0 or a plus sign, as 007, or have more than 15 digits, 1E1, and numbers in quotes where coordinates are
  /// not.
  bool keeps_names = false;
  /// With `texts` and `all_attributes`: all columns of a text file are text, each cell as it is spelled. What
  /// `attributes` asks for follows them.
  bool spelled = false;
  /// Those of `attributes` whose values are compared; the readers add the names in `where`. With `texts`, they keep
  /// names. A column that is called 7 precedes the seventh.
  std::vector<std::string> compared = {};
  std::vector<std::string> other_names = {};  ///< that messages about `attributes` suggest, too
  std::string columns_option = "--columns";   ///< the name of `columns` in messages
  std::string columns_note = {};              ///< what messages say after it; begins with a space
};

}  // namespace kann::formats
