// The points of a PCD file in ASCII: a line per point, all values of all fields.
#include <fmt/format.h>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

class PcdLines final : public LineReader {
 public:
  PcdLines(PcdHeader header, PackedRow fields, std::string file)
      : header_(std::move(header)), fields_(std::move(fields)), file_(std::move(file)) {}

  void read_row(FileLines& lines, std::uint64_t row, char* out) const override {
    std::string_view line;
    do {
      if (!lines.next(line))
        refuse_line(file_, lines.number(),
                    fmt::format("the file ends within the points (got {}, need {})", row, header_.points));
    } while (trimmed(line).empty());

    const auto refuse_length = [&](std::string_view what) {
      refuse_line(file_, lines.number(),
                  fmt::format("the point's line is too {} (got {}, need {})", what, counted(count_words(line), "value"),
                              header_.point_words));
    };
    std::string_view rest = line;
    for (std::size_t f = 0; f < header_.fields.size(); ++f) {
      const PcdField& field = header_.fields[f];
      for (std::uint64_t i = 0; i < field.count; ++i) {
        const std::string_view word = take_word(rest);
        if (word.empty()) refuse_length("short");
        double other = 0;  // of a field that is not wanted: any number
        const bool is_wanted = fields_.has(f);
        const NumberFault fault = is_wanted ? fields_.set(f, word, out) : parse_number(word, other);
        if (fault != NumberFault::none)
          refuse_line(file_, lines.number(),
                      fmt::format("field {} {}{}: {}", excerpt(field.name), describe(fault),
                                  is_wanted && !is_floating(field.type) ? " of its integer type" : "", quote(word)));
      }
    }
    if (!trimmed(rest).empty()) refuse_length("long");
  }

 private:
  const PcdHeader header_;
  const PackedRow fields_;
  const std::string file_;
};

}  // namespace

void check_pcd_ascii_size(const PcdHeader& header, std::size_t left, const std::string& file) {
  // A value takes at least a digit, and a blank or a line end before the next.
  const WideSize need = WideSize{header.points} * 2 * header.point_words;
  if (need > WideSize{left} + 1)
    refuse(file, fmt::format("point count {} needs at least {} bytes, file holds {}", header.points, need - 1, left));
}

LineBody pcd_lines(const PcdHeader& header, PackedRow fields, const std::string& file) {
  return {std::make_shared<PcdLines>(header, std::move(fields), file), header.body, header.lines, k_pcd_blanks,
          "the last point"};
}

}  // namespace kann::formats
