// The binary formats whose arrays lie in the file as they lie in memory: npz, npy, bin, ibin and fbin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "io/files/byte_sink.hpp"
#include "io/results/arriving_arrays.hpp"
#include "io/results/zip_writer.hpp"

namespace kann::io {

/// Where a result goes.
struct ResultSinks {
  ByteSink& file;
  ByteSink* distances = nullptr;  ///< the second file of npy; null: there is none
};

/// What an npz has besides ids and distances.
struct NpzExtras {
  std::string_view meta_json;
  std::span<const Attribute> per_query = {}, globals = {};  ///< as the extras and globals of NeighborFile::write()
};

/// One result of `queries` rows of `k` neighbours; write() until all values are there, then finish().
class BinaryWriter {
 public:
  /// Whether a result in this format can be written by this class: npz needs a sink that can be overwritten.
  static bool can_write(NeighborFormat format, const ByteSink& sink);

  /// Writes nothing. `threads`: as in crc32().
  /// @throws Error resources, if the header cannot hold the counts.
  BinaryWriter(NeighborFormat format, ResultSinks sinks, std::int64_t queries, std::int64_t k, int threads);

  BinaryWriter(const BinaryWriter&) = delete;
  BinaryWriter& operator=(const BinaryWriter&) = delete;

  std::int64_t queries() const { return queries_; }
  std::int64_t k() const { return k_; }

  /// As ArrivingArrays::write(). @throws Error resources.
  void write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances);

  /// Writes what follows the arrays; `extras` into npz alone. @throws Error resources.
  void finish(const NpzExtras& extras);

 private:
  std::int64_t queries_, k_;
  std::optional<ZipWriter> zip_;  ///< of npz
  ArrivingArrays arrays_;         ///< refers to zip_
};

/// A whole result of rows that come in blocks, in a format for which can_write(). @throws Error resources, and what
/// `rows` throws.
void write_binary(NeighborFormat format, ResultSinks sinks, const RowBlocks& rows, const NpzExtras& extras,
                  int threads);

/// The same npz to a sink that cannot be overwritten: each checksum is computed before the first byte of its member.
void write_npz_to_stream(const Neighbors& neighbors, const NpzExtras& extras, ByteSink& sink, int threads);

}  // namespace kann::io
