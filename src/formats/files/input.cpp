#include "formats/files/input.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "kann/array.hpp"
#include "kann/error.hpp"

#include "base/threads/copy_threads.hpp"
#include "formats/files/near_file.hpp"
#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_head_bytes = std::size_t{1} << 16;
constexpr std::size_t k_read_chunk = std::size_t{4} << 20;     // two huge pages, so that threads share the faults
constexpr std::size_t k_read_at_once = std::size_t{64} << 20;  // so that progress is reported in between

/// Whether the process or the system has too little of something, which is no fault of the file.
bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

[[noreturn]] void refuse_errno(const std::string& file) {
  const int error = errno;
  throw Error(is_shortage(error) ? ErrorKind::resources : ErrorKind::bad_input,
              fmt::format("{}: {}", file, std::generic_category().message(error)));
}

/// Refuses a file that cannot be opened, and suggests the file that may have been meant, if there is one.
[[noreturn]] void refuse_open(const std::string& path) {
  const int error = errno;
  if (error == ENOENT)
    if (const std::string near = near_file(path); !near.empty())
      refuse(path, fmt::format("{}; did you mean '{}'?", std::generic_category().message(error), near));
  errno = error;
  refuse_errno(path);
}

[[noreturn]] void refuse_folder(const std::string& path) {
  const std::string files = files_in(path);
  refuse(path, std::generic_category().message(EISDIR) +
                   (files.empty() ? "" : "; give one of its files, or, where several are taken, " + files));
}

int open_for_reading(const std::string& path) {
  // Standard input is duplicated, so that this object closes only what it opened.
  return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// The position of a regular file (read(2) moves it, pread(2) does not) and the number of bytes from there to its end;
/// zeros for anything else.
std::pair<std::size_t, std::size_t> position_and_rest(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {0, 0};
  const off_t position = std::max<off_t>(0, lseek(fd, 0, SEEK_CUR));
  return {static_cast<std::size_t>(position), static_cast<std::size_t>(std::max<off_t>(0, status.st_size - position))};
}

}  // namespace

Input::Input(const std::string& path) : name_(path == "-" ? "standard input" : path), file_(open_for_reading(path)) {
  if (!file_.is_open()) refuse_open(name_);
  std::tie(start_, expected_size_) = position_and_rest(file_.get());
  grow(k_head_bytes);
  fill();
}

Input::Input(std::string name, Array<char> bytes)
    : name_(std::move(name)), file_(-1), memory_(std::move(bytes)), size_(memory_.size()), at_end_(true) {}

void Input::grow(std::size_t capacity) {
  char* const moved = static_cast<char*>(std::realloc(bytes_.get(), capacity));
  if (!moved) throw std::bad_alloc();
  static_cast<void>(bytes_.release());
  bytes_.reset(moved);
  capacity_ = capacity;
}

void Input::fill() {
  while (size_ < capacity_ && !at_end_) {
    const ssize_t got = read(file_.get(), bytes_.get() + size_, std::min(capacity_ - size_, k_read_at_once));
    if (got >= 0) {
      size_ += static_cast<std::size_t>(got);
      at_end_ = got == 0;
      progress_->set(dropped_ + size_);
    } else if (errno == EAGAIN) {  // a pipe that another program has made non-blocking
      pollfd wait{file_.get(), POLLIN, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      if (errno == EISDIR) refuse_folder(name_);
      refuse_errno(name_);
    }
  }
}

std::string_view Input::read_all(void (*check_memory)(double bytes, const char* what)) {
  while (!at_end_) {
    const std::size_t capacity = std::max(expected_size_ + 1, 2 * capacity_);  // one byte more: shows the end
    const std::size_t more = capacity - capacity_;
    if (static_cast<double>(more) >= base::k_unchecked_bytes) check_memory(static_cast<double>(more), name_.c_str());
    grow(capacity);
    fill();
  }
  if (size_ < expected_size_) refuse_shrunk(size_);
  return head();
}

bool Input::begin_again() {
  if (expected_size_ == 0 || lseek(file_.get(), static_cast<off_t>(start_), SEEK_SET) < 0) return false;
  size_ = dropped_ = 0;
  at_end_ = false;
  return true;
}

std::string_view Input::slide(std::size_t used, std::size_t capacity) {
  std::memmove(bytes_.get(), bytes_.get() + used, size_ - used);
  size_ -= used;
  dropped_ += used;
  if (capacity_ < capacity) grow(capacity);
  fill();
  if (at_end_ && dropped_ + size_ < expected_size_) refuse_shrunk(dropped_ + size_);
  return {bytes_.get(), size_};
}

void Input::refuse_shrunk(std::size_t got) const {
  refuse(name_,
         fmt::format("the file shrank while it was read (got {}, need {})", counted(got, "byte"), expected_size_));
}

std::size_t Input::read_at(std::size_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        pread(file_.get(), into.data() + done, into.size() - done, static_cast<off_t>(start_ + offset + done));
    if (got == 0) break;
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) refuse_errno(name_);
  }
  return done;
}

void Input::read_into(std::size_t begin, std::span<std::byte> into, int threads) {
  const std::size_t of_head = std::min(size_ - std::min(size_, begin), into.size());
  if (of_head > 0) std::memcpy(into.data(), held() + begin, of_head);
  const auto rest = into.subspan(of_head);
  const std::size_t chunks = (rest.size() + k_read_chunk - 1) / k_read_chunk;
  const std::size_t workers = base::copy_threads(chunks, threads);
  progress_->set(begin + of_head);
  base::on_threads(rest.size(), k_read_chunk, workers, [&](std::size_t offset, std::size_t count) {
    if (read_at(begin + of_head + offset, rest.subspan(offset, count)) < count)
      refuse_shrunk(size_ + position_and_rest(file_.get()).second);  // the same on every thread
    progress_->add(count);
  });
}

void Input::read_range(std::size_t begin, std::span<std::byte> into) const {
  if (expected_size_ == 0) {  // total_size() has read all of it
    std::copy_n(held() + begin, into.size(), reinterpret_cast<char*>(into.data()));
    return;
  }
  if (read_at(begin, into) == into.size()) return;
  struct stat status {};
  fstat(file_.get(), &status);
  refuse_shrunk(static_cast<std::size_t>(std::max<off_t>(0, status.st_size - static_cast<off_t>(start_))));
}

std::size_t Input::total_size() { return expected_size_ > 0 ? expected_size_ : read_all().size(); }

void Input::for_each_block(std::size_t begin, std::size_t size, std::size_t block, int threads,
                           const std::function<void(std::size_t, std::string_view)>& f) {
  const std::size_t chunks = (size + block - 1) / block;
  std::atomic<std::size_t> next{0};
  progress_->set(begin);
  base::on_workers(base::copy_threads(chunks, threads), [&](std::size_t) {
    Array<char> buffer;
    try {
      for (std::size_t chunk; (chunk = next++) < chunks;) {
        const std::size_t offset = chunk * block, count = std::min(block, size - offset);
        const bool is_held = begin + offset + count <= size_;
        if (!is_held) {
          buffer.resize(count);
          if (read_at(begin + offset, std::as_writable_bytes(std::span(buffer))) < count)
            refuse_shrunk(size_ + position_and_rest(file_.get()).second);  // the same on every thread
        }
        f(offset, {is_held ? held() + begin + offset : buffer.data(), count});
        progress_->add(count);
      }
    } catch (...) {
      next = chunks;
      throw;
    }
  });
}

}  // namespace kann::formats
