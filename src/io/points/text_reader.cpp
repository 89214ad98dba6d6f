// Reads text files row by row, in the layout that text_layout.hpp guesses.
#include <array>
#include <fmt/format.h>
#include <utility>

#include "io/files/refusal.hpp"
#include "io/points/lines.hpp"
#include "io/points/number.hpp"
#include "io/points/readers.hpp"
#include "io/points/text_layout.hpp"

namespace kann::io {
namespace {

class TextReader {
 public:
  TextReader(std::string_view bytes, const std::string& file)
      : file_(file),
        layout_(guess_text_layout(bytes)),
        has_count_(layout_.axes.size() < 2 && begins_with_count(bytes)),
        lines_(bytes.substr(layout_.data), layout_.lines_before) {}

  Cloud read() {
    if (layout_.columns == 0) refuse(file_, "no points");
    const std::size_t d = layout_.axes.size();
    if (d < 2)
      refuse_line(
          file_, layout_.lines_before + 1,
          std::string("row has 1 column (need 2 or more)") + (has_count_ ? "; a point count? remove that line" : ""));
    Array<double> coordinates;
    std::array<double, 3> point{};
    for (std::string_view line; lines_.next(line);) {
      if (is_skipped(line)) continue;
      read_row(line, point);
      coordinates.insert(coordinates.end(), point.begin(), point.begin() + static_cast<std::ptrdiff_t>(d));
    }
    Cloud cloud{Points{static_cast<int>(d), std::move(coordinates)}, {}};
    name_columns(cloud);
    return cloud;
  }

 private:
  /// Stores the names of the columns taken, and warns unless they are x and y.
  void name_columns(Cloud& cloud) const {
    std::string list;
    for (const std::string_view name : layout_.names) {
      cloud.columns.emplace_back(name);
      list += (list.empty() ? "" : ", ") + excerpt(name);
    }
    if (!layout_.names.empty() && !layout_.names_axes)
      cloud.warnings.push_back(fmt::format("{}: no columns x and y in its header; taking {}", file_, list));
  }

  void read_row(std::string_view line, std::array<double, 3>& point) {
    Fields fields(line, layout_.delimiter);
    std::int64_t column = 0;
    bool ends_empty = false;
    for (std::string_view field; fields.next(field); ++column) {
      ends_empty = field.empty();
      for (std::size_t a = 0; a < layout_.axes.size(); ++a)
        if (layout_.axes[a] == column) point[a] = number(field, column);
    }
    // Programs that end each row with a delimiter leave the header without one.
    const bool ends_in_delimiter = layout_.header_line > 0 && ends_empty && column == layout_.columns + 1;
    if (column != layout_.columns && !ends_in_delimiter)
      refuse_line(file_, lines_.number(),
                  fmt::format("row has {} columns (need {}, as in {} {})", column, layout_.columns,
                              layout_.header_line > 0 ? "the header in line" : "line",
                              layout_.header_line > 0 ? layout_.header_line : layout_.lines_before + 1));
  }

  double number(std::string_view field, std::int64_t column) const {
    double value = 0;
    const NumberFault fault = parse_number(field, value);
    if (fault != NumberFault::none)
      refuse_line(file_, lines_.number(), fmt::format("column {} {}: {}", column + 1, describe(fault), quoted(field)));
    return value;
  }

  const std::string& file_;
  const TextLayout layout_;
  const bool has_count_;
  Lines lines_;
};

}  // namespace

Cloud read_text(std::string_view bytes, const std::string& file) { return TextReader(bytes, file).read(); }

}  // namespace kann::io
