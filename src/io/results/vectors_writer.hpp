// Results in the formats of the approximate-nearest-neighbour benchmarks: binary counts, then 4-byte values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kann/neighbors.hpp"

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// `queries` rows of `k` values of 4 bytes: the ids or the distances of a result.
struct VectorRows {
  std::int64_t queries;
  std::int64_t k;
  std::span<const std::byte> values;
};

/// Ground truth of big-ann-benchmarks: u32 queries, u32 k, all ids (int32), all distances (float32).
/// @throws Error resources; before a byte is written, if the header cannot hold the counts.
void write_bin(const Neighbors& neighbors, ByteSink& sink);

/// .ibin and .fbin: u32 queries, u32 k, all values. @throws as write_bin().
void write_xbin(const VectorRows& rows, ByteSink& sink);

/// .ivecs and .fvecs (corpus-texmex): int32 k and k values per row. @throws as write_bin().
void write_xvecs(const VectorRows& rows, ByteSink& sink);

}  // namespace kann::io
