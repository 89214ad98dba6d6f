// Results in the formats of the approximate-nearest-neighbour benchmarks: binary counts, then 4-byte values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// `queries` rows of `k` values of 4 bytes: the ids or the distances of a result.
struct VectorRows {
  std::int64_t queries;
  std::int64_t k;
  std::span<const std::byte> values;
};

/// The header of .bin (the ground truth of big-ann-benchmarks: all ids and all distances follow it), .ibin and .fbin
/// (all values follow): u32 queries, u32 k. @throws Error resources, with the name of the sink, if it cannot hold the
/// counts.
std::string counts_header(std::int64_t queries, std::int64_t k, const ByteSink& sink);

/// Writes .ivecs or .fvecs (corpus-texmex): for each row, k as int32 and k values. @throws as counts_header(), before a
/// byte is written.
void write_xvecs(const VectorRows& rows, ByteSink& sink, int threads);

}  // namespace kann::formats
