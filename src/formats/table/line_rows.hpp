// Rows of a text that has a line for each, as the ASCII encodings of PLY and PCD have: they are made rows of bytes,
// which are then read as those of binary files are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/input.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/file_lines.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/row_marks.hpp"
#include "formats/table/scalar_text.hpp"

namespace kann::formats {

/// Where the values of columns that are wanted are in a row of bytes.
class PackedRow {
 public:
  /// @param columns the number of columns of the text
  explicit PackedRow(std::size_t columns) : places_(columns) {}

  /// The place of a column, which gets one unless it has it.
  std::size_t place_of(std::size_t column, ScalarType type) {
    if (!places_[column]) {
      places_[column] = Place{type, bytes_};
      bytes_ += size_of(type);
    }
    return places_[column]->begin;
  }

  bool has(std::size_t column) const { return places_[column].has_value(); }
  std::size_t bytes() const { return bytes_; }

  /// Sets the value of a column that has a place.
  NumberFault set(std::size_t column, std::string_view word, char* row) const {
    return parse_to_bytes(places_[column]->type, word, row + places_[column]->begin);
  }

 private:
  struct Place {
    ScalarType type;
    std::size_t begin;
  };

  std::vector<std::optional<Place>> places_;
  std::size_t bytes_ = 0;
};

/// Reads the lines of a body. @throws Error bad_input, with the line.
class LineReader {
 public:
  virtual ~LineReader() = default;
  virtual void read_before(FileLines&) const {}  ///< the lines before the first row
  virtual void read_row(FileLines& lines, std::uint64_t row, char* out) const = 0;
  virtual void read_after(FileLines&) const {}  ///< the lines after the last row
};

/// The lines after a header.
struct LineBody {
  std::shared_ptr<const LineReader> reader;
  std::size_t begin = 0;    ///< offset of the first one
  std::int64_t lines = 0;   ///< number of lines before it
  std::string_view blanks;  ///< bytes that may follow them without a warning
  std::string_view last;    ///< what they end with, in that warning: "the last point"
};

/// Rows of `stride` bytes, for a read of all of them, which is made once: reads the lines from the first to the last,
/// and adds to `warnings`, which must outlive it, that of what follows.
std::shared_ptr<const PackedRowSource> lines_once(LineBody body, std::size_t stride,
                                                  std::vector<std::string>& warnings);

/// Rows of `stride` bytes, any range of which can be read. All lines are read now, with all checks, and what follows
/// them adds a warning to `warnings`. Blocks. @throws Error bad_input, with the line.
std::shared_ptr<const PackedRowSource> marked_lines(Input& input, LineBody body, std::uint64_t count,
                                                    std::size_t stride, std::vector<std::string>& warnings);

}  // namespace kann::formats
