// Labels of points, one each, in the place of rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "kann/io.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// Writes an archive with the labels, in the type and by the name of the column, and `meta`. Blocks.
/// @throws Error resources, and what `labels` throws.
void write_label_npz(const ColumnBlocks& labels, std::int64_t points, std::string_view meta_json, ByteSink& sink,
                     int threads);

}  // namespace kann::formats
