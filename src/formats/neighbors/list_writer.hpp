// Lists of neighbours, of any length, as an archive.
#pragma once

#include "kann/io.hpp"
#include "kann/radius.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// The arrays indptr, ids and distances, and the extras. Takes the lists once if the sink can be overwritten, else four
/// times. `threads` is as in crc32(). Blocks. @throws Error resources, and what the lists throw.
void write_list_npz(const RowBlocks& rows, const ResultExtras& extras, ByteSink& sink, int threads);

}  // namespace kann::formats
