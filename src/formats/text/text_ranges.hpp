// The rows of a text in ranges, which are found by marks.
#pragma once

#include <memory>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/row_marks.hpp"
#include "formats/table/row_source.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

/// @param marks        of the rows, all of which have been read
/// @param without_rows all of the cloud but its rows, its points and its warnings
/// @param known        TextAttributes::known(), by the name of the input
std::unique_ptr<RowSource> text_ranges(std::shared_ptr<Input> input, TextLayout layout, RowMarks marks,
                                       Cloud without_rows, TextAttributes known, int threads);

}  // namespace kann::formats
