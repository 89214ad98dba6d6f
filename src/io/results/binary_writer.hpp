// The binary formats whose arrays lie in the file as they lie in memory: npz, npy, bin, ibin and fbin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// What an npz has in addition to ids and distances.
struct NpzExtras {
  std::string_view meta_json;
  std::span<const Attribute> per_query = {}, globals = {};  ///< as the extras and globals of NeighborFile::write()
};

/// Writes one result of `queries` rows of `k` neighbours: call write() until all values are there, then finish().
class BinaryWriter {
 public:
  /// Whether a result in this format can be written by this class: npz needs a sink that can be overwritten.
  static bool can_write(NeighborFormat format, const ByteSink& sink);

  /// The constructor writes nothing. `threads` is as in crc32().
  /// @throws Error resources, if the header cannot hold the counts.
  BinaryWriter(NeighborFormat format, ResultSinks sinks, std::int64_t queries, std::int64_t k, int threads);

  BinaryWriter(const BinaryWriter&) = delete;
  BinaryWriter& operator=(const BinaryWriter&) = delete;

  std::int64_t queries() const { return queries_; }
  std::int64_t k() const { return k_; }

  /// As ArrivingArrays::write(). @throws Error resources.
  void write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances);

  /// Writes what follows the arrays; only npz gets the `extras`. @throws Error resources.
  void finish(const NpzExtras& extras);

 private:
  std::int64_t queries_, k_;
  std::optional<ZipWriter> zip_;  ///< only for npz
  ArrivingArrays arrays_;         ///< refers to zip_
};

/// Writes a whole result whose rows come in blocks, in a format for which BinaryWriter::can_write() is true.
/// @throws Error resources, and what `rows` throws.
void write_binary(NeighborFormat format, ResultSinks sinks, const RowBlocks& rows, const NpzExtras& extras,
                  int threads);

/// The counts of a result, which say where everything in it lies.
struct ResultShape {
  std::int64_t queries, k;
  bool has_wide_ids;
};

/// Where the values of an array lie. In ivecs and fvecs, the place is that of the records, with the length before each
/// row.
struct ArrayPlace {
  ArraySection::Of array;
  bool is_in_distances_file;  ///< the second one of npy
  std::uint64_t begin, size;  ///< bytes
};

/// The places of a result's arrays, in the order of the format; empty if its rows have no fixed places.
/// @param name the file's name in messages @throws Error resources, if the header cannot hold the counts.
std::vector<ArrayPlace> array_places(NeighborFormat format, const std::string& name, const ResultShape& shape);

/// Writes a whole result except the values of its arrays, which other processes write. `checksums` has the CRC-32 of
/// each array's values, in the order of array_places(). @throws Error resources.
void write_around_arrays(NeighborFormat format, ResultSinks sinks, const ResultShape& shape,
                         std::span<const std::uint32_t> checksums, const NpzExtras& extras, int threads);

/// Writes an npz, with the same bytes, to a sink that cannot be overwritten: each checksum is computed before the first
/// byte of its member is written.
void write_npz_to_stream(const Neighbors& neighbors, const NpzExtras& extras, ByteSink& sink, int threads);

}  // namespace kann::io
