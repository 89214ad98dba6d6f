// Lists of neighbours, of any length, as an archive, as text, and as a matrix.
#pragma once

#include "kann/io.hpp"
#include "kann/radius.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// All functions block, and throw Error resources, and what the lists throw. `threads` is as in crc32().

/// The arrays indptr, ids and distances, and the extras. Takes the lists once if the sink can be overwritten, else four
/// times.
void write_list_npz(const RowBlocks& rows, const ResultExtras& extras, ByteSink& sink, int threads);

/// A header line and a line for every neighbour, as write_text() has them.
void write_list_text(const RowBlocks& rows, char delimiter, ByteSink& sink, int threads);

/// The coordinate format of Matrix Market (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): a line for every
/// neighbour, with the numbers of query and data point from 1, and the distance.
void write_matrix_market(const RowBlocks& rows, ByteSink& sink, int threads);

}  // namespace kann::formats
