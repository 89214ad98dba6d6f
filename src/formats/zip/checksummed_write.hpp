// Writes bytes while computing their CRC-32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// Writes `bytes` to `sink`, and returns the CRC-32 of the bytes before them, which have the CRC-32 `crc`, and of
/// these; blocks. The calling thread writes; a second one sums, unless `threads` is 1 (0: as many as the machine has)
/// or the bytes are few.
/// @throws Error resources.
std::uint32_t write_beside_crc32(ByteSink& sink, std::span<const std::byte> bytes, std::uint32_t crc, int threads);

}  // namespace kann::formats
