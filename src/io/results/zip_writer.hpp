// A ZIP archive of uncompressed members, of any size (PKWARE APPNOTE.TXT 6.3.10; sections are named where used).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// Writes forward only, so that the sink may be a pipe; sizes and checksums are known before, so that no reader needs
/// to look ahead either. The same members give the same bytes: all are dated 1980-01-01. Sizes and offsets past 32
/// bits are stored as ZIP64 asks; below, the archive is a plain one.
class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}

  /// Adds a member whose content is `parts`, one after the other. The content begins at a multiple of 64 bytes of the
  /// archive. Reads every part twice (checksum, on a few threads, then write) and copies none.
  /// @throws Error resources.
  void add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts);

  /// Writes the directory; the last call. @throws Error resources.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  void write(std::span<const std::byte> bytes);

  ByteSink& sink_;
  std::uint64_t position_ = 0;
  std::vector<Member> members_;
};

}  // namespace kann::io
