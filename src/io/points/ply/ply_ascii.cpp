// The body of a PLY file in ASCII.
#include <algorithm>
#include <fmt/format.h>

#include "io/points/ply/ply_body.hpp"
#include "io/points/table/lines.hpp"
#include "io/points/table/number.hpp"
#include "io/points/table/packed_rows.hpp"
#include "io/points/table/scalar_text.hpp"

namespace kann::io {
namespace {

constexpr std::uint64_t k_rows_between_reports = 65536;  // megabytes

/// Reads elements row by row. A row is a line; blank lines are skipped.
class AsciiReader {
 public:
  AsciiReader(const PlyHeader& header, std::string_view bytes, const std::string& file, ByteProgress* progress)
      : header_(header),
        body_(bytes.substr(header.body)),
        file_(file),
        progress_(progress),
        lines_(body_, header.lines) {}

  PlyBody read() {
    PlyBody body;
    for (std::size_t e = 0; e < header_.elements.size(); ++e) {
      const PlyElement& element = header_.elements[e];
      if (element.properties.empty()) continue;  // its rows are empty lines
      // A value takes at least a digit, and a blank or a line end before the next.
      const WideSize need = WideSize{element.count} * 2 * element.properties.size();
      check_element_size(element, need > 0 ? need - 1 : 0, true, body_.size() - lines_.offset(), file_);
      if (e == header_.vertex) {
        body.points = read_vertices(element);
        body.attributes = attributes_.take(attribute_names(header_), file_);
        continue;
      }
      for (std::uint64_t row = 0; row < element.count; ++row)
        read_row(element, row, [](std::size_t, std::string_view) {});
    }
    body.end = header_.body + lines_.offset();
    return body;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse_line(file_, lines_.number(), what); }

  Points read_vertices(const PlyElement& element) {
    const int d = static_cast<int>(header_.axes.size());
    const bool narrow = std::ranges::all_of(
        header_.axes, [&](std::size_t axis) { return fits_float32(element.properties[axis].type); });
    return narrow ? Points{d, read_coordinates<float>(element)} : Points{d, read_coordinates<double>(element)};
  }

  template <class T>
  Array<T> read_coordinates(const PlyElement& element) {
    std::vector<int> axis_of(element.properties.size(), -1);
    for (std::size_t a = 0; a < header_.axes.size(); ++a) axis_of[header_.axes[a]] = static_cast<int>(a);

    Array<T> coordinates;  // grows with the rows in the file, not with the claimed count
    T point[3] = {};
    attributes_ = PackedRows(element.properties.size());
    for (const std::size_t p : header_.attributes) attributes_.add_column(p, element.properties[p].type);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      read_row(element, row, [&](std::size_t p, std::string_view word) {
        const PlyProperty& property = element.properties[p];
        if (attributes_.has(p)) check_value(property, word, attributes_.set(p, word));
        if (axis_of[p] >= 0)
          check_value(property, word, parse_scalar(property.type, word, point[axis_of[p]]));
        else if (!attributes_.has(p))
          check_number(property, word);
      });
      attributes_.end_row();
      coordinates.insert(coordinates.end(), point, point + header_.axes.size());
    }
    return coordinates;
  }

  /// Reads the next row; calls f(property, word) for every scalar property and checks the lists.
  template <class F>
  void read_row(const PlyElement& element, std::uint64_t row, F&& f) {
    do {
      if (!lines_.next(line_))
        fail(fmt::format("the file ends within the rows of element {} (got {}, need {})", excerpt(element.name), row,
                         element.count));
    } while (trimmed(line_).empty());

    if (progress_ && row % k_rows_between_reports == 0) progress_->set(header_.body + lines_.offset());
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
                         integer_range(*property.count_type).second, quoted(word)));
      expected += count;
      for (std::uint64_t i = 0; i < count; ++i) check_number(property, expect_word(rest, element, expected));
    }
    if (!trimmed(rest).empty())
      fail(fmt::format("row of element {} is too long (got {} values, need {})", excerpt(element.name),
                       count_words(line_), expected));
  }

  std::string_view expect_word(std::string_view& rest, const PlyElement& element, std::uint64_t expected) const {
    const std::string_view word = take_word(rest);
    if (word.empty())
      fail(fmt::format("row of element {} is too short (got {} values, need {}{})", excerpt(element.name),
                       count_words(line_), element.has_list() ? "at least " : "", expected));
    return word;
  }

  /// Refuses a value that was read, with `fault`.
  void check_value(const PlyProperty& property, std::string_view word, NumberFault fault) const {
    if (fault != NumberFault::none)
      fail(fmt::format("property {} {}{}: {}", excerpt(property.name), describe(fault),
                       is_floating(property.type) ? "" : " of its integer type", quoted(word)));
  }

  /// Checks that a value that is not read is a number, of any type.
  void check_number(const PlyProperty& property, std::string_view word) const {
    double value = 0;
    const NumberFault fault = parse_number(word, value);
    if (fault != NumberFault::none)
      fail(fmt::format("property {} {}: {}", excerpt(property.name), describe(fault), quoted(word)));
  }

  const PlyHeader& header_;
  const std::string_view body_;
  const std::string& file_;
  ByteProgress* const progress_;
  Lines lines_;
  std::string_view line_;
  PackedRows attributes_;
};

}  // namespace

PlyBody read_ply_ascii(const PlyHeader& header, std::string_view bytes, const std::string& file,
                       ByteProgress* progress) {
  return AsciiReader(header, bytes, file, progress).read();
}

}  // namespace kann::io
