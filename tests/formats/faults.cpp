#include "formats/faults.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kann::test {

thread_local Faults faults;

}  // namespace kann::test

namespace {

using kann::test::faults;

int fail(int error) {
  errno = error;
  return -1;
}

bool is_next_to_fail() { return faults.call_errno && faults.good_calls-- == 0; }

}  // namespace

// The program's definitions replace those of the C library.
extern "C" {

ssize_t write(int fd, const void* data, std::size_t size) {
  static thread_local int calls = 0;
  if (faults.write_errno && faults.good_writes-- <= 0) return fail(faults.write_errno);
  if (faults.partial_writes) {
    switch (calls++ % 4) {
      case 0:
        return fail(EINTR);
      case 1:
        return fail(EAGAIN);
      case 2:
        size = std::min<std::size_t>(size, 7);
    }
  }
  return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite(int fd, const void* data, std::size_t size, off_t offset) {
  static thread_local int calls = 0;
  if (faults.write_errno && faults.good_writes-- <= 0) return fail(faults.write_errno);
  if (faults.partial_writes) {
    if (calls++ % 2 == 0) return fail(EINTR);
    size = std::min<std::size_t>(size, 3);
  }
  return syscall(SYS_pwrite64, fd, data, size, offset);
}

int fsync(int fd) {
  if (faults.interruptions > 0) {
    --faults.interruptions;
    return fail(EINTR);
  }
  if (is_next_to_fail()) return fail(faults.call_errno);
  return faults.fsync_errno ? fail(faults.fsync_errno) : static_cast<int>(syscall(SYS_fsync, fd));
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  return faults.hint_errno ? fail(faults.hint_errno) : static_cast<int>(syscall(SYS_fallocate, fd, mode, offset, size));
}

int sync_file_range(int fd, off_t offset, off_t size, unsigned flags) {
  return faults.hint_errno ? fail(faults.hint_errno)
                           : static_cast<int>(syscall(SYS_sync_file_range, fd, offset, size, flags));
}

int close(int fd) {
  const int result = static_cast<int>(syscall(SYS_close, fd));
  if (is_next_to_fail()) return fail(faults.call_errno);
  return faults.close_errno ? fail(faults.close_errno) : result;
}

int fchmod(int fd, mode_t mode) noexcept {
  return faults.chmod_errno ? fail(faults.chmod_errno) : static_cast<int>(syscall(SYS_fchmod, fd, mode));
}

int rename(const char* from, const char* to) noexcept {
  if (is_next_to_fail()) return fail(faults.call_errno);
  if (faults.rename_errno) return fail(faults.rename_errno);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  if (is_next_to_fail()) return fail(faults.call_errno);
  if (faults.rename_to_new_errno) return fail(faults.rename_to_new_errno);
  return static_cast<int>(syscall(SYS_renameat2, from_fd, from, to_fd, to, flags));
}

}  // extern "C"
