// Joins the rows that several processes have written to one result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/files/shared_file.hpp"
#include "formats/neighbors/binary_writer.hpp"

namespace kann::formats {

/// Bytes of the files of a result, up to the end of their last arrays.
struct FileSizes {
  std::uint64_t file = 0, distances = 0;
};

FileSizes sizes_of_arrays(std::span<const ArrayPlace> places);

/// What the processes report about their parts, taken together.
struct JoinedParts {
  std::vector<std::uint32_t> checksums;                        ///< CRC-32 of each array
  std::vector<PlacedBytes> held_back, held_back_of_distances;  ///< bytes that no process has written, per file
  std::vector<PlacedBytes> samples, samples_of_distances;      ///< samples of the written bytes, per file
};

/// @param parts packed() WrittenParts, which together have all rows in their order
/// @param name the file's name in messages
/// @throws Error internal if the parts are anything else.
JoinedParts join_parts(std::span<const ArrayPlace> places, std::int64_t queries,
                       std::span<const std::vector<std::byte>> parts, const std::string& name);

}  // namespace kann::formats
