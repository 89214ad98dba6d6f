// The layout of a text file of points: its delimiter, its header, and the columns of the coordinates.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kann::io {

/// What separates two fields. Blanks around a field do not belong to it.
enum class Delimiter : char { blanks = ' ', comma = ',', semicolon = ';', tab = '\t' };

/// Iterates over the fields of a line. Example: "1,2," has three, the last one empty; blanks make no empty fields.
class Fields {
 public:
  Fields(std::string_view line, Delimiter delimiter);

  /// Sets `field` to the next field. False if there is none.
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
  std::int64_t header_line = 0;    ///< line number of the header; 0 if there is none
  std::vector<std::int64_t> axes;  ///< columns of x, y and, in 3-D, z, from 0; fewer than two if columns are missing
  std::vector<std::string_view>
      names;                      ///< names of those columns in the header, without quotes; empty without a header
  bool names_axes = false;        ///< the header has columns x and y
  std::size_t data = 0;           ///< offset of the first data row
  std::int64_t lines_before = 0;  ///< number of lines before it
};

/// Whether a line is skipped: it is blank, or a comment that begins with # or //.
bool is_skipped(std::string_view line);

/// Whether the first line is only a whole number, the count of points (.pts), and points follow.
bool begins_with_count(std::string_view text);

/// Guesses the layout from the first lines of `text`:
/// - The delimiter is the first one with which the coordinates of the first data row are numbers; if there is none, the
///   likeliest, and the reader then reports what is wrong.
/// - A first line without numbers is a header, and every row must have as many columns. The columns x, y and z (any
///   case) are the coordinates; without z the cloud is 2-D. With blanks as delimiter, a first line that has neither x
///   and y nor as many words as the row below has numbers is a title and is skipped.
/// - Otherwise the first three columns are the coordinates, or two if there are two.
TextLayout guess_text_layout(std::string_view text);

}  // namespace kann::io
