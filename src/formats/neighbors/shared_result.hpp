// What the processes that write one result tell each other, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/shared_file.hpp"
#include "formats/neighbors/binary_writer.hpp"

namespace kann::formats {

/// A result that a process has begun.
struct SharedResult {
  NeighborFormat format = {};
  ResultShape shape = {};
  std::vector<SharedFile> files;  ///< for npy, the second one has the distances
};

/// Rows that a process has written.
struct WrittenPart {
  struct Array {
    std::uint32_t checksum;  ///< CRC-32 of the part's values, head and tail included; 0 where the format has none
    PlacedBytes head, tail;  ///< bytes that the process has not written, as PartSink says
    PlacedBytes first_sample, last_sample;  ///< samples of those that it has written
  };
  std::int64_t first = 0, queries = 0;
  std::vector<Array> arrays;  ///< in the order of array_places()
};

std::vector<std::byte> packed(const SharedResult& result);
std::vector<std::byte> packed(const WrittenPart& part);

/// @throws Error internal: not bytes of packed().
SharedResult unpacked_result(std::span<const std::byte> bytes);
WrittenPart unpacked_part(std::span<const std::byte> bytes);

}  // namespace kann::formats
