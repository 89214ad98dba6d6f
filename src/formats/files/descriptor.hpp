// A file descriptor that is closed once, and the loops around write(2), pwrite(2) and fsync(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace kann::formats {

class Descriptor {
 public:
  /// Owns `fd`; negative: no file is open.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }

  /// Closes the file, if it is open. Returns 0, or errno: a file system may report only here that bytes were lost.
  int close() noexcept;

 private:
  int fd_;
};

/// Writes all of `bytes`; blocks, even if the descriptor is non-blocking. Returns 0 or errno.
int write_all(int fd, std::span<const std::byte> bytes) noexcept;

/// Writes all of `bytes` over those of a regular file from `offset` on; blocks. Returns 0 or errno.
int overwrite_all(int fd, std::uint64_t offset, std::span<const std::byte> bytes) noexcept;

/// Fills `bytes` from `offset` on of a regular file; blocks. Returns 0 or errno: EIO if the file ends before.
int read_all(int fd, std::uint64_t offset, std::span<std::byte> bytes) noexcept;

/// fsync(2), where the file system supports it; blocks. Returns 0 or errno.
int sync_to_medium(int fd) noexcept;

}  // namespace kann::formats
