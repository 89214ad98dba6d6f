#include "io/files/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include "kann/error.hpp"

namespace kann::io {
namespace {

[[noreturn]] void refuse(const std::string& name, int error) {
  throw Error(ErrorKind::resources, name + ": " + std::strerror(error));
}

/// A file without a name. Where the file system cannot make one, it has a name for a moment.
Descriptor open_nameless(const std::string& folder, const std::string& name) {
  if (const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); fd >= 0) return Descriptor(fd);
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) refuse(name, errno);
  std::string path = (std::filesystem::path(folder) / ".kann.spool.XXXXXX").string();
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) refuse(name, errno);
  ::unlink(path.c_str());
  return Descriptor(fd);
}

}  // namespace

Spool::Spool(const std::string& folder, std::size_t streams, std::size_t chunk)
    : name_((folder.empty() ? "." : folder) + ": temporary file"),
      file_(open_nameless(folder.empty() ? "." : folder, name_)),
      chunk_(chunk),
      streams_(streams) {}

void Spool::append(std::size_t number, std::span<const std::byte> bytes) {
  Stream& stream = streams_[number];
  stream.bytes += bytes.size();
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), chunk_ - stream.rest.size());
    stream.rest.insert(stream.rest.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (stream.rest.size() == chunk_) flush(stream);
  }
}

void Spool::flush(Stream& stream) {
  std::uint64_t place = chunks_;
  if (free_.empty()) {
    ++chunks_;
  } else {
    place = free_.back();
    free_.pop_back();
  }
  stream.chunks.push_back(place);
  if (const int error = overwrite_all(file_.get(), place * chunk_, stream.rest)) refuse(name_, error);
  stream.rest.clear();
}

void Spool::read_chunk(std::uint64_t place, std::byte* to) const {
  for (std::size_t done = 0; done < chunk_;) {
    const ssize_t got = ::pread(file_.get(), to + done, chunk_ - done, static_cast<off_t>(place * chunk_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse(name_, got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
}

std::vector<std::byte> Spool::read(std::size_t number) const {
  const Stream& stream = streams_[number];
  std::vector<std::byte> all(stream.bytes);
  std::byte* to = all.data();
  for (const std::uint64_t place : stream.chunks) {
    read_chunk(place, to);
    to += chunk_;
  }
  std::ranges::copy(stream.rest, to);
  return all;
}

/// Calls seen(place) for each chunk that was read.
template <class Seen>
void Spool::give(const Stream& stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f,
                 Seen seen) const {
  std::vector<std::byte> held;
  held.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(stream.bytes, part + chunk_)));
  const auto give_held = [&](bool is_end) {
    std::size_t given = 0;
    while (held.size() - given >= part || (is_end && given < held.size())) {
      const std::size_t size = std::min(part, held.size() - given);
      f(std::span(held).subspan(given, size));
      given += size;
    }
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(given));
  };
  for (const std::uint64_t place : stream.chunks) {
    const std::size_t begin = held.size();
    held.resize(begin + chunk_);
    read_chunk(place, held.data() + begin);
    seen(place);
    give_held(false);
  }
  held.insert(held.end(), stream.rest.begin(), stream.rest.end());
  give_held(true);
}

void Spool::read(std::size_t number, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) const {
  give(streams_[number], part, f, [](std::uint64_t) {});
}

void Spool::take(std::size_t number, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) {
  const Stream stream = std::exchange(streams_[number], {});
  give(stream, part, f, [&](std::uint64_t place) { free_.push_back(place); });
}

std::vector<std::byte> Spool::take_front(std::size_t number) {
  Stream& stream = streams_[number];
  std::vector<std::byte> front;
  if (stream.chunks.empty()) {
    front = std::exchange(stream.rest, {});
  } else {
    front.resize(chunk_);
    read_chunk(stream.chunks.front(), front.data());
    free_.push_back(stream.chunks.front());
    stream.chunks.pop_front();
  }
  stream.bytes -= front.size();
  return front;
}

}  // namespace kann::io
