// A file to which several processes write at the same time, on one host or on several that share its folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/byte_sink.hpp"
#include "formats/files/descriptor.hpp"

namespace kann::formats {

/// Proves that a file is the same one. Its name does not: hosts, and containers, have folders of the same name that
/// they do not share.
using FileToken = std::array<std::byte, 16>;

FileToken random_token();

/// How a process finds the file that another has made.
struct SharedFile {
  std::string name;  ///< in messages
  std::string path;
  std::uint64_t size;  ///< the token follows these bytes
  FileToken token;
  bool keeps_old;  ///< whether it will replace a file
};

/// A file that another process has made, open for this one's bytes.
class SharedFileWriter {
 public:
  /// Returns nothing if there is no such file, if it is another one, or if it cannot be written. Blocks.
  static std::optional<SharedFileWriter> open(const SharedFile& shared);

  const std::string& name() const { return name_; }

  /// Blocks. @throws Error resources.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Brings everything to the disk and closes the file; blocks. @throws Error resources.
  void finish();

 private:
  SharedFileWriter(const SharedFile& shared, Descriptor file)
      : name_(shared.name), keeps_old_(shared.keeps_old), file_(std::move(file)) {}
  [[noreturn]] void fail(int error) const;

  std::string name_;
  bool keeps_old_;
  Descriptor file_;
};

/// Bytes with their place in a file.
struct PlacedBytes {
  std::uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Whether a process that opens the file now finds these bytes in it; false as well if it cannot be opened. Blocks.
bool has_bytes(const std::string& path, std::span<const PlacedBytes> placed);

/// A sink for consecutive bytes of a file that several processes write. Bytes in pages (of 64 KiB, the largest of usual
/// systems) that also have bytes of other processes are held back, for the process that made the file: a network file
/// system may write whole pages, and on each host these have old bytes where other hosts write.
/// Example, bytes 100,000 to 300,000: the first 31,072 and the last 37,856 are held back.
class PartSink final : public ByteSink {
 public:
  /// For the bytes [begin, end) of the file.
  PartSink(SharedFileWriter& file, std::uint64_t begin, std::uint64_t end);

  void write(std::span<const std::byte> bytes) override;
  const std::string& name() const override { return file_.name(); }

  /// Whether all bytes were written.
  bool is_complete() const { return position_ == end_; }

  /// The bytes that are held back, before and after the whole pages.
  const PlacedBytes& head() const { return head_; }
  const PlacedBytes& tail() const { return tail_; }

  /// Samples of the written bytes, to check whether they are there: up to 64 bytes of the first and of the last piece
  /// that was written to whole pages.
  const PlacedBytes& first_sample() const { return first_sample_; }
  const PlacedBytes& last_sample() const { return last_sample_; }

 private:
  SharedFileWriter& file_;
  std::uint64_t position_, end_, pages_begin_, pages_end_;
  PlacedBytes head_, tail_, first_sample_, last_sample_;
};

}  // namespace kann::formats
