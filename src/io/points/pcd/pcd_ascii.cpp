// The points of a PCD file in ASCII: a line per point, all values of all fields.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "io/files/refusal.hpp"
#include "io/points/pcd/pcd_body.hpp"
#include "io/points/table/lines.hpp"
#include "io/points/table/number.hpp"
#include "io/points/table/packed_rows.hpp"
#include "io/points/table/scalar_text.hpp"

namespace kann::io {
namespace {

constexpr std::uint64_t k_rows_between_reports = 65536;  // megabytes

template <class T>
class PcdAsciiReader {
 public:
  PcdAsciiReader(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                 const std::string& file, ByteProgress* progress)
      : header_(header),
        file_(file),
        progress_(progress),
        lines_(bytes.substr(header.body), header.lines),
        values_(header.fields.size()) {
    for (const PcdAttribute& one : attributes.all) values_.add_column(one.field, header.fields[one.field].type);
  }

  Array<T> read() {
    Array<T> coordinates;  // grows with the lines in the file, not with the claimed count
    T point[3] = {};
    for (std::uint64_t row = 0; row < header_.points; ++row) {
      read_point(row, point);
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
  [[noreturn]] void fail(const std::string& what) const { refuse_line(file_, lines_.number(), what); }

  void read_point(std::uint64_t row, T* point) {
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
        if (values_.has(f)) check_value(field, word, values_.set(f, word));
        if (axis != header_.axes.end())
          point[axis - header_.axes.begin()] = coordinate(field, word);
        else if (!values_.has(f))
          check_number(field, word);
      }
    }
    if (!trimmed(rest).empty()) fail_length("long", line);
  }

  [[noreturn]] void fail_length(std::string_view what, std::string_view line) const {
    fail(fmt::format("the point's line is too {} (got {} values, need {})", what, count_words(line),
                     header_.point_words));
  }

  T coordinate(const PcdField& field, std::string_view word) const {
    T value = 0;
    check_value(field, word, parse_scalar(field.type, word, value));
    return value;
  }

  /// Refuses a value that was read, with `fault`.
  void check_value(const PcdField& field, std::string_view word, NumberFault fault) const {
    if (fault != NumberFault::none)
      fail(fmt::format("field {} {}{}: {}", excerpt(field.name), describe(fault),
                       is_floating(field.type) ? "" : " of its integer type", quoted(word)));
  }

  void check_number(const PcdField& field, std::string_view word) const {
    double value = 0;
    if (const NumberFault fault = parse_number(word, value); fault != NumberFault::none)
      fail(fmt::format("field {} {}: {}", excerpt(field.name), describe(fault), quoted(word)));
  }

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
  std::vector<Column> columns;
  for (const PcdAttribute& one : attributes.all)
    columns.push_back(reader.values().column(one.field, one.type, one.byte));
  return {{static_cast<int>(header.axes.size()), std::move(coordinates)},
          gather_attributes(attributes.names(), columns, reader.values().count(), file),
          reader.end()};
}

}  // namespace

PcdBody read_pcd_ascii(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                       const std::string& file, ByteProgress* progress) {
  // A value takes at least a digit, and a blank or a line end before the next.
  const WideSize need = WideSize{header.points} * 2 * header.point_words;
  const std::size_t left = bytes.size() - header.body;
  if (need > WideSize{left} + 1)
    refuse(file, fmt::format("point count {} needs at least {} bytes, file holds {}", header.points, need - 1, left));
  const bool narrow =
      std::ranges::all_of(header.axes, [&](std::size_t axis) { return fits_float32(header.fields[axis].type); });
  return narrow ? read_as<float>(header, attributes, bytes, file, progress)
                : read_as<double>(header, attributes, bytes, file, progress);
}

}  // namespace kann::io
