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

/// Sizes and checksums precede the content, so that a reader need not seek. A sink that can be overwritten gets the
/// checksum once it is known; a pipe gets the same bytes. The same members give the
/// same bytes: all are dated 1980-01-01. Only sizes and offsets past 32 bits are stored as ZIP64.
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

  /// Begins a member whose content, `size` bytes, follows in append(); until it is complete, no other may begin. The
  /// sink must be one that can be overwritten: the checksum is put into the header once it is known. @throws Error
  /// resources.
  void open(const std::string& name, std::uint64_t size);

  /// Writes the next bytes of the member that was opened, and computes their checksum meanwhile. @throws Error
  /// resources.
  void append(std::span<const std::byte> bytes);

  /// Leaves out the next `size` bytes of the member, which another process writes; `crc` is their CRC-32.
  void skip(std::uint64_t size, std::uint32_t crc);

  /// Adds a member that begins with `head`, and has room for `size` more bytes, which fill() writes in any order of
  /// members; returns its number. The sink must be one that can be overwritten. @throws Error resources.
  std::size_t reserve(const std::string& name, std::string_view head, std::uint64_t size);

  /// Writes the next bytes of a reserved member. @throws Error resources.
  void fill(std::size_t member, std::span<const std::byte> bytes);

  /// Writes the archive's directory. No member may follow. @throws Error resources.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    std::uint64_t next = 0;  ///< in a reserved member: the place of the next byte that fill() writes
  };

  void write(std::span<const std::byte> bytes);
  void write_header(const Member& member);
  void write_checksum(const Member& member);
  void check_missing(std::uint64_t size) const;
  void add_to_member(std::uint64_t size, std::uint32_t crc);

  ByteSink& sink_;
  int threads_;
  std::uint64_t position_ = 0;
  std::vector<Member> members_;
  std::uint64_t missing_ = 0;  ///< bytes that the last member still lacks
};

}  // namespace kann::formats
