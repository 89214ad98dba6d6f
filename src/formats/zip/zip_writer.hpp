// A ZIP archive of uncompressed members, of any size (PKWARE APPNOTE.TXT 6.3.10; sections are named where used).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// Sizes and checksums precede the content, so that a reader need not seek. A sink that can be overwritten gets them
/// last; a pipe gets the same bytes. The same members give the same bytes: all are dated 1980-01-01. Only sizes and
/// offsets past 32 bits are stored as ZIP64.
class ZipWriter {
 public:
  /// Checksums are computed on up to `threads` threads, as in crc32().
  explicit ZipWriter(ByteSink& sink, int threads = 0) : sink_(sink), threads_(threads) {}

  /// Passes all of a member's content to the sink, in order, at each call.
  using Content = std::function<void(const std::function<void(std::span<const std::byte>)>& sink)>;

  /// Adds a member of `size` bytes, which begin at a multiple of 64 bytes in the archive. Copies none of them, and
  /// takes them once if the sink can be overwritten, else twice: for the checksum, then to write them.
  /// @throws Error resources, and what `content` throws.
  void add(const std::string& name, std::uint64_t size, const Content& content);

  /// Adds a member that has room for `size` bytes, which fill() writes; those of several members may come by turns.
  /// Returns its number. The sink must be one that can be overwritten. @throws Error resources.
  std::size_t reserve(const std::string& name, std::uint64_t size);

  /// Writes the next bytes of a reserved member, and computes their checksum meanwhile. @throws Error resources.
  void fill(std::size_t member, std::span<const std::byte> bytes);

  /// Where in the archive the next bytes of a reserved member go.
  std::uint64_t next_of(std::size_t member) const { return members_[member].end - members_[member].missing; }

  /// Writes the archive's directory, and what precedes the reserved members. No member may follow. @throws Error
  /// resources.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    std::uint64_t missing = 0;  ///< bytes that a reserved member still lacks
    std::uint64_t end = 0;      ///< of a reserved member, in the archive
  };

  void write(std::span<const std::byte> bytes);
  static std::string header_of(const Member& member);

  ByteSink& sink_;
  int threads_;
  std::uint64_t position_ = 0;
  std::vector<Member> members_;
};

}  // namespace kann::formats
