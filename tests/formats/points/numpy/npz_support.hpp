// Shared by the tests of NPZ: archives from their parts, and deflate by hand.
#pragma once

#include <string>
#include <vector>

#include "formats/points/read_support.hpp"

namespace kann::test {

/// The CRC-32 of ZIP, bit by bit.
inline std::uint32_t plain_crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// Deflate (RFC 1951) that compresses nothing: one block of at most 65,535 bytes as they are.
inline std::string deflate_literally(const std::string& bytes) {
  const auto size = static_cast<std::uint16_t>(bytes.size());
  return "\1" + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) + bytes;
}

/// Deflate of `bytes`, each below 144, and `runs` times 258 times the last one: 13 bits per run.
inline std::string deflate_runs(const std::string& bytes, std::size_t runs) {
  std::string out;
  unsigned held = 0, bits = 0;
  const auto put = [&](unsigned value, unsigned count) {  // the lowest bit first
    held |= value << bits;
    for (bits += count; bits >= 8; bits -= 8, held >>= 8) out += static_cast<char>(held);
  };
  const auto put_code = [&](unsigned code, unsigned count) {  // of Huffman's codes, the highest
    for (unsigned i = count; i-- > 0;) put(code >> i & 1, 1);
  };
  put(1, 1);  // the last block
  put(1, 2);  // of fixed codes
  for (const char c : bytes) put_code(0x30 + static_cast<unsigned char>(c), 8);
  for (std::size_t i = 0; i < runs; ++i) {
    put_code(0xc5, 8);  // 258 bytes
    put_code(0, 5);     // from one before
  }
  put_code(0, 7);
  put(0, 7);
  return out;
}

struct ZipPart {
  std::string name;
  std::string content;
  int method = 0;
  std::string stored = "";  ///< empty: the content, or deflate_literally() of it
  bool is_64 = false;       ///< sizes in the ZIP64 field
  int flags = 0;
  std::int64_t size = -1;  ///< −1: that of the content
  std::int64_t crc = -1;
};

/// An archive as zipfile writes it; with `is_64`, its end has 64 bits, too.
inline std::string zip(const std::vector<ZipPart>& parts, bool is_64 = false, const std::string& comment = "") {
  const auto u16 = [](std::uint64_t value) { return bytes_of(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::uint64_t value) { return bytes_of(static_cast<std::uint32_t>(value)); };
  std::string bytes, directory;
  for (const ZipPart& part : parts) {
    const std::string stored = !part.stored.empty() ? part.stored
                               : part.method == 8   ? deflate_literally(part.content)
                                                    : part.content;
    const std::uint64_t size = part.size < 0 ? part.content.size() : static_cast<std::uint64_t>(part.size);
    const std::uint64_t crc = part.crc < 0 ? plain_crc32(part.content) : static_cast<std::uint64_t>(part.crc);
    const std::string extra =
        part.is_64 ? u16(1) + u16(16) + bytes_of(size) + bytes_of<std::uint64_t>(stored.size()) : "";
    const std::uint64_t hidden = 0xffffffff;
    const std::string facts = u16(part.is_64 ? 45 : 20) + u16(static_cast<std::uint64_t>(part.flags)) +
                              u16(static_cast<std::uint64_t>(part.method)) + u32(0) + u32(crc) +
                              u32(part.is_64 ? hidden : stored.size()) + u32(part.is_64 ? hidden : size) +
                              u16(part.name.size()) + u16(extra.size());
    directory += "PK\1\2" + u16(20) + facts + u16(0) + u16(0) + u16(0) + u32(0) + u32(bytes.size()) + part.name + extra;
    bytes += "PK\3\4" + facts + part.name + extra + stored;
  }
  const std::uint64_t start = bytes.size();
  bytes += directory;
  if (is_64) {
    const std::uint64_t end = bytes.size();
    bytes += "PK\6\6" + bytes_of<std::uint64_t>(44) + u16(45) + u16(45) + u32(0) + u32(0) +
             bytes_of<std::uint64_t>(parts.size()) + bytes_of<std::uint64_t>(parts.size()) +
             bytes_of<std::uint64_t>(directory.size()) + bytes_of(start);
    bytes += "PK\6\7" + u32(0) + bytes_of(end) + u32(1);
  }
  const std::uint64_t all = 0xffffffff;
  return bytes + "PK\5\6" + u16(0) + u16(0) + u16(is_64 ? 0xffff : parts.size()) + u16(is_64 ? 0xffff : parts.size()) +
         u32(is_64 ? all : directory.size()) + u32(is_64 ? all : start) + u16(comment.size()) + comment;
}

/// Fields of `type` called x, y and z, all zeros: about `bytes` of them, deflated to an eightieth.
inline std::string npz_of_zeros(std::size_t bytes, const std::string& type = "<f4") {
  const std::string field = "', '" + type + "'), ";
  const std::size_t rows = bytes / (type == "<f4" ? 12 : 3);
  const std::string header =
      npy_array("[('x" + field + "('y" + field + "('z" + field + "]", "(" + std::to_string(rows) + ",)", "");
  const auto size = static_cast<std::uint16_t>(header.size());
  const std::string deflated = std::string(1, '\0') + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) +
                               header + deflate_runs(std::string(1, '\0'), bytes / 258);
  const std::size_t claimed = header.size() + 1 + bytes / 258 * 258;
  std::string content = header;  // for its CRC-32
  content.resize(claimed, '\0');
  return zip({{.name = "points.npy", .content = std::move(content), .method = 8, .stored = deflated}});
}

}  // namespace kann::test
