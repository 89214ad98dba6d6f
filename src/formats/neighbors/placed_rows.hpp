// Rows that are written to their places in the file of a result as they are found, before what lies around them.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/io.hpp"

#include "formats/neighbors/arrays_writer.hpp"
#include "formats/neighbors/neighbor_file.hpp"

namespace kann::formats {

class PlacedRows {
 public:
  /// For `queries` rows of k neighbours, whose ids are int32. None if rows have no fixed places in the file (text,
  /// streams), or there are no rows. Writes what precedes them.
  /// @param file nothing was written to it; must outlive this object
  /// @param threads as NeighborFile::write() has it @throws Error resources.
  static std::optional<PlacedRows> in(NeighborFile& file, std::int64_t queries, std::int64_t k, int threads = 0);

  /// Writes all rows; to be called once; blocks.
  /// @throws Error internal (fewer rows, or more), resources (as NeighborFile::write()), and what `rows` throws.
  void write(const RowBlocks& rows) { arrays_.write(rows); }

  /// Writes everything else; blocks. The bytes are then those of NeighborFile::write() with these rows.
  /// @throws Error resources.
  void finish(const ResultExtras& extras);

  /// All rows of the result, after finish(): they are read from its file, which need not have its name yet, up to
  /// `bytes` at a time. Statistics look at the ids of infinite distances alone: a block without these has no ids. This
  /// object must outlive the rows, which throw Error resources when the file cannot be read. @pre keeps_rows() of the
  /// format.
  RowBlocks written_rows(double bytes) const;

 private:
  PlacedRows(NeighborFile& file, const RowBlocks& shape, int threads);

  NeighborFile* file_;
  RowBlocks shape_;
  int threads_;
  ArraysWriter arrays_;
};

}  // namespace kann::formats
