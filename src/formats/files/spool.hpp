// Many sequences of bytes in temporary files, each appended to and read back as a whole; in memory as far as there is
// some to spare.
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

#include "base/memory_budget.hpp"
#include "formats/files/descriptor.hpp"

namespace kann::formats {

/// The files have no names: nothing is left of them, however the process ends. Those that grow while the budget has
/// spare bytes are in memory, the others on the disk. The space of bytes that are taken is used again, so that a file
/// grows to the largest amount that it holds at a time. Several threads may use a spool at once, each for another
/// sequence. There are several files, since a system lets one thread at a time write to a file.
class Spool {
 public:
  /// Makes `streams` sequences, in files in `folder`; each holds back up to `chunk` bytes in memory.
  /// @param memory is charged with what the spool takes, and must outlive it; null: nothing is, and no file is in
  /// memory
  /// @throws Error resources.
  Spool(const std::string& folder, std::size_t streams, std::size_t chunk, base::MemoryBudget* memory = nullptr);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Bytes of memory of so many sequences that have `bytes` in all: a chunk that each holds back, where each chunk of
  /// the files is (8 bytes), and the lists of these places (an empty std::deque takes 576 bytes).
  static double bytes(double streams, double chunk, double bytes) {
    return streams * (chunk + k_stream_bytes) + bytes / chunk * sizeof(std::uint64_t);
  }

  /// Bytes of memory that read() and take() hold while they give parts of `part` bytes.
  static double part_bytes(double part, double chunk) { return part + chunk; }

  /// @throws Error resources ("FOLDER: temporary file: No space left on device").
  void append(std::size_t stream, std::span<const std::byte> bytes);

  /// Adds a sequence and returns its number. Any thread may call it.
  std::size_t add_stream();

  std::uint64_t size(std::size_t stream) const { return at(stream).bytes; }

  /// All bytes of a sequence, read by several threads. Blocks. @throws Error resources, std::bad_alloc.
  Array<std::byte> read(std::size_t stream, int threads) const;

  /// Calls f() with the bytes of a sequence in parts of `part` bytes, the last of which may be shorter. f() must not
  /// append to the sequence. Blocks. @throws Error resources, std::bad_alloc, and what f throws.
  void read(std::size_t stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) const;

  /// Empties a sequence, and calls f() with its bytes in parts of `part`, the last of which may be shorter. f() may
  /// append to the sequence, and is not called with the new bytes. Blocks. @throws Error resources, std::bad_alloc, and
  /// what f throws.
  void take(std::size_t stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f);

  /// Takes the first chunk off a sequence, or the bytes that are held back if it has no whole chunk; nothing if it is
  /// empty. Blocks. @throws as read().
  std::vector<std::byte> take_front(std::size_t stream);

  std::uint64_t file_bytes() const;  ///< bytes of all files on the disk, each at its largest

 private:
  static constexpr std::size_t k_files = 8;      ///< in memory, and as many on the disk
  static constexpr double k_stream_bytes = 800;  ///< of a Stream

  /// A file is opened when something is first written to it. All chunks of a stream are in one file of each kind.
  struct File {
    Descriptor descriptor{-1};
    std::uint64_t places = 0;         ///< places for chunks
    std::vector<std::uint64_t> free;  ///< places that are free
  };

  /// Where a chunk is.
  struct Place {
    std::uint64_t is_in_memory : 1;
    std::uint64_t number : 63;  ///< in its file
  };
  struct Stream {
    std::size_t file = 0;  ///< its number among the files of a kind
    std::uint64_t bytes = 0;
    std::deque<Place> chunks;     ///< of its full chunks
    std::vector<std::byte> rest;  ///< the bytes after them, not in a file
    base::MemoryCharge held;      ///< for `rest`
  };

  Stream& at(std::size_t stream);
  const Stream& at(std::size_t stream) const;
  static std::uint64_t places(std::span<const File> files);
  void charge();
  Place take_place(std::size_t file);
  bool grow_in_memory(File& file);
  void write_chunks(Stream& stream, std::span<const std::byte> chunks);
  void read_chunk(const Stream& stream, Place place, std::byte* to) const;
  File& file_of(const Stream& stream, Place place) { return (place.is_in_memory ? in_memory_ : on_disk_)[stream.file]; }
  int descriptor_of(const Stream& stream, Place place) const {
    return (place.is_in_memory ? in_memory_ : on_disk_)[stream.file].descriptor.get();
  }
  void free(const Stream& stream, Place place);
  template <class Seen>
  void give(const Stream& stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f,
            Seen seen) const;

  std::string folder_, name_;
  std::size_t chunk_;
  base::MemoryBudget* memory_;
  mutable std::shared_mutex mutex_;  // guards what follows, but not what is in a stream
  std::array<File, k_files> in_memory_, on_disk_;
  std::deque<Stream> streams_;
  base::MemoryCharge charge_;  // for the streams, the places of chunks, and files in memory
};

}  // namespace kann::formats
