#include "formats/files/descriptor.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace kann::formats {

int Descriptor::close() noexcept {
  const int fd = std::exchange(fd_, -1);
  // Linux closes the descriptor even on EINTR: a second call could close another thread's file.
  return fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
}

int write_all(int fd, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // a pipe that another program has made non-blocking
      pollfd wait{fd, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int overwrite_all(int fd, std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int read_all(int fd, std::uint64_t offset, std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t got = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    } else if (got == 0 || errno != EINTR) {
      return got == 0 ? EIO : errno;
    }
  }
  return 0;
}

int sync_to_medium(int fd) noexcept {
  while (fsync(fd) != 0) {
    if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace kann::formats
