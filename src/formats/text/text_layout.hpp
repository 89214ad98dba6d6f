// The layout of a text file of points: its delimiter, its header, and the columns of the coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table/axes.hpp"

namespace kann::formats {

inline constexpr std::size_t k_text_line_bytes = std::size_t{1} << 20;

/// What separates two fields. Blanks around a field do not belong to it.
enum class Delimiter : char { blanks = ' ', comma = ',', semicolon = ';', tab = '\t' };

/// What makes fields of a line.
struct Separation {
  Delimiter delimiter = Delimiter::blanks;
  bool has_quotes = true;  ///< double quotes may be around a field; else they are characters like others

  Separation() = default;
  Separation(Delimiter d, bool quotes = true) : delimiter(d), has_quotes(quotes) {}
};

/// Iterates over the fields of a line. Example: "1,2," has three, the last one empty; blanks make no empty fields. A
/// field may be in double quotes (RFC 4180), which are taken off; delimiters and line breaks within them are
/// text. Doubled quotes within stay doubled; if anything but a delimiter follows the quotes, they are text themselves.
class Fields {
 public:
  Fields(std::string_view line, Separation separation);

  /// Sets `field` to the next field. False if there is none.
  bool next(std::string_view& field);

  /// The quote with which the last field begins, if the line does not close it: the field goes on in the next line.
  const char* open_quote() const { return open_; }

  /// Goes on with that field in `line`, which is longer now.
  void extend(std::string_view line) {
    rest_ = line.substr(static_cast<std::size_t>(open_ - line.data()));
    is_done_ = false;
  }

  /// What the quotes of the last field hold, blanks included; none if it is not in quotes.
  std::optional<std::string_view> in_quotes() const { return in_quotes_; }

 private:
  bool take_quoted(std::string_view& field);

  std::string_view rest_;
  Separation by_;
  bool is_done_;
  const char* open_ = nullptr;
  std::optional<std::string_view> in_quotes_;
};

struct TextCell {
  std::string_view text;  ///< without blanks and quotes around it
  std::optional<std::string_view> in_quotes;
};

/// A number that has a decimal comma, with a point instead, and the reverse.
std::string with_decimal_point(std::string_view field);

struct TextLayout {
  bool is_certain = false;  ///< header and first data row agree with the delimiter
  bool has_lines = false;   ///< there is a line that is neither blank nor a comment
  Separation separation;
  bool has_decimal_commas = false;    ///< numbers have a comma where others have a point
  TableColumns table;                 ///< columns of the header or, if there is none, of the first data row
  std::int64_t header_line = 0;       ///< line number of the header; 0 if there is none
  bool is_in_comment = false;         ///< the header is a comment
  bool is_doubtful_header = false;    ///< the first line, 0,1,2, may be the numbers of the columns, or a point
  std::int64_t doubtful_comment = 0;  ///< line of a comment that may be meant as a header, but does not fit the rows
  std::string_view title;             ///< a first line of words that is neither header nor row; empty if there is none
  std::vector<std::string_view> units;       ///< of the columns, in a line under the header; empty if there is none
  std::optional<std::uint64_t> stated_rows;  ///< how many rows follow, says the first line
  std::vector<std::size_t> axes;             ///< columns of x, y and, in 3-D, z, from 0; empty where nothing says which
  std::int64_t row_line = 0;                 ///< line number of the first data row; 0 if there is none
  bool ends_in_delimiter = false;            ///< the first data row ends so, after its third and last column
  std::size_t data = 0;  ///< offset of the line after header, units or title; rows, comments and blank lines follow
  std::int64_t lines_before = 0;  ///< number of lines before `data`
};

/// Whether a line is skipped: it is blank, or a comment that begins with # or //.
bool is_skipped(std::string_view line);

/// Whether a field is what pandas and R write for a coordinate that is missing: nothing, NA or null. (nan is a number.)
bool is_missing_value(std::string_view field);

/// Whether `text` begins like a molecular XYZ file: a count, a line of any text, and rows of a word and three numbers.
bool begins_with_molecule(std::string_view text);

/// Guesses the layout from the first lines of `text`.
/// - The delimiter is the first one with which the coordinates of the first data row are numbers; if there is none, the
///   first with which header and row have equally many fields; else the likeliest, and the reader then reports what is
///   wrong. If it is no comma, and a number has a comma that cannot separate thousands, and none has a point, commas
///   are decimal ones.
/// - A first line that is a whole number alone is the count of the rows (.pts), if a certain layout follows.
/// - A first line without numbers is a header, and every row must have as many columns, or one more in front, which are
///   then the names of R's rows; so is a line in which named_axes() finds coordinates, or ReadOptions::header says so,
///   and an empty cell followed by 0, 1, 2, ..., as pandas writes without names. Without that cell, such a line is
///   doubtful if `header` says nothing. With blanks as delimiter, a first line is a title if named_axes() finds nothing
///   in it, and it has more or fewer words than the row below has numbers. Under a header, a line of dashes is no
///   row, nor is one of units, in which no field is a number and coordinates have the word of a unit.
/// - Without such a line, the header is the last comment before the first row that has as many fields as the row
///   (separated by any of the delimiters) and fits: named_axes() finds x and y in it, it has a name of
///   ReadOptions::columns or names of angles, or there are more than three columns. (Where there are two or three, all
///   are coordinates, and `# made by X` is no header.) A comment with numbers is no header. A comment is doubtful if it
///   has x and y in other places than the first, but not as many fields as the rows, which have more than three. If
///   `header` is false, there is no header.
/// - The coordinates are the columns of ReadOptions::columns; else those that the header names (named_axes()); else, if
///   the columns have no names, the first three, or both if there are two.
TextLayout guess_text_layout(std::string_view text, const ReadRequest& options = {});

}  // namespace kann::formats
