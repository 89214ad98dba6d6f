// Reads text files: XYZ, TXT and CSV.
#pragma once

#include <cstddef>
#include <memory>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/row_source.hpp"

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
Cloud read_text(Input& input, const ReadOptions& options = {});

/// All of the cloud but its rows, as far as the first part of the file says it, whose rows are checked. Blocks.
/// @throws as read_text().
Cloud text_without_rows(Input& input, const ReadOptions& options);

/// The same cloud, as ranges of a regular file, which is read through once, with all checks. Blocks.
/// @throws as read_text().
RowCloud text_rows(std::shared_ptr<Input> input, const ReadOptions& options);

}  // namespace kann::formats
