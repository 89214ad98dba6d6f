// Where the rows of an earlier result, or of a ground truth, are in its file: one function per format. All compare the
// sizes that a header claims with the bytes that are there. `file` is the name in messages.
// @throws Error bad_input, std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/files/byte_source.hpp"

namespace kann::formats {

enum class StoredIdType { int32, uint32, int64, uint64 };

struct StoredRows {
  std::int64_t queries = 0, k = 0;
  StoredIdType id_type = StoredIdType::int32;
  std::uint64_t ids = 0;                        ///< offset of the first row's ids in the file
  std::uint64_t stride = 0;                     ///< bytes from the ids of a row to those of the next
  std::optional<std::uint64_t> distances = {};  ///< offset of the distances, queries × k, if there are any
  bool has_float64_distances = false;           ///< else they are float32
};

/// These formats have two uint32, the numbers of queries and of neighbours, then the ids as int32. In bin, but not in
/// ibin, the distances follow as float32.
StoredRows rows_of_bin(ByteSource& bytes, const std::string& file);
StoredRows rows_of_ibin(ByteSource& bytes, const std::string& file);

/// Each row has an int32, the number of neighbours, which is the same in all rows, and as many ids as int32.
StoredRows rows_of_ivecs(ByteSource& bytes, const std::string& file);

/// An array of ids.
StoredRows rows_of_npy(ByteSource& bytes, const std::string& file);

/// The arrays `ids` and, if there is one, `distances`; they must not be compressed, and are read through for their
/// CRC-32.
StoredRows rows_of_npz(ByteSource& bytes, const std::string& file);

/// The text of the array `meta` of an archive; empty if there is none, or if it is something else.
std::string meta_of_npz(ByteSource& bytes, const std::string& file);

}  // namespace kann::formats
