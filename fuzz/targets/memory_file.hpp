// A file in memory that has a path with an extension of one's choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kann::fuzz {

class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set_bytes(std::span<const std::uint8_t> bytes);

  /// A path of the file that ends in `extension`, with its dot; empty: one without an extension.
  std::string path(const std::string& extension);

 private:
  int fd_;
  std::string folder_;  ///< of symbolic links to the file
};

}  // namespace kann::fuzz
