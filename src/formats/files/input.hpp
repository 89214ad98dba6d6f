// A file, a FIFO or standard input, read into memory.
//
// It is read with read(2), not mapped with mmap(2): a mapped file that shrinks ends the program by SIGBUS, and reading
// 100 MB takes only 0.043 s.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "kann/array.hpp"

#include "base/host_memory.hpp"
#include "formats/files/descriptor.hpp"

namespace kann::formats {

/// Calls a function on the thread that made this object. Other threads only count, so that the function needs no lock.
/// Meant to be used every few megabytes, not for every row.
class ByteProgress {
 public:
  using Report = std::function<void(std::uint64_t done, std::uint64_t total)>;

  ByteProgress() = default;

  /// @param report may be empty
  /// @param total  bytes of the whole; 0: not known
  ByteProgress(Report report, std::uint64_t total) : report_(std::move(report)), total_(total) {}

  bool is_shown() const { return static_cast<bool>(report_); }

  /// Counts so many more bytes. Any thread may call it.
  void add(std::uint64_t bytes) { say(done_ += bytes); }

  /// Sets how many bytes are done in all. Any thread may call it.
  void set(std::uint64_t done) { say(done_ = done); }

 private:
  void say(std::uint64_t done) const {
    if (report_ && std::this_thread::get_id() == owner_) report_(done, total_);
  }

  Report report_;
  std::uint64_t total_ = 0;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> done_{0};
};

class Input {
 public:
  /// Opens `path` ("-" is standard input) and reads its head; blocks.
  /// @throws Error bad_input ("nope.ply: No such file or directory", which may suggest a near one), resources (too many
  /// open files, memory).
  explicit Input(const std::string& path);

  /// An input whose bytes are in memory, as those of an array that was decompressed; `name` is its name in messages.
  Input(std::string name, Array<char> bytes);

  /// Its name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

  /// The first 64 KiB, or the whole input if it is shorter: shows the format before a large file is read.
  std::string_view head() const { return {held(), size_}; }

  /// Reads the rest; blocks. The result holds all bytes, the head included, and lives as long as this object. Memory
  /// starts at the size of a regular file, so that nothing is copied, and grows with what is read. `check_memory` is
  /// called before it grows by 64 MiB or more, so that an endless input (a device, a pipe) is refused before it fills
  /// the memory.
  /// @throws Error bad_input (read error, the file shrank), resources (memory).
  std::string_view read_all(void (*check_memory)(double bytes, const char* what) = base::check_host_memory);

  /// For readers that need a part at a time: drops the first `used` bytes of what is held, and reads on until
  /// `capacity` bytes are held or the input ends; blocks. Returns all bytes that are held, which are valid until the
  /// next call. After it, no other members may be called but name(), is_at_end() and begin_again().
  /// @throws Error bad_input (read error, the file shrank).
  std::string_view slide(std::size_t used, std::size_t capacity);

  /// Lets slide() begin at the first byte again. False, and nothing changes, if this is no regular file.
  bool begin_again();

  /// Makes the functions that read call `report`, which may be empty, with the bytes read and expected_size(), on the
  /// calling thread.
  void report_progress(ByteProgress::Report report) { progress_.emplace(std::move(report), expected_size_); }

  /// For readers that count the bytes that they have parsed.
  ByteProgress& progress() { return *progress_; }

  /// Whether all of the input has been read.
  bool is_at_end() const { return at_end_; }

  /// Bytes of a regular file, from its position when it was opened to its end; 0 for anything else.
  std::size_t expected_size() const { return expected_size_; }

  /// Fills `into` with the bytes from `begin` on, which must lie within size(), on up to `threads` threads (as in
  /// base::copy_threads()); blocks. 100 MB take 0.02 s on two cores; through a buffer they take 0.09 s, most of it page
  /// faults.
  /// @throws Error bad_input (read error, the file shrank).
  void read_into(std::size_t begin, std::span<std::byte> into, int threads);

  /// Fills `into` with the bytes from `begin` on, which must lie within size(); blocks. Any thread may call it.
  /// @throws Error bad_input (read error, the file shrank).
  void read_range(std::size_t begin, std::span<std::byte> into) const;

  /// The number of bytes of the whole input. That of a regular file is known; anything else is read first. Blocks.
  /// @throws Error as read_all().
  std::size_t total_size();

  /// The same, once total_size() has been called.
  std::size_t size() const { return expected_size_ > 0 ? expected_size_ : size_; }

  /// Calls f(offset, bytes) for every block of at most `block` bytes of the `size` bytes from `begin` on, which
  /// total_size() has shown to be there; `offset` counts from `begin`. The calls come in any order, on up to `threads`
  /// threads (as in base::copy_threads()), each with a buffer of one block; nothing else of a regular file is held.
  /// Blocks.
  /// @throws Error bad_input (read error, the file shrank), or what f throws.
  void for_each_block(std::size_t begin, std::size_t size, std::size_t block, int threads,
                      const std::function<void(std::size_t offset, std::string_view bytes)>& f);

 private:
  const char* held() const { return memory_.empty() ? bytes_.get() : memory_.data(); }
  void grow(std::size_t capacity);
  void fill();
  std::size_t read_at(std::size_t offset, std::span<std::byte> into) const;
  [[noreturn]] void refuse_shrunk(std::size_t got) const;

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  std::string name_;
  Descriptor file_;
  std::unique_ptr<char, Free> bytes_;  // from malloc(): realloc() remaps pages, a vector would copy
  Array<char> memory_;                 // the bytes instead of these, if the input is no file
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;           // bytes held
  std::size_t dropped_ = 0;        // bytes read and no longer held
  std::size_t start_ = 0;          // offset of byte 0 in the file: standard input may be partly read
  std::size_t expected_size_ = 0;  // by fstat(2)
  bool at_end_ = false;
  std::optional<ByteProgress> progress_{std::in_place};
};

}  // namespace kann::formats
