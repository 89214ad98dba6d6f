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

#include "io/files/byte_sink.hpp"
#include "io/files/descriptor.hpp"

namespace kann::io {

/// Names are no proof: hosts have folders of the same name that they do not share, and so have containers.
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
  /// Nothing if there is no such file, it is another one, or it cannot be written. Blocks.
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

/// Whether a file has these bytes, for a process that opens it now: false as well if it cannot be opened. Blocks.
bool has_bytes(const std::string& path, std::span<const PlacedBytes> placed);

/// Consecutive bytes of a file, which one of several processes writes. What lies in a page (64 KiB, the largest of
/// usual systems) together with bytes of others is held back, for the process that made the file: a network file system
/// may write whole pages, which on each host have old bytes in the place of what other hosts write.
/// Example, bytes 100,000 to 300,000: the first 31,072 and the last 37,856 are held back.
class PartSink final : public ByteSink {
 public:
  /// Of the bytes [begin, end).
  PartSink(SharedFileWriter& file, std::uint64_t begin, std::uint64_t end);

  void write(std::span<const std::byte> bytes) override;
  const std::string& name() const override { return file_.name(); }

  /// Whether all bytes were written.
  bool is_complete() const { return position_ == end_; }

  /// What is held back: before and after the whole pages.
  const PlacedBytes& head() const { return head_; }
  const PlacedBytes& tail() const { return tail_; }

  /// Some bytes that were written, for who looks whether they are there: up to 64 of the first and of the last whole
  /// pages.
  const PlacedBytes& first_sample() const { return first_sample_; }
  const PlacedBytes& last_sample() const { return last_sample_; }

 private:
  SharedFileWriter& file_;
  std::uint64_t position_, end_, pages_begin_, pages_end_;
  PlacedBytes head_, tail_, first_sample_, last_sample_;
};

}  // namespace kann::io
