// Results as text: a line for each neighbour.
#pragma once

#include "kann/io.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// Writes a header line `query,rank,id,distance`, then a line for every neighbour; queries count from RowBlocks::first,
/// ranks from 0. Distances are the shortest decimals that read back as the same float32, `inf` for a missing neighbour.
/// Formats on up to `threads` threads, as in base::copy_threads(). They call sink.write() one at a time, which bounds
/// how many are of use: one thread formats 8 million lines (210 MB) in 0.24 s, and they are written to memory in
/// 0.06 s. Blocks. @throws Error resources, and what the rows throw.
void write_text(const RowBlocks& rows, char delimiter, ByteSink& sink, int threads);

/// The coordinate format of Matrix Market (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): a line for every
/// neighbour, with the numbers of query and data point from 1, and the distance. @pre the rows are lists.
void write_matrix_market(const RowBlocks& rows, ByteSink& sink, int threads);

}  // namespace kann::formats
