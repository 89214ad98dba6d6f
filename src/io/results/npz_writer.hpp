// Results as NumPy's archive of arrays.
#pragma once

#include <string_view>

#include "kann/neighbors.hpp"

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// `ids` (queries × k, int32), `distances` (queries × k, float32) and `meta` (text, of no dimensions: `meta_json`), not
/// compressed. @throws Error resources.
void write_npz(const Neighbors& neighbors, std::string_view meta_json, ByteSink& sink);

}  // namespace kann::io
