#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/file_window.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/coordinate_system.hpp"
#include "formats/table/layouts.hpp"

namespace kann::formats {
namespace {

/// The minimum bytes of a row: those of one whose lists are empty.
std::size_t min_row_bytes(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& p : element.properties) bytes += size_of(p.count_type.value_or(p.type));
  return bytes;
}

/// Goes through the rows of elements with lists, in a binary body of known size: only the lists' counts say where rows
/// end.
class PlyListRows {
 public:
  PlyListRows(const Input& input, std::endian order)
      : window_(input), size_(input.size()), order_(order), file_(input.name()) {}

  /// Calls f(property, bytes) for every scalar property of all rows, which begin at byte `begin`; the bytes are valid
  /// until f() returns. Returns the offset after them. @throws Error bad_input, with the byte.
  template <class F>
  std::size_t each(const PlyElement& element, std::size_t begin, F&& f) {
    position_ = begin;
    for (std::uint64_t row = 0; row < element.count; ++row)
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        const WideSize bytes =
            property.count_type ? list_bytes(element, row, property) : WideSize{size_of(property.type)};
        const std::size_t start = position_;
        skip(bytes, element, row, property);
        if (!property.count_type) f(p, window_(start, static_cast<std::size_t>(bytes)));
      }
    return position_;
  }

 private:
  /// Reads a list's count and returns the size of its items in bytes.
  WideSize list_bytes(const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t start = position_;
    skip(size_of(*property.count_type), element, row, property);
    const std::int64_t count =
        load_integer(window_(start, size_of(*property.count_type)), *property.count_type, order_);
    if (count < 0)
      refuse_byte(file_, start,
                  fmt::format("{} {}: list {} has a negative count (got {})", excerpt(element.name), row,
                              quote(property.name), count));
    return static_cast<WideSize>(count) * size_of(property.type);
  }

  void skip(WideSize bytes, const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t left = size_ - position_;
    if (bytes > left)
      refuse_byte(file_, position_,
                  fmt::format("{} {}: the file ends within property {} (got {}, need {})", excerpt(element.name), row,
                              quote(property.name), counted(left, "byte"), bytes));
    position_ += static_cast<std::size_t>(bytes);
  }

  FileWindow window_;
  const std::size_t size_;
  const std::endian order_;
  const std::string& file_;
  std::size_t position_ = 0;
};

/// Parses the header of an input whose size is known. Unless it is in the head, reads as many bytes as it may have, and
/// one more, which shows whether it is longer.
PlyHeader header_of(const Input& input, const ReadRequest& options) {
  const std::string_view head = input.head();
  const std::size_t end = head.find("\nend_header");
  if (end != head.npos && head.find('\n', end + 1) != head.npos) return parse_ply_header(head, input.name(), options);
  std::string bytes(std::min(input.size(), k_ply_header_bytes + 1), '\0');
  input.read_range(0, std::as_writable_bytes(std::span(bytes)));
  return parse_ply_header(bytes, input.name(), options);
}

/// The properties of the vertices that `options` ask for. @throws Error bad_input, as chosen_attributes().
ChosenAttributes choose_attributes(const PlyHeader& header, const ReadRequest& options, const std::string& file,
                                   std::vector<std::string>& warnings) {
  std::vector<AttributeColumn> table;
  std::vector<std::size_t> hidden = header.axes;  // columns that are not among all attributes
  for (const PlyProperty& property : header.elements[header.vertex].properties) {
    if (header.is_2d && property.name == "z") hidden.push_back(table.size());
    table.push_back({property.name, property.count_type ? "is a list" : ""});
  }
  return chosen_attributes("property", table, hidden, options, file, warnings);
}

/// That of the first comment that names one.
std::optional<CoordinateSystem> system_of(const PlyHeader& header) {
  std::optional<CoordinateSystem> system;
  for (const std::string& comment : header.comments)
    if (!system) system = system_of_comment(comment);
  return system;
}

/// Refuses a file that is too small for the counts in its header, as far as that says it.
void check_sizes(const PlyHeader& header, const Input& input) {
  std::size_t left = input.size() - header.body;  // at most, after lists and texts
  for (const PlyElement& element : header.elements) {
    check_element_size(element, header.encoding, left, input.name());
    left -= static_cast<std::size_t>(least_bytes(element, header.encoding));
  }
}

bool has_lists(const PlyHeader& header) { return std::ranges::any_of(header.elements, &PlyElement::has_list); }

/// Finds where the vertices of a binary body are, by reading the elements that have lists. Vertices with lists have no
/// fixed stride: their scalars, which `layout` has the places of, are copied to rows in memory.
void locate_vertices(const PlyHeader& header, RowLayout& layout) {
  const std::shared_ptr<Input> input = layout.input;
  const std::size_t stride = layout.rows.stride;
  PlyListRows lists(*input, layout.axes[0].order);
  std::size_t position = header.body;
  for (std::size_t e = 0; e < header.elements.size(); ++e) {
    const PlyElement& element = header.elements[e];
    const std::size_t row_bytes = min_row_bytes(element);
    check_element_size(element, header.encoding, input->size() - position, input->name());
    if (e == header.vertex) layout.rows.begin = position;
    if (!element.has_list()) {
      position += static_cast<std::size_t>(element.count) * row_bytes;
    } else if (e != header.vertex) {
      position = lists.each(element, position, [](std::size_t, const char*) {});
    } else {
      Array<char> rows(static_cast<std::size_t>(element.count) * stride);  // at most the size of the file
      char* to = rows.data();
      position = lists.each(element, position, [&](std::size_t p, const char* value) {
        const std::size_t bytes = size_of(element.properties[p].type);
        std::memcpy(to, value, bytes);
        to += bytes;
      });
      layout.input = std::make_shared<Input>(input->name(), std::move(rows));
      layout.rows.begin = 0;
    }
  }
  if (has_lists(header)) input->progress().set(position);
  if (!holds_only(*input, position, k_ply_blanks))
    layout.without_rows.warnings.push_back(rest_warning(input->name(), input->size() - position, "the last element"));
}

}  // namespace

WideSize least_bytes(const PlyElement& element, PlyEncoding encoding) {
  if (encoding != PlyEncoding::ascii) return WideSize{element.count} * min_row_bytes(element);
  // A value takes at least a digit, and a blank or a line end before the next.
  const WideSize bytes = WideSize{element.count} * 2 * element.properties.size();
  return bytes > 0 ? bytes - 1 : 0;
}

void check_element_size(const PlyElement& element, PlyEncoding encoding, std::size_t left, const std::string& file) {
  const WideSize need = least_bytes(element, encoding);
  const bool at_least = encoding == PlyEncoding::ascii || element.has_list();
  if (need > left)
    refuse(file, fmt::format("{} count {} needs {}{} bytes, file holds {}", excerpt(element.name), element.count,
                             at_least ? "at least " : "", need, left));
}

RowLayout ply_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  from->total_size();
  const Input& input = *from;
  const PlyHeader header = header_of(input, options);
  RowLayout layout{.input = std::move(from)};
  Cloud& cloud = layout.without_rows;
  cloud.columns = header.columns;
  cloud.system = system_of(header);
  const ChosenAttributes chosen = choose_attributes(header, options, input.name(), cloud.warnings);

  const PlyElement& vertex = header.elements[header.vertex];
  const std::vector<PlyProperty>& properties = vertex.properties;
  const bool is_text = header.encoding == PlyEncoding::ascii;
  const std::endian order = header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  PackedRow packed(properties.size());
  if (!is_text)  // every scalar has a place, in the order of the file
    for (std::size_t p = 0; p < properties.size(); ++p)
      if (!properties[p].count_type) packed.place_of(p, properties[p].type);
  const auto field_of = [&](std::size_t p) {
    return RowField{properties[p].type, packed.place_of(p, properties[p].type), order};
  };
  for (const std::size_t p : header.axes) layout.axes.push_back(field_of(p));
  for (const std::size_t p : chosen.columns) layout.add_attribute(properties[p].name, field_of(p));
  chosen.describe(cloud);
  layout.rows = {header.body, vertex.count, packed.bytes()};
  constexpr std::string_view encodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  layout.variant = fmt::format(", {}", encodings[static_cast<std::size_t>(header.encoding)]);
  check_sizes(header, input);

  if (is_text) {
    layout.lines = ply_lines(header, std::move(packed), input);
  } else if (has_lists(header)) {
    layout.locate = [header](RowLayout& to) { locate_vertices(header, to); };
  } else {
    locate_vertices(header, layout);
  }
  if (!is_text && vertex.has_list()) {
    layout.obstacle = "PLY whose vertices have lists";
    layout.held_bytes = static_cast<double>(vertex.count) * static_cast<double>(packed.bytes());
  }
  return layout;
}

}  // namespace kann::formats
