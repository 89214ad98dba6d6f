// Reads text files: XYZ, TXT and CSV.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_marks.hpp"
#include "formats/table/row_source.hpp"
#include "formats/table/table.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

/// What is held of a text at a time; the first point must lie in the first part.
inline constexpr std::size_t k_text_part_bytes = std::size_t{4} << 20;

/// The rows of a text file (XYZ, TXT, CSV) as float64 points, in the layout that guess_text_layout() finds. Every row
/// has as many fields as the first; fields that are not coordinates may hold anything, and a coordinate that is missing
/// (is_missing_value()) is NaN. Fields may be in double quotes, as class Fields says. Comments (# or //) and blank
/// lines are skipped. A header without rows is an empty cloud. Attributes are as TextAttributes says. The
/// file is held part by part.
/// @throws Error bad_input, with the line, also where nothing says which columns are coordinates, for NUL, for a quote
///         that its line does not close, for a line of more than 1 MiB, and if no point is in the first 4 MiB;
///         resources.
class TextTable final : public Table {
 public:
  TextTable(std::shared_ptr<Input> input, ReadRequest options)
      : input_(std::move(input)), options_(std::move(options)) {}

  /// All rows are taken to be as long as those of the head, or as the head, if it has no whole one.
  CloudEstimate estimate() const override;

  /// As far as the first part of the file says it, whose rows are checked.
  RowsInHead in_head() const override;

  /// Reads a regular file through once, with all checks.
  RowCloud rows() const override;

  Cloud read() const override;

 private:
  const std::shared_ptr<Input> input_;
  const ReadRequest options_;
};

/// @param marks        of the rows, all of which have been read
/// @param without_rows all of the cloud but its rows, its points and its warnings
/// @param known        TextAttributes::known(), by the name of the input
std::unique_ptr<RowSource> text_ranges(std::shared_ptr<Input> input, TextLayout layout, RowMarks marks,
                                       Cloud without_rows, TextAttributes known, int threads);

}  // namespace kann::formats
