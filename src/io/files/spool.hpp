// Many sequences of bytes in temporary files, each appended to and read back as a whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "kann/array.hpp"

#include "io/files/descriptor.hpp"

namespace kann::io {

/// The files have no names: nothing is left of them, however the process ends. What is taken is given back to its file:
/// it grows to the largest amount held at a time. Several threads may use it at once, each another sequence; they
/// write to several files, since a system lets one thread write to a file at a time.
class Spool {
 public:
  /// `streams` sequences, in files in `folder`; each holds back up to `chunk` bytes in memory.
  /// @throws Error resources.
  Spool(const std::string& folder, std::size_t streams, std::size_t chunk);

  /// @throws Error resources ("FOLDER: temporary file: No space left on device").
  void append(std::size_t stream, std::span<const std::byte> bytes);

  /// Another sequence; returns its number. Any thread may call it.
  std::size_t add_stream();

  std::uint64_t size(std::size_t stream) const { return at(stream).bytes; }

  /// All bytes of a sequence, read by several threads. Blocks. @throws Error resources, std::bad_alloc.
  Array<std::byte> read(std::size_t stream, int threads) const;

  /// The same in parts of `part` bytes, the last of which may be shorter. f() must not append to it.
  void read(std::size_t stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) const;

  /// Empties a sequence, and calls f() with its bytes in parts of `part`, the last of which may be shorter. f() may
  /// append to it, and is not called for that. Blocks. @throws Error resources, std::bad_alloc, and what f throws.
  void take(std::size_t stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f);

  /// Takes a part off the front of a sequence: the bytes that are held back together, nothing if it is empty. Blocks.
  /// @throws as read().
  std::vector<std::byte> take_front(std::size_t stream);

  std::uint64_t file_bytes() const;  ///< of the files, each at its largest

 private:
  static constexpr std::size_t k_files = 8;

  /// Opened when something is written to it. Of a stream, all is in one.
  struct File {
    Descriptor descriptor{-1};
    std::uint64_t places = 0;         ///< of chunks
    std::vector<std::uint64_t> free;  ///< among them
  };
  struct Stream {
    std::size_t file = 0;
    std::uint64_t bytes = 0;
    std::deque<std::uint64_t> chunks;  ///< in the file, full
    std::vector<std::byte> rest;       ///< in memory
  };

  Stream& at(std::size_t stream);
  const Stream& at(std::size_t stream) const;
  void write_chunks(Stream& stream, std::span<const std::byte> chunks);
  void read_chunk(const Stream& stream, std::uint64_t place, std::byte* to) const;
  void free(const Stream& stream, std::uint64_t place);
  template <class Seen>
  void give(const Stream& stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f,
            Seen seen) const;

  std::string folder_, name_;
  std::size_t chunk_;
  mutable std::shared_mutex mutex_;  // of what follows, but not of what is in a stream
  std::array<File, k_files> files_;
  std::deque<Stream> streams_;
};

}  // namespace kann::io
