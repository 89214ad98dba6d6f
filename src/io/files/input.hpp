// A file, a FIFO or standard input, read into memory.
//
// By read(2) and not mapped: a mapped file that shrinks ends the program by SIGBUS, and reading 100 MB costs 0.043 s.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/host_memory.hpp"
#include "io/files/descriptor.hpp"

namespace kann::io {

class Input {
 public:
  /// Opens `path` ("-" is standard input) and reads its head; blocks.
  /// @throws Error bad_input ("nope.ply: No such file or directory").
  explicit Input(const std::string& path);

  /// What messages call it: the path, or "standard input".
  const std::string& name() const { return name_; }

  /// The first 64 KiB, or all when there are fewer; enough to tell the format of a file too large to read in vain.
  std::string_view head() const { return {bytes_.get(), size_}; }

  /// Reads the rest; blocks. The result holds all bytes, head included, and lives as long as this object. Memory grows
  /// with what was read; a regular file's size is only where it starts, so that nothing is copied.
  /// `check_memory` is asked before any step that takes 64 MiB or more, so that an input without end (a device, a pipe)
  /// is refused before it has taken all there is.
  /// @throws Error bad_input (read error, the file shrank), resources (memory).
  std::string_view read_all(void (*check_memory)(double bytes, const char* what) = base::check_host_memory);

  /// Bytes of a regular file from where it was open at, head included; 0 for anything else.
  std::size_t promised() const { return promised_; }

  /// Reads the bytes from `begin` to the expected end directly to `into`, which is as long, on up to `threads` threads
  /// (as in base::copy_threads()); blocks. False if the file has grown; read_all() then reads it.
  /// @throws Error bad_input (read error, the file shrank).
  bool read_into(std::size_t begin, std::span<std::byte> into, int threads);

 private:
  void grow(std::size_t capacity);
  void fill();
  std::size_t read_at(std::size_t place, std::span<std::byte> into) const;
  [[noreturn]] void refuse_shrunk(std::size_t got) const;

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  std::string name_;
  Descriptor file_;
  std::unique_ptr<char, Free> bytes_;  // malloc'd: realloc moves pages where a vector would copy bytes
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;      // bytes read
  std::size_t start_ = 0;     // where in the file its byte 0 is: standard input may be partly read
  std::size_t promised_ = 0;  // bytes that fstat saw; 0 when it cannot know
  bool at_end_ = false;
};

/// Asks for memory that a file of `name` needs before it is taken, where it is large. @throws Error resources.
void check_large_allocation(double bytes, const std::string& name);

}  // namespace kann::io
