// The body of a PLY file in ASCII.
#include <algorithm>
#include <utility>

#include "formats/files/file_window.hpp"
#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_text_rows.hpp"
#include "formats/table/file_lines.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/packed_rows.hpp"

namespace kann::formats {
namespace {

constexpr std::uint64_t k_rows_between_reports = 65536;  // megabytes

bool is_narrow(const PlyHeader& header) {
  return std::ranges::all_of(header.axes, [&](std::size_t axis) {
    return fits_float32(header.elements[header.vertex].properties[axis].type);
  });
}

/// The attributes of no rows.
PackedRows packed_attributes(const PlyHeader& header) {
  const std::vector<PlyProperty>& properties = header.elements[header.vertex].properties;
  PackedRows attributes(properties.size());
  for (const std::size_t p : header.attributes) attributes.add_column(p, properties[p].type);
  return attributes;
}

/// Reads all elements from `lines`, the lines of a body of `bytes` bytes. Calls read_vertices(rows) for the vertices.
template <class LineSource, class F>
void read_elements(const PlyHeader& header, LineSource& lines, std::size_t bytes, const std::string& file,
                   F&& read_vertices) {
  PlyTextRows rows(header, lines, file);
  for (std::size_t e = 0; e < header.elements.size(); ++e) {
    const PlyElement& element = header.elements[e];
    if (element.properties.empty()) continue;  // its rows are empty lines
    rows.check_size(element, bytes - lines.offset());
    if (e == header.vertex)
      read_vertices(rows);
    else
      rows.skip_rows(element);
  }
}

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
    read_elements(header_, lines_, body_.size(), file_, [&](PlyTextRows<Lines>& rows) {
      const int d = static_cast<int>(header_.axes.size());
      body.points =
          is_narrow(header_) ? Points{d, read_coordinates<float>(rows)} : Points{d, read_coordinates<double>(rows)};
      body.attributes = attributes_.take(attribute_names(header_), file_);
    });
    body.end = header_.body + lines_.offset();
    return body;
  }

 private:
  template <class T>
  Array<T> read_coordinates(PlyTextRows<Lines>& rows) {
    const PlyElement& element = header_.elements[header_.vertex];
    Array<T> coordinates;  // grows with the rows in the file, not with the claimed count
    T point[3] = {};
    attributes_ = packed_attributes(header_);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      rows.read_vertex(row, point, attributes_);
      if (progress_ && row % k_rows_between_reports == 0) progress_->set(header_.body + lines_.offset());
      attributes_.end_row();
      coordinates.insert(coordinates.end(), point, point + header_.axes.size());
    }
    return coordinates;
  }

  const PlyHeader& header_;
  const std::string_view body_;
  const std::string& file_;
  ByteProgress* const progress_;
  Lines lines_;
  PackedRows attributes_;
};

/// Reads all of the file, and notes where vertices are.
template <class T>
RowCloud mark_rows(const PlyHeader& header, Cloud without_rows, std::shared_ptr<Input> input, int threads) {
  RowCloud cloud{.warnings = std::exchange(without_rows.warnings, {})};
  RowMarks marks;
  const std::size_t size = input->expected_size();
  FileLines lines(*input, header.body, header.lines);
  read_elements(header, lines, size - header.body, input->name(), [&](PlyTextRows<FileLines>& rows) {
    T point[3] = {};
    PackedRows unkept = packed_attributes(header);  // checks the values
    for (std::uint64_t row = 0; row < header.elements[header.vertex].count; ++row) {
      marks.note(header.body + lines.offset(), lines.number());
      rows.read_vertex(row, point, unkept);
    }
    marks.finish(header.body + lines.offset());
  });
  const std::size_t end = header.body + lines.offset();
  if (!holds_only(*input, end, k_ply_blanks))
    cloud.warnings.push_back(rest_warning(input->name(), size - end, "the last element"));
  const std::string file = input->name();
  const auto parse = [header, file](const MarkedPart& part, std::uint64_t count, T* points,
                                    std::vector<Attribute>* attributes) {
    PackedRows values =
        attributes ? packed_attributes(header) : PackedRows(header.elements[header.vertex].properties.size());
    Lines own_lines(part.bytes, part.lines);
    PlyTextRows rows(header, own_lines, file);
    for (std::uint64_t i = 0; i < count; ++i) {
      rows.read_vertex(part.first + i, points + i * header.axes.size(), values);
      values.end_row();
    }
    if (attributes) *attributes = values.take(attribute_names(header), file);
  };
  cloud.rows = std::make_unique<MarkedRows<T>>(std::move(input), std::move(marks), std::move(without_rows),
                                               static_cast<int>(header.axes.size()), threads, parse);
  return cloud;
}

}  // namespace

PlyBody read_ply_ascii(const PlyHeader& header, std::string_view bytes, const std::string& file,
                       ByteProgress* progress) {
  return AsciiReader(header, bytes, file, progress).read();
}

RowCloud ply_ascii_rows(const PlyHeader& header, Cloud without_rows, std::shared_ptr<Input> input, int threads) {
  return is_narrow(header) ? mark_rows<float>(header, std::move(without_rows), std::move(input), threads)
                           : mark_rows<double>(header, std::move(without_rows), std::move(input), threads);
}

}  // namespace kann::formats
