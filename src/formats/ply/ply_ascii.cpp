// The body of a PLY file in ASCII: a line for each row of an element; blank lines are skipped.
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/ply/ply_body.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

/// Reads the vertices, and checks every other element. Elements without properties have empty lines as rows.
class PlyLines final : public LineReader {
 public:
  PlyLines(PlyHeader header, PackedRow properties, std::size_t bytes, std::string file)
      : header_(std::move(header)), properties_(std::move(properties)), bytes_(bytes), file_(std::move(file)) {}

  void read_before(FileLines& lines) const override {
    for (std::size_t e = 0; e < header_.vertex; ++e) skip_rows(lines, header_.elements[e]);
    check_size(lines, vertex());
  }

  void read_row(FileLines& lines, std::uint64_t row, char* out) const override {
    read_line(lines, vertex(), row, [&](std::size_t p, std::string_view word) {
      if (!properties_.has(p)) return false;
      const PlyProperty& property = vertex().properties[p];
      if (const NumberFault fault = properties_.set(p, word, out); fault != NumberFault::none)
        fail(lines, fmt::format("property {} {}{}: {}", excerpt(property.name), describe(fault),
                                is_floating(property.type) ? "" : " of its integer type", quote(word)));
      return true;
    });
  }

  void read_after(FileLines& lines) const override {
    for (std::size_t e = header_.vertex + 1; e < header_.elements.size(); ++e) skip_rows(lines, header_.elements[e]);
  }

 private:
  const PlyElement& vertex() const { return header_.elements[header_.vertex]; }

  [[noreturn]] void fail(const FileLines& lines, const std::string& what) const {
    refuse_line(file_, lines.number(), what);
  }

  void check_size(const FileLines& lines, const PlyElement& element) const {
    check_element_size(element, PlyEncoding::ascii, bytes_ - lines.offset(), file_);
  }

  /// Reads all rows of another element than the vertices.
  void skip_rows(FileLines& lines, const PlyElement& element) const {
    if (element.properties.empty()) return;
    check_size(lines, element);
    for (std::uint64_t row = 0; row < element.count; ++row)
      read_line(lines, element, row, [](std::size_t, std::string_view) { return true; });
  }

  /// Reads the next row of an element. Calls f(property, word) for every scalar property, and checks that the word is a
  /// number, of any type, where that returns false; checks the lists.
  template <class F>
  void read_line(FileLines& lines, const PlyElement& element, std::uint64_t row, F&& f) const {
    std::string_view line;
    do {
      if (!lines.next(line))
        fail(lines, fmt::format("the file ends within the rows of element {} (got {}, need {})", excerpt(element.name),
                                row, element.count));
    } while (trimmed(line).empty());

    std::string_view rest = line;
    std::uint64_t expected = element.properties.size();  // words in the row, by the list counts read so far
    const auto expect_word = [&] {
      const std::string_view word = take_word(rest);
      if (word.empty())
        fail(lines, fmt::format("row of element {} is too short (got {}, need {}{})", excerpt(element.name),
                                counted(count_words(line), "value"), element.has_list() ? "at least " : "", expected));
      return word;
    };
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      const std::string_view word = expect_word();
      if (!property.count_type) {
        if (!f(p, word)) check_number(lines, property, word);
        continue;
      }
      std::uint64_t count = 0;
      if (parse_count(word, count) != NumberFault::none ||
          count > static_cast<std::uint64_t>(integer_range(*property.count_type).second))
        fail(lines, fmt::format("count of list {} is not a whole number from 0 to {}: {}", excerpt(property.name),
                                integer_range(*property.count_type).second, quote(word)));
      expected += count;
      for (std::uint64_t i = 0; i < count; ++i) check_number(lines, property, expect_word());
    }
    if (!trimmed(rest).empty())
      fail(lines, fmt::format("row of element {} is too long (got {}, need {})", excerpt(element.name),
                              counted(count_words(line), "value"), expected));
  }

  /// Checks that a value that is not read is a number, of any type.
  void check_number(const FileLines& lines, const PlyProperty& property, std::string_view word) const {
    double value = 0;
    const NumberFault fault = parse_number(word, value);
    if (fault != NumberFault::none)
      fail(lines, fmt::format("property {} {}: {}", excerpt(property.name), describe(fault), quote(word)));
  }

  const PlyHeader header_;
  const PackedRow properties_;
  const std::size_t bytes_;  // of the body
  const std::string file_;
};

}  // namespace

LineBody ply_lines(const PlyHeader& header, PackedRow properties, const Input& input) {
  return {std::make_shared<PlyLines>(header, std::move(properties), input.size() - header.body, input.name()),
          header.body, header.lines, k_ply_blanks, "the last element"};
}

}  // namespace kann::formats
