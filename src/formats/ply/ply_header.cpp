#include "formats/ply/ply_header.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

constexpr std::array<std::pair<std::string_view, ScalarType>, 16> k_types = {{
    {"char", ScalarType::int8},
    {"int8", ScalarType::int8},
    {"uchar", ScalarType::uint8},
    {"uint8", ScalarType::uint8},
    {"short", ScalarType::int16},
    {"int16", ScalarType::int16},
    {"ushort", ScalarType::uint16},
    {"uint16", ScalarType::uint16},
    {"int", ScalarType::int32},
    {"int32", ScalarType::int32},
    {"uint", ScalarType::uint32},
    {"uint32", ScalarType::uint32},
    {"float", ScalarType::float32},
    {"float32", ScalarType::float32},
    {"double", ScalarType::float64},
    {"float64", ScalarType::float64},
}};

constexpr std::array<std::pair<std::string_view, PlyEncoding>, 3> k_encodings = {{
    {"ascii", PlyEncoding::ascii},
    {"binary_little_endian", PlyEncoding::binary_little_endian},
    {"binary_big_endian", PlyEncoding::binary_big_endian},
}};

class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, const std::string& file, const ReadRequest& options)
      : file_(file),
        options_(options),
        is_short_(bytes.size() <= k_ply_header_bytes),
        lines_(bytes.substr(0, k_ply_header_bytes)) {}

  PlyHeader parse() {
    next_line();
    if (line_ != "ply") fail(fmt::format("not a PLY file (got {}, need 'ply')", quote(line_)));
    while (read_statement()) continue;
    if (!has_format_) fail("no format line before end_header");
    find_axes();
    header_.body = lines_.offset();
    header_.lines = lines_.number();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse_line(file_, lines_.number(), what); }

  void next_line() {
    const bool is_line = lines_.next(line_);
    if (!is_short_ && (!is_line || lines_.offset() == k_ply_header_bytes))
      refuse(file_, fmt::format("the header does not end in the first {} bytes", k_ply_header_bytes));
    if (!is_line) fail("no end_header: the file ends within the header");
    if (line_.find('\0') != std::string_view::npos) fail("NUL byte in the header");
  }

  /// Reads one line; false at end_header.
  bool read_statement() {
    next_line();
    std::string_view rest = line_;
    const std::string_view keyword = take_word(rest);
    if (keyword == "comment" || keyword == "obj_info") {
      header_.comments.emplace_back(trimmed(rest));
      is_2d_ |= take_word(rest) == "dimensions" && trimmed(rest) == "2";
      return true;
    }
    if (keyword == "format")
      read_format(rest);
    else if (keyword == "element")
      read_element(rest);
    else if (keyword == "property")
      read_property(rest);
    else if (!keyword.empty() && keyword != "end_header")
      fail(fmt::format("unknown header line {}", quote(line_)));
    if (!trimmed(rest).empty()) fail(fmt::format("{} has more words than it should: {}", keyword, quote(line_)));
    return keyword != "end_header";
  }

  std::string_view expect_word(std::string_view& rest, std::string_view what) {
    const std::string_view word = take_word(rest);
    if (word.empty()) fail(fmt::format("{} is missing: {}", what, quote(line_)));
    return word;
  }

  void read_format(std::string_view& rest) {
    if (std::exchange(has_format_, true)) fail("a second format line");
    const std::string_view name = expect_word(rest, "the encoding");
    const auto* const found = std::ranges::find(k_encodings, name, &decltype(k_encodings)::value_type::first);
    if (found == k_encodings.end())
      fail(
          fmt::format("unknown encoding (got {}, need ascii, binary_little_endian or binary_big_endian)", quote(name)));
    header_.encoding = found->second;
    const std::string_view version = expect_word(rest, "the version");
    if (version != "1.0") fail(fmt::format("unknown version (got {}, need 1.0)", quote(version)));
  }

  void read_element(std::string_view& rest) {
    PlyElement element;
    element.name = expect_word(rest, "the element's name");
    const std::string_view count = expect_word(rest, "the element's count");
    if (const NumberFault fault = parse_count(count, element.count); fault != NumberFault::none)
      fail(fmt::format("count of element {} {}", quote(element.name),
                       fault == NumberFault::out_of_range
                           ? fmt::format("is out of range (got {}, need less than 2^64)", quote(count))
                           : fmt::format("is not a whole number of at least 0 (got {})", quote(count))));
    if (std::ranges::find(header_.elements, element.name, &PlyElement::name) != header_.elements.end())
      fail(fmt::format("a second element {}", quote(element.name)));
    if (header_.elements.size() == k_ply_elements) fail(fmt::format("more than {} elements", k_ply_elements));
    header_.elements.push_back(std::move(element));
  }

  void read_property(std::string_view& rest) {
    if (header_.elements.empty()) fail("a property before any element");
    PlyElement& element = header_.elements.back();
    PlyProperty property;
    std::string_view type = expect_word(rest, "the property's type");
    if (type == "list") {
      property.count_type = scalar_type(expect_word(rest, "the list's count type"));
      if (is_floating(*property.count_type)) fail("a list's count must be of an integer type");
      type = expect_word(rest, "the list's item type");
    }
    property.type = scalar_type(type);
    property.name = expect_word(rest, "the property's name");
    if (std::ranges::find(element.properties, property.name, &PlyProperty::name) != element.properties.end())
      fail(fmt::format("a second property {} of element {}", quote(property.name), quote(element.name)));
    if (++properties_ > k_ply_properties) fail(fmt::format("more than {} properties", k_ply_properties));
    element.properties.push_back(std::move(property));
  }

  ScalarType scalar_type(std::string_view name) const {
    const auto* const found = std::ranges::find(k_types, name, &decltype(k_types)::value_type::first);
    if (found == k_types.end()) fail(fmt::format("unknown type {}", quote(name)));
    return found->second;
  }

  void find_axes() {
    const auto vertex = std::ranges::find(header_.elements, "vertex", &PlyElement::name);
    if (vertex == header_.elements.end()) refuse(file_, "no element vertex in the header");
    header_.vertex = static_cast<std::size_t>(vertex - header_.elements.begin());
    TableColumns table{"property", vertex->properties.size()};
    for (const PlyProperty& property : vertex->properties) table.names.push_back(property.name);
    header_.is_2d = is_2d_ && options_.columns.empty();
    const bool may_be_angles = options_.columns.empty() && angles_of(options_) != Angles::refused;
    if (may_be_angles) header_.axes = named_axes(table.names, angles_of(options_));
    if (header_.axes.size() != 2)
      header_.axes = options_.columns.empty() ? axes_by_name(table) : chosen_axes(table, options_, file_);
    header_.columns = options_.columns;
    const bool has_other_names = options_.columns.empty() && table.names[header_.axes[0]] != "x";
    for (const std::size_t axis : header_.axes) {
      if (vertex->properties[axis].count_type)
        refuse(file_, fmt::format("property {} of element vertex is a list", excerpt(table.names[axis])));
      if (has_other_names) header_.columns.emplace_back(table.names[axis]);
    }
  }

  /// The properties x, y and z; else those that named_axes() finds.
  std::vector<std::size_t> axes_by_name(const TableColumns& table) const {
    std::vector<std::string> names = {"x", "y", "z"};
    if (is_2d_) names.pop_back();
    std::vector<std::size_t> axes = find_chosen_axes(table, names);
    if (axes.empty()) axes = named_axes(table.names);
    if (axes.size() < names.size()) refuse_names(table, names);
    axes.resize(names.size());
    return axes;
  }

  [[noreturn]] void refuse_names(const TableColumns& table, std::span<const std::string> need) const {
    const std::string& missing = *std::ranges::find_if(
        need, [&](const std::string& name) { return std::ranges::count(table.names, name) == 0; });
    const std::string_view two = missing == "z" ? "; a 2-D file says so in its header: comment dimensions 2" : "";
    const std::string other = table.names.empty()
                                  ? ""
                                  : fmt::format("; choose others with {}{}: {}", options_.columns_option,
                                                options_.columns_note, list_of(table.names));
    refuse(file_, fmt::format("element vertex has no property {}{}{}", missing, two, other));
  }

  const std::string& file_;
  const ReadRequest& options_;
  const bool is_short_;  // the file does not exceed the limit on a header
  Lines lines_;
  std::string_view line_;
  PlyHeader header_;
  std::size_t properties_ = 0;
  bool has_format_ = false;
  bool is_2d_ = false;
};

}  // namespace

bool PlyElement::has_list() const {
  return std::ranges::any_of(properties, [](const PlyProperty& p) { return p.count_type.has_value(); });
}

PlyHeader parse_ply_header(std::string_view bytes, const std::string& file, const ReadRequest& options) {
  return HeaderParser(bytes, file, options).parse();
}

}  // namespace kann::formats
