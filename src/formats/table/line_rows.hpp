// Rows of a text that has a line for each, as the ASCII encodings of PLY and PCD have: they are made rows of bytes,
// which are then read as those of binary files are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/array.hpp"

#include "formats/files/input.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/number.hpp"
#include "formats/table/row_marks.hpp"

namespace kann::formats {

/// The least and the greatest value of an integer type of at most 32 bits.
std::pair<std::int64_t, std::int64_t> integer_range(ScalarType type);

/// Parses all of `word` as a value of `type`; for an integer type, it must be a whole number in the type's range.
/// Writes its bytes, as this machine holds them, to `out`.
NumberFault parse_to_bytes(ScalarType type, std::string_view word, char* out);

/// Like Lines, over the bytes of an input from `begin` to `end`. A line is valid until the next one.
class FileLines {
 public:
  /// @param lines_before number of lines before `begin`
  FileLines(const Input& input, std::size_t begin, std::int64_t lines_before, std::size_t end)
      : input_(input), begin_(begin), end_(end), number_(lines_before), held_end_(begin) {}

  /// Sets `line` to the next line, without its line end. False if there is none.
  /// @throws Error bad_input (read error, the file shrank).
  bool next(std::string_view& line) {
    std::size_t searched = next_;
    const char* end = nullptr;
    for (;;) {
      if (searched < held_.size()) end = find_end(searched);
      if (end) break;
      searched = held_.size() - next_;  // after fill(), the line begins at 0
      if (!fill()) break;
    }
    if (!end && next_ == held_.size()) return false;
    const char* const text = held_.data() + next_;
    line = {text, static_cast<std::size_t>((end ? end : held_.data() + held_.size()) - text)};
    next_ += line.size() + (end ? 1 : 0);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  /// Number in the file, from 1, of the last line.
  std::int64_t number() const { return number_; }

  /// Offset from `begin` of the byte after the last line and its line end.
  std::size_t offset() const { return held_end_ - held_.size() + next_ - begin_; }

 private:
  static constexpr std::size_t k_bytes = std::size_t{1} << 20;

  const char* find_end(std::size_t from) const {
    return static_cast<const char*>(std::memchr(held_.data() + from, '\n', held_.size() - from));
  }

  /// Drops the lines before, and reads on; false at the end.
  bool fill() {
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const std::size_t old = held_.size();
    const std::size_t more = std::min(std::max(k_bytes, old), end_ - held_end_);
    if (more == 0) return false;
    held_.resize(old + more);
    input_.read_range(held_end_, std::as_writable_bytes(std::span(held_).subspan(old)));
    held_end_ += more;
    return true;
  }

  const Input& input_;
  const std::size_t begin_, end_;
  std::int64_t number_;
  Array<char> held_;
  std::size_t held_end_;  // offset in the file
  std::size_t next_ = 0;  // in held_, where the next line begins
};

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
