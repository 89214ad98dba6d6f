// The checksum of ZIP members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kann::formats {

/// Continues a CRC-32 (ISO-HDLC, as in ZIP and zlib): `crc` is that of the bytes before `bytes`, 0 if there are none.
/// Spans above 4 MiB are divided among threads, as in base::copy_threads(); blocks. One thread takes 0.032 s for 268
/// MB, a third of the time to write them.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes, int threads = 0);

/// The CRC-32 of two parts in a row, from the CRC-32 of each; the second part has `second_size` bytes.
std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

}  // namespace kann::formats
