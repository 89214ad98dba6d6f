// Bytes at any offset, of a file that is held in memory, or of which only a window is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/files/file_window.hpp"
#include "formats/files/input.hpp"

namespace kann::formats {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// The `count` bytes from `offset` on, which must be there; valid until the next call. Blocks.
  /// @throws Error bad_input (read error, the file shrank).
  virtual std::string_view at(std::uint64_t offset, std::size_t count) = 0;
};

class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::string_view at(std::uint64_t offset, std::size_t count) override { return bytes_.substr(offset, count); }

 private:
  std::string_view bytes_;
};

/// An input whose size is known, and which must outlive this object.
class BytesInFile : public ByteSource {
 public:
  explicit BytesInFile(const Input& input) : size_(input.size()), window_(input) {}
  std::uint64_t size() const override { return size_; }
  std::string_view at(std::uint64_t offset, std::size_t count) override {
    return {window_(static_cast<std::size_t>(offset), count), count};
  }

 private:
  std::uint64_t size_;
  FileWindow window_;
};

}  // namespace kann::formats
