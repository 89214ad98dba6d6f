// The body of a PLY file in either binary encoding.
#include <bit>
#include <span>
#include <vector>

#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_list_rows.hpp"
#include "formats/table/attributes.hpp"

namespace kann::formats {
namespace {

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
      check_element_size(element, header_.encoding, left(), file_);
      const bool is_vertex = e == header_.vertex;
      if (!element.has_list()) {
        if (is_vertex)
          gather(body, bytes_.data() + position_, element.count, offsets(header_.axes), offsets(header_.attributes),
                 row_bytes);
        position_ += element.count * row_bytes;
      } else if (is_vertex) {
        read_ragged_vertices(body, element);
      } else {
        visit_rows(element, [](std::size_t, std::size_t, std::size_t) {});
      }
    }
    body.end = position_;
    return body;
  }

 private:
  std::size_t left() const { return bytes_.size() - position_; }
  const PlyElement& vertex() const { return header_.elements[header_.vertex]; }
  ScalarType type_of(std::size_t property) const { return vertex().properties[property].type; }

  /// Offsets of these properties in a row of scalars.
  std::vector<std::size_t> offsets(std::span<const std::size_t> properties) const {
    std::vector<std::size_t> starts;
    std::size_t offset = 0;
    for (const PlyProperty& p : vertex().properties) {
      starts.push_back(offset);
      offset += size_of(p.type);
    }
    std::vector<std::size_t> found;
    for (const std::size_t property : properties) found.push_back(starts[property]);
    return found;
  }

  std::vector<Column> columns(const char* rows, std::uint64_t count, std::span<const std::size_t> properties,
                              std::span<const std::size_t> offsets_in_row, std::size_t stride) const {
    std::vector<Column> found;
    for (std::size_t i = 0; i < properties.size(); ++i)
      found.push_back(
          {type_of(properties[i]), count == 0 ? rows : rows + offsets_in_row[i], stride, order_});  // rows may be null
    return found;
  }

  void gather(PlyBody& body, const char* rows, std::uint64_t count, std::span<const std::size_t> axis_offsets,
              std::span<const std::size_t> attribute_offsets, std::size_t stride) const {
    body.points =
        gather_columns(columns(rows, count, header_.axes, axis_offsets, stride), static_cast<std::int64_t>(count));
    if (!header_.attributes.empty())
      body.attributes = gather_attributes(attribute_names(header_),
                                          columns(rows, count, header_.attributes, attribute_offsets, stride),
                                          static_cast<std::size_t>(count), file_);
  }

  /// Vertices with lists have no fixed stride: their coordinates and attributes are copied to rows that have only
  /// these.
  void read_ragged_vertices(PlyBody& body, const PlyElement& element) {
    constexpr std::size_t none = -1;
    std::vector<std::size_t> place(element.properties.size(), none);  // offset of a property in such a row
    std::size_t stride = 0;
    const auto places = [&](std::span<const std::size_t> properties) {
      std::vector<std::size_t> found;
      for (const std::size_t property : properties) {
        if (place[property] == none) {
          place[property] = stride;
          stride += size_of(type_of(property));
        }
        found.push_back(place[property]);
      }
      return found;
    };
    const std::vector<std::size_t> axes = places(header_.axes), attributes = places(header_.attributes);
    Array<char> packed(element.count * stride);  // at most the size of the file: every row has all of them
    char* row = packed.data();
    visit_rows(element, [&](std::size_t p, std::size_t offset, std::size_t size) {
      if (place[p] != none) bytes_.copy(row + place[p], size, offset);
      if (p + 1 == element.properties.size()) row += stride;
    });
    gather(body, packed.data(), element.count, axes, attributes, stride);
  }

  /// As PlyListRows::each(), for the rows that come next.
  template <class F>
  void visit_rows(const PlyElement& element, F&& f) {
    const auto at = [&](std::size_t offset, std::size_t) { return bytes_.data() + offset; };
    position_ = PlyListRows(at, bytes_.size(), order_, file_).each(element, position_, f);
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

}  // namespace kann::formats
