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

/// Never seeks, so that the sink may be a pipe. Sizes and checksums precede the content, so that a reader need not seek
/// either. The same members give the same bytes: all are dated 1980-01-01. Only sizes and offsets past 32 bits are
/// stored as ZIP64.
class ZipWriter {
 public:
  /// Checksums are computed on up to `threads` threads, as in crc32().
  explicit ZipWriter(ByteSink& sink, int threads = 0) : sink_(sink), threads_(threads) {}

  /// Adds a member whose content is `parts` in a row. The content begins at a multiple of 64 bytes in the archive.
  /// Reads every part twice (for the checksum, then to write it) and copies none. @throws Error resources.
  void add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts);

  /// Writes the archive's directory. No add() follows. @throws Error resources.
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
  int threads_;
  std::uint64_t position_ = 0;
  std::vector<Member> members_;
};

}  // namespace kann::io
