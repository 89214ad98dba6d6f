// How a text file of points is laid out: its delimiter, its header, and which columns are the coordinates.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kann::io {

/// What separates two fields. Blanks around a field are no part of it.
enum class Delimiter : char { blanks = ' ', comma = ',', semicolon = ';', tab = '\t' };

/// Walks over the fields of a line. "1,2," has three, the last of them empty; blanks make no empty fields.
class Fields {
 public:
  Fields(std::string_view line, Delimiter delimiter);

  /// Moves to the next field. False when there is none.
  bool next(std::string_view& field);

 private:
  std::string_view rest_;
  Delimiter delimiter_;
  bool is_done_;
};

struct TextLayout {
  bool is_certain = false;  ///< there is a data row, and its coordinates are numbers
  Delimiter delimiter = Delimiter::blanks;
  std::int64_t columns = 0;        ///< fields of the header, or else of the first data row; 0 without a data row
  std::int64_t header_line = 0;    ///< number of the header's line; 0 when there is none
  std::vector<std::int64_t> axes;  ///< columns of x, y and, in 3-D, z, from 0; fewer than two when there are too few
  std::vector<std::string_view> names;  ///< what the header calls those columns, without quotes; empty without a header
  bool names_axes = false;              ///< the header has columns x and y
  std::size_t data = 0;                 ///< offset of the first data row
  std::int64_t lines_before = 0;        ///< lines that precede it
};

/// Whether a line holds no fields: it is blank, or a comment that begins with # or //.
bool is_skipped(std::string_view line);

/// Whether the first line is a whole number alone, as many as there are points (.pts), and points follow.
bool begins_with_count(std::string_view text);

/// Guesses from the first lines of `text`. A first line of words and no numbers is a header, which every row must match
/// in length; its columns x, y and z (any case) are the coordinates, and without z the cloud is 2-D. In all other cases
/// the first three columns are, or two if there are two. Between blanks, words without x and y that are not as many as
/// the numbers below are no header but a title, and say nothing. The delimiter is the one that makes the coordinates of
/// the first data row numbers; where none does, the likeliest, so that reading on finds what is wrong.
TextLayout guess_text_layout(std::string_view text);

}  // namespace kann::io
