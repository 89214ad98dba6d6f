// The binary formats of results, which are arrays, each behind a head of its own: npz, npy, bin, ibin and fbin, and
// with the length before each row, ivecs and fvecs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/byte_sink.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {

/// Where a result goes.
struct ResultSinks {
  ByteSink& file;
  ByteSink* distances = nullptr;  ///< the second file of npy; null: there is none
};

/// One of the arrays of a result.
struct ResultArray {
  enum class Of { ids, distances, float64_distances, shifts } of;
  ByteSink* sink;
  std::string head;         ///< what precedes its rows in a file, or in a member of an archive
  std::uint64_t size;       ///< bytes of its rows
  const char* name = "";    ///< of the member
  bool has_counts = false;  ///< int32 before each row: the number of its values

  /// If the sink can be overwritten, where the rows are in it.
  std::uint64_t begin = 0;

  std::span<const std::byte> values_of(const Rows& block) const {
    return of == Of::ids                 ? block.id_bytes()
           : of == Of::distances         ? std::as_bytes(block.distances)
           : of == Of::float64_distances ? std::as_bytes(block.float64_distances)
                                         : std::as_bytes(block.shifts);
  }
};

class ArraysWriter {
 public:
  /// If the sinks can be overwritten, writes the heads, and leaves room for the rows. `sinks` must outlive this object.
  /// @param shape the rows, which are not asked for yet, but for where lists begin, which npz has first; without places
  /// and for_each, it has no rows but columns alone
  /// @param threads as in crc32() @throws Error resources (also if a head cannot hold the counts).
  ArraysWriter(NeighborFormat format, ResultSinks sinks, const RowBlocks& shape, int threads);

  /// Writes all rows, which have the shape; to be called once; blocks. Takes them once for each array, and for its
  /// checksum, unless the sinks can be overwritten. @throws Error resources, internal (fewer rows, or more), and what
  /// the rows throw.
  void write(const RowBlocks& rows);

  /// Writes what an npz has beside the rows; to be called last; blocks. @throws Error resources, and what the columns
  /// throw.
  void finish(const ResultExtras& extras);

  const std::vector<ResultArray>& arrays() const { return arrays_; }

 private:
  const std::int64_t queries_, values_;  // of an array
  const int threads_;
  std::optional<ZipWriter> zip_;
  std::vector<ResultArray> arrays_;
  std::vector<std::size_t> members_;  // of the archive: those of the arrays
  const bool has_places_;
};

}  // namespace kann::formats
