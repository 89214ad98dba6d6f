// The body of a PLY file in either binary encoding.
#include <bit>
#include <fmt/format.h>

#include "io/points/ply/ply_body.hpp"

namespace kann::io {
namespace {

/// Minimum bytes per row: those of a row whose lists are empty.
std::size_t min_row_bytes(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& p : element.properties) bytes += size_of(p.count_type.value_or(p.type));
  return bytes;
}

class BinaryReader {
 public:
  BinaryReader(const PlyHeader& header, std::string_view bytes, const std::string& file)
      : header_(header),
        bytes_(bytes),
        file_(file),
        order_(header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little),
        position_(header.body) {}

  PlyBody read() {
    PlyBody body;
    for (std::size_t e = 0; e < header_.elements.size(); ++e) {
      const PlyElement& element = header_.elements[e];
      const std::size_t row_bytes = min_row_bytes(element);
      check_element_size(element, WideSize{element.count} * row_bytes, element.has_list(), left(), file_);
      const bool is_vertex = e == header_.vertex;
      if (!element.has_list()) {
        if (is_vertex) body.points = gather(bytes_.data() + position_, element.count, offsets(), row_bytes);
        position_ += element.count * row_bytes;
      } else if (is_vertex) {
        body.points = read_ragged_vertices(element);
      } else {
        visit_rows(element, [](std::size_t, std::string_view) {});
      }
    }
    body.end = position_;
    return body;
  }

 private:
  std::size_t left() const { return bytes_.size() - position_; }
  const PlyElement& vertex() const { return header_.elements[header_.vertex]; }
  ScalarType axis_type(std::size_t a) const { return vertex().properties[header_.axes[a]].type; }

  /// Offset of each axis in a row of scalars.
  std::vector<std::size_t> offsets() const {
    std::vector<std::size_t> starts;
    std::size_t offset = 0;
    for (const PlyProperty& p : vertex().properties) {
      starts.push_back(offset);
      offset += size_of(p.type);
    }
    std::vector<std::size_t> axes;
    for (const std::size_t axis : header_.axes) axes.push_back(starts[axis]);
    return axes;
  }

  Points gather(const char* rows, std::uint64_t count, const std::vector<std::size_t>& axis_offsets,
                std::size_t stride) const {
    std::vector<Column> columns;
    for (std::size_t a = 0; a < axis_offsets.size(); ++a)
      columns.push_back(
          {axis_type(a), count == 0 ? rows : rows + axis_offsets[a], stride, order_});  // rows may be null
    return gather_columns(columns, static_cast<std::int64_t>(count));
  }

  /// Vertices with lists have no fixed stride: their coordinates are copied to rows of the axes alone.
  Points read_ragged_vertices(const PlyElement& element) {
    std::vector<std::size_t> offsets_in_row;  // of the axes
    std::vector<int> axis_of(element.properties.size(), -1);
    std::size_t stride = 0;
    for (std::size_t a = 0; a < header_.axes.size(); ++a) {
      axis_of[header_.axes[a]] = static_cast<int>(a);
      offsets_in_row.push_back(stride);
      stride += size_of(axis_type(a));
    }
    Array<char> packed(element.count * stride);  // at most the size of the file: every row has every axis
    char* row = packed.data();
    visit_rows(element, [&](std::size_t p, std::string_view value) {
      if (axis_of[p] >= 0) value.copy(row + offsets_in_row[axis_of[p]], value.size());
      if (p + 1 == element.properties.size()) row += stride;
    });
    return gather(packed.data(), element.count, offsets_in_row, stride);
  }

  /// Calls f(property, bytes) for every property, lists included, of all rows of an element with lists.
  template <class F>
  void visit_rows(const PlyElement& element, F&& f) {
    for (std::uint64_t row = 0; row < element.count; ++row) {
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        if (property.count_type)
          f(p, take(list_bytes(element, row, property), element, row, property));
        else
          f(p, take(size_of(property.type), element, row, property));
      }
    }
  }

  /// Reads a list's count and returns the size of its items in bytes.
  WideSize list_bytes(const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t start = position_;
    const std::string_view field = take(size_of(*property.count_type), element, row, property);
    const std::int64_t count = load_integer(field.data(), *property.count_type, order_);
    if (count < 0)
      refuse_byte(file_, start,
                  fmt::format("{} {}: list {} has a negative count (got {})", excerpt(element.name), row,
                              quoted(property.name), count));
    return static_cast<WideSize>(count) * size_of(property.type);
  }

  std::string_view take(WideSize bytes, const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    if (bytes > left())
      refuse_byte(file_, position_,
                  fmt::format("{} {}: the file ends within property {} (got {} bytes, need {})", excerpt(element.name),
                              row, quoted(property.name), left(), bytes));
    const std::string_view taken = bytes_.substr(position_, static_cast<std::size_t>(bytes));
    position_ += taken.size();
    return taken;
  }

  const PlyHeader& header_;
  const std::string_view bytes_;
  const std::string& file_;
  const std::endian order_;
  std::size_t position_;
};

}  // namespace

PlyBody read_ply_binary(const PlyHeader& header, std::string_view bytes, const std::string& file) {
  return BinaryReader(header, bytes, file).read();
}

}  // namespace kann::io
