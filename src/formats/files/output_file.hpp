// An output: a file that appears complete under its name, or a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// The file exists and may not be replaced: the work may have been done before.
class OutputExists : public Error {
 public:
  explicit OutputExists(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// The reader of a pipe on standard output has left, or standard output is closed.
class ReaderGone : public Error {
 public:
  explicit ReaderGone(const std::string& message) : Error(ErrorKind::resources, message) {}
};

/// The new file is whole under its final name, but the system failed to bring that name to the medium.
class OutputNotSynced : public Error {
 public:
  explicit OutputNotSynced(const std::string& message) : Error(ErrorKind::resources, message) {}
};

/// Created by open_output(). If it is destroyed before publish(), the target stays as it was, unless it is a stream.
class OutputFile : public ByteSink {
 public:
  /// Brings everything to the disk and closes the file; blocks. No write() follows. @throws Error resources.
  virtual void finish() = 0;

  /// Called after finish(); makes the file visible under its final name. @throws OutputExists (a file of that name has
  /// appeared and may not be replaced), OutputNotSynced, Error resources.
  virtual void publish() = 0;

  /// The path of the file that has the bytes until publish(); empty for a stream.
  virtual std::string written_path() const { return {}; }

  /// Whether written bytes go directly to their reader (a pipe, a device), without a final name.
  virtual bool is_stream() const = 0;

  /// Lets write() call `on_written` every few megabytes. May be empty.
  void report_progress(std::function<void()> on_written) { on_written_ = std::move(on_written); }

  /// The number of bytes written so far.
  std::uint64_t written() const { return written_; }

  /// The number of bytes that will be written, by the last expect(); 0 if it is not known.
  std::uint64_t expected() const { return expected_; }
  void expect(std::uint64_t bytes) override { expected_ = bytes; }

 protected:
  /// To be called by write(): counts so many more bytes.
  void count(std::size_t bytes) {
    written_ += bytes;
    if (on_written_) on_written_();
  }

 private:
  std::function<void()> on_written_;
  std::uint64_t written_ = 0, expected_ = 0;
};

/// Opens `path` for writing: as an AtomicFile, or as a stream if it is "-" (standard output), a device or a FIFO.
/// Follows symbolic links. Opening a FIFO blocks until it has a reader. Writing to standard output throws ReaderGone
/// once nobody reads it.
/// @throws OutputExists (without `replace`), Error resources (it cannot be written).
std::unique_ptr<OutputFile> open_output(const std::string& path, bool replace);

/// The target of a chain of symbolic links, whether or not it exists.
std::filesystem::path follow_links(std::filesystem::path path);

/// Refuses a path that open_output() cannot open, as far as that is known without making a file.
/// @throws Error resources.
void check_output_path(const std::string& path);

}  // namespace kann::formats
