// The binary formats whose arrays lie in the file as they lie in memory: npz, npy, bin, ibin and fbin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/byte_sink.hpp"

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
};

/// Writes a whole result; only npz gets the `extras`. An npz in a stream reads the rows twice as often. `threads` is as
/// in crc32(). @throws Error resources (also if the header cannot hold the counts), and what `rows` throws.
void write_binary(NeighborFormat format, ResultSinks sinks, const RowBlocks& rows, const ResultExtras& extras,
                  int threads);

/// One of the arrays that a format has, in its order. The functions throw what the sink throws.
struct ArraySection {
  enum class Of { ids, distances } array;
  std::function<void()> begin;                             ///< writes what precedes the values
  std::function<void(std::span<const std::byte>)> append;  ///< writes the values that follow
  std::uint64_t size = 0;                                  ///< bytes of all values
  /// To be called once, in the place of append(): leaves out all values, which are in their places and whose CRC-32 is
  /// `crc`.
  std::function<void(std::uint32_t crc)> skip = {};
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

/// Writes a whole result except the values of its arrays, which are in their places. `checksums` has the CRC-32 of
/// each array's values, in the order of array_places(). @throws Error resources.
void write_around_arrays(NeighborFormat format, ResultSinks sinks, const ResultShape& shape,
                         std::span<const std::uint32_t> checksums, const ResultExtras& extras, int threads);

}  // namespace kann::formats
