// Results as NumPy's archive of arrays.
#pragma once

#include <string_view>

#include "kann/neighbors.hpp"

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// Writes the arrays `ids` (queries × k, int32), `distances` (queries × k, float32) and `meta` (`meta_json` as text, no
/// dimensions), not compressed. Checksums are computed on up to `threads` threads, as in crc32().
/// @throws Error resources.
void write_npz(const Neighbors& neighbors, std::string_view meta_json, ByteSink& sink, int threads);

}  // namespace kann::io
