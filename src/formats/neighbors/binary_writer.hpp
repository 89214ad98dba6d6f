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

#include "formats/files/byte_sink.hpp"
#include "formats/neighbors/arriving_arrays.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {

/// Where a result goes.
struct ResultSinks {
  ByteSink& file;
  ByteSink* distances = nullptr;  ///< the second file of npy; null: there is none
};

/// The counts of a result, which say where everything in it lies.
struct ResultShape {
  std::int64_t queries, k;
  bool has_wide_ids;

  bool operator==(const ResultShape&) const = default;
};

/// Writes one result: call write() as long as values arrive, then finish().
class BinaryWriter {
 public:
  /// Whether this class writes the format.
  static bool has(NeighborFormat format);

  /// The constructor writes nothing. `threads` is as in crc32().
  /// @throws Error resources, if the header cannot hold the counts.
  BinaryWriter(NeighborFormat format, ResultSinks sinks, const ResultShape& shape, int threads);

  BinaryWriter(const BinaryWriter&) = delete;
  BinaryWriter& operator=(const BinaryWriter&) = delete;

  const ResultShape& shape() const { return shape_; }

  /// As ArrivingArrays::write(); the sinks can be overwritten. @throws Error resources.
  void write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances);

  /// Writes the rows that write() has left, and what follows the arrays; only npz gets the `extras`. An npz in a stream
  /// reads the rows twice as often. @throws Error resources, and what `rows` throws.
  void finish(const RowBlocks& rows, const ResultExtras& extras);

 private:
  void add_arrays_to_stream(const RowBlocks& rows);

  ResultShape shape_;
  std::optional<ZipWriter> zip_;  ///< only for npz
  bool is_stream_;                ///< an npz whose checksums must precede the arrays
  ArrivingArrays arrays_;         ///< refers to zip_
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
                         std::span<const std::uint32_t> checksums, const ResultExtras& extras, int threads);

}  // namespace kann::formats
