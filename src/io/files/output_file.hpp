// A target for results: a file that appears whole under its name, or a stream.
#pragma once

#include <memory>
#include <string>

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// Made by open_output(). Destroyed before publish(), it leaves the target as it was (a stream keeps what it got).
class OutputFile : public ByteSink {
 public:
  /// Brings all that was written to the medium; blocks. No write() follows. @throws Error resources.
  virtual void finish() = 0;

  /// After finish(): makes the file visible under its final name. @throws Error usage (a file of that name has
  /// appeared and may not be replaced), resources.
  virtual void publish() = 0;

  /// Whether bytes are on their way as soon as they are written, to somewhere without a name of its own.
  virtual bool is_stream() const = 0;
};

/// Opens `path` for writing: an AtomicFile, or, for "-" (standard output) and what is no regular file (a device, a
/// FIFO), the thing itself. A symbolic link stands for the file that it leads to. Opening a FIFO blocks until it has a
/// reader.
/// @throws Error usage (the file exists and not `replace`), resources (it cannot be written).
std::unique_ptr<OutputFile> open_output(const std::string& path, bool replace);

}  // namespace kann::io
