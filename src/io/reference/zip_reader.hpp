// A ZIP archive of uncompressed members, as np.savez writes it (PKWARE APPNOTE.TXT 6.3.10; sections are named where
// used).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kann::io {

class ZipReader {
 public:
  /// Reads the directory of `archive`, a whole file called `file`. Both outlive this object.
  /// @throws Error bad_input, with the byte.
  ZipReader(std::string_view archive, const std::string& file);

  /// The content of the member called `name`, if there is one; its checksum is right.
  /// @throws Error bad_input (compressed or encrypted, beyond the archive, damaged, or twice in it).
  std::optional<std::string_view> member(std::string_view name) const;

 private:
  struct Entry {
    std::string_view name;
    std::uint16_t flags = 0, method = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed = 0, size = 0, offset = 0;
    std::size_t place = 0;  ///< of the entry in the archive
  };

  std::size_t read_entry(std::size_t place);

  std::string_view archive_;
  const std::string& file_;
  std::vector<Entry> entries_;
};

}  // namespace kann::io
