#include "io/input.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "io/refusal.hpp"

namespace kann {
namespace {

constexpr std::size_t k_head_bytes = std::size_t{1} << 16;
constexpr std::size_t k_unchecked_bytes = std::size_t{1} << 26;

[[noreturn]] void refuse_errno(const std::string& file) { refuse(file, std::generic_category().message(errno)); }

int open_for_reading(const std::string& path) {
  // Standard input is duplicated, so that this object closes only what it opened.
  return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// Bytes between the place a regular file is open at and its end; 0 for anything else.
std::size_t bytes_to_read(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  const off_t place = lseek(fd, 0, SEEK_CUR);
  return static_cast<std::size_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, place)));
}

}  // namespace

Input::Input(const std::string& path) : name_(path == "-" ? "standard input" : path), file_(open_for_reading(path)) {
  if (!file_.is_open()) refuse_errno(name_);
  expected_ = bytes_to_read(file_.get());
  grow(k_head_bytes);
  fill();
}

void Input::grow(std::size_t capacity) {
  char* const moved = static_cast<char*>(std::realloc(bytes_.get(), capacity));
  if (!moved) throw std::bad_alloc();
  static_cast<void>(bytes_.release());
  bytes_.reset(moved);
  capacity_ = capacity;
}

void Input::fill() {
  while (size_ < capacity_ && !at_end_) {
    const ssize_t got = read(file_.get(), bytes_.get() + size_, capacity_ - size_);
    if (got >= 0) {
      size_ += static_cast<std::size_t>(got);
      at_end_ = got == 0;
    } else if (errno == EAGAIN) {  // a pipe that another program has made non-blocking
      pollfd wait{file_.get(), POLLIN, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      refuse_errno(name_);
    }
  }
}

std::string_view Input::read_all(void (*check_memory)(double bytes, const char* what)) {
  while (!at_end_) {
    const std::size_t capacity = std::max(expected_ + 1, 2 * capacity_);  // one byte more, to meet the end at once
    const std::size_t more = capacity - capacity_;
    if (more >= k_unchecked_bytes) check_memory(static_cast<double>(more), name_.c_str());
    grow(capacity);
    fill();
  }
  if (size_ < expected_)
    refuse(name_, fmt::format("the file shrank while it was read (got {} bytes, need {})", size_, expected_));
  return {bytes_.get(), size_};
}

}  // namespace kann
