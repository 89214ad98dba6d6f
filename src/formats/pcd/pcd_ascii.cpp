// The points of a PCD file in ASCII: a line per point, all values of all fields.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "formats/files/file_window.hpp"
#include "formats/files/refusal.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/table/file_lines.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"
#include "formats/table/packed_rows.hpp"
#include "formats/table/scalar_text.hpp"

namespace kann::formats {
namespace {

constexpr std::uint64_t k_rows_between_reports = 65536;  // megabytes

/// Reads points from lines, which are Lines or FileLines.
template <class LineSource>
class PcdTextRows {
 public:
  PcdTextRows(const PcdHeader& header, LineSource& lines, const std::string& file)
      : header_(header), lines_(lines), file_(file) {}

  /// Reads the coordinates of point number `row`, and the fields that `values` has.
  template <class T>
  void read_point(std::uint64_t row, T* point, PackedRows& values) {
    std::string_view line;
    do {
      if (!lines_.next(line))
        fail(fmt::format("the file ends within the points (got {}, need {})", row, header_.points));
    } while (trimmed(line).empty());

    std::string_view rest = line;
    for (std::size_t f = 0; f < header_.fields.size(); ++f) {
      const PcdField& field = header_.fields[f];
      const auto axis = std::ranges::find(header_.axes, f);
      for (std::uint64_t i = 0; i < field.count; ++i) {
        const std::string_view word = take_word(rest);
        if (word.empty()) fail_length("short", line);
        if (values.has(f)) check_value(field, word, values.set(f, word));
        if (axis != header_.axes.end())
          check_value(field, word, parse_scalar(field.type, word, point[axis - header_.axes.begin()]));
        else if (!values.has(f))
          check_number(field, word);
      }
    }
    if (!trimmed(rest).empty()) fail_length("long", line);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse_line(file_, lines_.number(), what); }

  [[noreturn]] void fail_length(std::string_view what, std::string_view line) const {
    fail(fmt::format("the point's line is too {} (got {}, need {})", what, counted(count_words(line), "value"),
                     header_.point_words));
  }

  /// Refuses a value if reading it has found a fault.
  void check_value(const PcdField& field, std::string_view word, NumberFault fault) const {
    if (fault != NumberFault::none)
      fail(fmt::format("field {} {}{}: {}", excerpt(field.name), describe(fault),
                       is_floating(field.type) ? "" : " of its integer type", quote(word)));
  }

  void check_number(const PcdField& field, std::string_view word) const {
    double value = 0;
    if (const NumberFault fault = parse_number(word, value); fault != NumberFault::none)
      fail(fmt::format("field {} {}: {}", excerpt(field.name), describe(fault), quote(word)));
  }

  const PcdHeader& header_;
  LineSource& lines_;
  const std::string& file_;
};

/// The fields of the attributes, of no points.
PackedRows packed_fields(const PcdHeader& header, const PcdAttributes& attributes) {
  PackedRows values(header.fields.size());
  for (const PcdAttribute& one : attributes.all) values.add_column(one.field, header.fields[one.field].type);
  return values;
}

std::vector<Attribute> gather(const PcdAttributes& attributes, const PackedRows& values, const std::string& file) {
  std::vector<Column> columns;
  for (const PcdAttribute& one : attributes.all) columns.push_back(values.column(one.field, one.type, one.byte));
  return gather_attributes(attributes.names(), columns, values.count(), file);
}

template <class T>
class PcdAsciiReader {
 public:
  PcdAsciiReader(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                 const std::string& file, ByteProgress* progress)
      : header_(header),
        file_(file),
        progress_(progress),
        lines_(bytes.substr(header.body), header.lines),
        values_(packed_fields(header, attributes)) {}

  Array<T> read() {
    Array<T> coordinates;  // grows with the lines in the file, not with the claimed count
    PcdTextRows rows(header_, lines_, file_);
    T point[3] = {};
    for (std::uint64_t row = 0; row < header_.points; ++row) {
      rows.read_point(row, point, values_);
      values_.end_row();
      if (progress_ && row % k_rows_between_reports == 0) progress_->set(end());
      coordinates.insert(coordinates.end(), point, point + header_.axes.size());
    }
    return coordinates;
  }

  std::size_t end() const { return header_.body + lines_.offset(); }

  /// The words of the attributes' fields.
  const PackedRows& values() const { return values_; }

 private:
  const PcdHeader& header_;
  const std::string& file_;
  ByteProgress* const progress_;
  Lines lines_;
  PackedRows values_;
};

template <class T>
PcdBody read_as(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                const std::string& file, ByteProgress* progress) {
  PcdAsciiReader<T> reader(header, attributes, bytes, file, progress);
  Array<T> coordinates = reader.read();
  return {{static_cast<int>(header.axes.size()), std::move(coordinates)},
          gather(attributes, reader.values(), file),
          reader.end()};
}

bool is_narrow(const PcdHeader& header) {
  return std::ranges::all_of(header.axes, [&](std::size_t axis) { return fits_float32(header.fields[axis].type); });
}

/// Reads all of the points, and notes where they are.
template <class T>
RowCloud mark_rows(const PcdHeader& header, const PcdAttributes& chosen, Cloud without_rows,
                   std::shared_ptr<Input> input, int threads) {
  RowCloud cloud{.warnings = std::exchange(without_rows.warnings, {})};
  RowMarks marks;
  FileLines lines(*input, header.body, header.lines);
  PcdTextRows rows(header, lines, input->name());
  T point[3] = {};
  PackedRows unkept = packed_fields(header, chosen);  // checks the values
  for (std::uint64_t row = 0; row < header.points; ++row) {
    marks.note(header.body + lines.offset(), lines.number());
    rows.read_point(row, point, unkept);
  }
  const std::size_t end = header.body + lines.offset(), size = input->expected_size();
  marks.finish(end);
  if (!holds_only(*input, end, k_pcd_blanks))
    cloud.warnings.push_back(rest_warning(input->name(), size - end, "the last point"));
  const std::string file = input->name();
  const auto parse = [header, chosen, file](const MarkedPart& part, std::uint64_t count, T* points,
                                            std::vector<Attribute>* attributes) {
    PackedRows values = attributes ? packed_fields(header, chosen) : PackedRows(header.fields.size());
    Lines own_lines(part.bytes, part.lines);
    PcdTextRows reader(header, own_lines, file);
    for (std::uint64_t i = 0; i < count; ++i) {
      reader.read_point(part.first + i, points + i * header.axes.size(), values);
      values.end_row();
    }
    if (attributes) *attributes = gather(chosen, values, file);
  };
  cloud.rows = std::make_unique<MarkedRows<T>>(std::move(input), std::move(marks), std::move(without_rows),
                                               static_cast<int>(header.axes.size()), threads, parse);
  return cloud;
}

}  // namespace

void check_pcd_ascii_size(const PcdHeader& header, std::size_t left, const std::string& file) {
  // A value takes at least a digit, and a blank or a line end before the next.
  const WideSize need = WideSize{header.points} * 2 * header.point_words;
  if (need > WideSize{left} + 1)
    refuse(file, fmt::format("point count {} needs at least {} bytes, file holds {}", header.points, need - 1, left));
}

RowCloud pcd_ascii_rows(const PcdHeader& header, const PcdAttributes& attributes, Cloud without_rows,
                        std::shared_ptr<Input> input, int threads) {
  return is_narrow(header) ? mark_rows<float>(header, attributes, std::move(without_rows), std::move(input), threads)
                           : mark_rows<double>(header, attributes, std::move(without_rows), std::move(input), threads);
}

PcdBody read_pcd_ascii(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                       const std::string& file, ByteProgress* progress) {
  check_pcd_ascii_size(header, bytes.size() - header.body, file);
  return is_narrow(header) ? read_as<float>(header, attributes, bytes, file, progress)
                           : read_as<double>(header, attributes, bytes, file, progress);
}

}  // namespace kann::formats
