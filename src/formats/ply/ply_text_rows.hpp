// Rows of elements in ASCII: a line each; blank lines are skipped.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"
#include "formats/table/packed_rows.hpp"
#include "formats/table/scalar_text.hpp"

namespace kann::formats {

/// Reads rows from lines, which are Lines or FileLines.
template <class LineSource>
class PlyTextRows {
 public:
  PlyTextRows(const PlyHeader& header, LineSource& lines, const std::string& file)
      : header_(header), lines_(lines), file_(file), axis_of_(vertex().properties.size(), -1) {
    for (std::size_t a = 0; a < header.axes.size(); ++a) axis_of_[header.axes[a]] = static_cast<int>(a);
  }

  /// Reads the coordinates of vertex number `row`, and those of its properties that `attributes` has.
  /// @throws Error bad_input, with the line, and so do the next two.
  template <class T>
  void read_vertex(std::uint64_t row, T* point, PackedRows& attributes) {
    read_row(vertex(), row, [&](std::size_t p, std::string_view word) {
      const PlyProperty& property = vertex().properties[p];
      if (attributes.has(p)) check_value(property, word, attributes.set(p, word));
      if (axis_of_[p] >= 0)
        check_value(property, word, parse_scalar(property.type, word, point[axis_of_[p]]));
      else if (!attributes.has(p))
        check_number(property, word);
    });
  }

  /// Reads all rows of another element.
  void skip_rows(const PlyElement& element) {
    for (std::uint64_t row = 0; row < element.count; ++row)
      read_row(element, row, [](std::size_t, std::string_view) {});
  }

  /// Checks that the `left` bytes of the file can hold the element's rows.
  void check_size(const PlyElement& element, std::size_t left) const {
    check_element_size(element, PlyEncoding::ascii, left, file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse_line(file_, lines_.number(), what); }
  const PlyElement& vertex() const { return header_.elements[header_.vertex]; }

  /// Reads the next row; calls f(property, word) for every scalar property and checks the lists.
  template <class F>
  void read_row(const PlyElement& element, std::uint64_t row, F&& f) {
    do {
      if (!lines_.next(line_))
        fail(fmt::format("the file ends within the rows of element {} (got {}, need {})", excerpt(element.name), row,
                         element.count));
    } while (trimmed(line_).empty());

    std::string_view rest = line_;
    std::uint64_t expected = element.properties.size();  // words in the row, by the list counts read so far
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      const std::string_view word = expect_word(rest, element, expected);
      if (!property.count_type) {
        f(p, word);
        continue;
      }
      std::uint64_t count = 0;
      if (parse_count(word, count) != NumberFault::none ||
          count > static_cast<std::uint64_t>(integer_range(*property.count_type).second))
        fail(fmt::format("count of list {} is not a whole number from 0 to {}: {}", excerpt(property.name),
                         integer_range(*property.count_type).second, quote(word)));
      expected += count;
      for (std::uint64_t i = 0; i < count; ++i) check_number(property, expect_word(rest, element, expected));
    }
    if (!trimmed(rest).empty())
      fail(fmt::format("row of element {} is too long (got {}, need {})", excerpt(element.name),
                       counted(count_words(line_), "value"), expected));
  }

  std::string_view expect_word(std::string_view& rest, const PlyElement& element, std::uint64_t expected) const {
    const std::string_view word = take_word(rest);
    if (word.empty())
      fail(fmt::format("row of element {} is too short (got {}, need {}{})", excerpt(element.name),
                       counted(count_words(line_), "value"), element.has_list() ? "at least " : "", expected));
    return word;
  }

  /// Refuses a value if reading it has found a fault.
  void check_value(const PlyProperty& property, std::string_view word, NumberFault fault) const {
    if (fault != NumberFault::none)
      fail(fmt::format("property {} {}{}: {}", excerpt(property.name), describe(fault),
                       is_floating(property.type) ? "" : " of its integer type", quote(word)));
  }

  /// Checks that a value that is not read is a number, of any type.
  void check_number(const PlyProperty& property, std::string_view word) const {
    double value = 0;
    const NumberFault fault = parse_number(word, value);
    if (fault != NumberFault::none)
      fail(fmt::format("property {} {}: {}", excerpt(property.name), describe(fault), quote(word)));
  }

  const PlyHeader& header_;
  LineSource& lines_;
  const std::string& file_;
  std::string_view line_;
  std::vector<int> axis_of_;  // the axis of each property of the vertices; −1: none
};

}  // namespace kann::formats
