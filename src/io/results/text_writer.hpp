// Results as text, one neighbour a line.
#pragma once

#include "kann/neighbors.hpp"

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// A header line `query,rank,id,distance`, then a line for every neighbour, rows and ranks counted from 0. Distances
/// are the shortest decimals that read back as the same float32; that of a missing neighbour is `inf`. Formats on all
/// threads, a few megabytes at a time. @throws Error resources.
void write_text(const Neighbors& neighbors, char delimiter, ByteSink& sink);

}  // namespace kann::io
