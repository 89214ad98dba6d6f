// The members of a ZIP archive (PKWARE's APPNOTE, ZIP64 included), as far as numpy.savez() and its kin write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kann/array.hpp"

#include "formats/files/byte_source.hpp"

namespace kann::formats {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflate
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;    ///< bytes in the archive
  std::uint64_t size = 0;          ///< bytes of the content, as the archive claims
  std::uint64_t local_header = 0;  ///< its offset
};

/// The members that the central directory lists, in its order; `file` is the archive's name in messages.
/// @throws Error bad_input: no directory at the end, one that is cut off or contradicts itself, several disks.
std::vector<ZipMember> zip_members(ByteSource& bytes, const std::string& file);

/// Where the archive holds the bytes of a member, as they are or compressed.
/// @throws Error bad_input: its own header differs from the directory, bytes are missing, it is encrypted, or it is
///         compressed by anything but deflate.
std::uint64_t stored_begin(ByteSource& bytes, const ZipMember& member, const std::string& file);

/// The content of a compressed member whose bytes begin at `begin`. The caller has checked that the memory may be taken
/// (check_expansion()). @throws Error bad_input, unless it has the size and the CRC-32 of the directory.
Array<char> decompressed_content(ByteSource& bytes, std::uint64_t begin, const ZipMember& member,
                                 const std::string& file);

/// Checks a stored member whose content begins at `begin`. @throws Error bad_input, unless it has the CRC-32 of the
/// directory.
void check_stored_content(ByteSource& bytes, std::uint64_t begin, const ZipMember& member, const std::string& file);

}  // namespace kann::formats
