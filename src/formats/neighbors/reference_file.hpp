// An earlier result, or a ground truth, that is read a block of rows at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/files/byte_source.hpp"
#include "formats/files/input.hpp"
#include "formats/neighbors/stored_rows.hpp"

namespace kann::formats {

/// Reads the files of kann::read_neighbors(), with the same refusals. A regular file takes about a megabyte of memory,
/// or a row if that is more; anything else (a pipe) is held in memory. Not to be used by several threads at once.
class ReferenceFile {
 public:
  /// Opens the file, and compares the sizes in its head with the bytes that are there. The arrays of an archive are
  /// read through for their CRC-32, and ivecs for the lengths of its rows. Blocks.
  /// @throws Error as kann::read_neighbors(); so it refuses an archive whose arrays are compressed.
  explicit ReferenceFile(const std::string& path);

  std::int64_t queries() const { return rows_.queries; }
  std::int64_t k() const { return rows_.k; }
  bool has_distances() const { return rows_.distances.has_value(); }

  /// Whether the ids are of a type that holds numbers past int32.
  bool has_wide_ids() const { return rows_.id_type != StoredIdType::int32; }

  /// The text of the array `meta` of an archive; empty if there is none, or if it is something else. Blocks.
  /// @throws Error bad_input (the array is damaged, compressed, or twice in the archive).
  std::string meta();

  /// Reads the ids of whole rows, from number `first` on, which must be there: k per row; a missing neighbour has the
  /// id k_missing_id. Blocks. @throws Error bad_input (an id is past the type of `ids`; the file shrank).
  void read_ids(std::int64_t first, std::span<std::int64_t> ids);
  void read_ids(std::int64_t first, std::span<std::int32_t> ids);

  /// Reads distances the same way. There must be some. @throws Error bad_input (the file shrank).
  void read_distances(std::int64_t first, std::span<float> distances);

 private:
  std::unique_ptr<Input> input_;
  std::unique_ptr<ByteSource> bytes_;
  bool is_archive_;
  StoredRows rows_;
};

}  // namespace kann::formats
