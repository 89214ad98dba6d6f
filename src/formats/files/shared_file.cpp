#include "formats/files/shared_file.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "kann/error.hpp"

namespace kann::formats {
namespace {

constexpr std::uint64_t k_page = std::uint64_t{64} << 10;
constexpr std::size_t k_shared_chunk = std::size_t{2} << 20;  // as in AtomicFile
constexpr std::size_t k_sample = 64;

bool has_bytes_at(int fd, std::uint64_t offset, std::span<const std::byte> bytes) {
  std::vector<std::byte> there(bytes.size());
  return read_all(fd, offset, there) == 0 && std::ranges::equal(there, bytes);
}

PlacedBytes sample_of(std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto sample = bytes.first(std::min(k_sample, bytes.size()));
  return {offset, {sample.begin(), sample.end()}};
}

}  // namespace

FileToken random_token() {
  std::random_device random;
  FileToken token;
  for (std::byte& byte : token) byte = static_cast<std::byte>(random());
  return token;
}

/// The file is written through a descriptor that cannot read: so a network file system reads no page before it writes
/// to a part of it.
std::optional<SharedFileWriter> SharedFileWriter::open(const SharedFile& shared) {
  constexpr int common = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const Descriptor seen(::open(shared.path.c_str(), O_RDONLY | common));
  struct stat read {
  }, written{};
  if (!seen.is_open() || fstat(seen.get(), &read) != 0 || !S_ISREG(read.st_mode)) return std::nullopt;
  if (!has_bytes_at(seen.get(), shared.size, shared.token)) return std::nullopt;
  Descriptor file(::open(shared.path.c_str(), O_WRONLY | common));
  if (!file.is_open() || fstat(file.get(), &written) != 0) return std::nullopt;
  if (read.st_dev != written.st_dev || read.st_ino != written.st_ino) return std::nullopt;
  return SharedFileWriter(shared, std::move(file));
}

void SharedFileWriter::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto chunk = bytes.first(std::min(k_shared_chunk, bytes.size()));
    if (const int error = overwrite_all(file_.get(), offset, chunk)) fail(error);
    // A hint, so that little remains for finish(), which reports what fails.
    if (chunk.size() == k_shared_chunk)
      static_cast<void>(
          sync_file_range(file_.get(), static_cast<off_t>(offset), k_shared_chunk, SYNC_FILE_RANGE_WRITE));
    offset += chunk.size();
    bytes = bytes.subspan(chunk.size());
  }
}

void SharedFileWriter::finish() {
  if (const int error = sync_to_medium(file_.get())) fail(error);
  if (const int error = file_.close()) fail(error);
}

void SharedFileWriter::fail(int error) const {
  throw Error(ErrorKind::resources, name_ + ": " + std::strerror(error) + (keeps_old_ ? " (old file kept)" : ""));
}

bool has_bytes(const std::string& path, std::span<const PlacedBytes> placed) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() && std::ranges::all_of(placed, [&](const PlacedBytes& each) {
           return has_bytes_at(file.get(), each.offset, each.bytes);
         });
}

PartSink::PartSink(SharedFileWriter& file, std::uint64_t begin, std::uint64_t end)
    : file_(file),
      position_(begin),
      end_(end),
      pages_begin_(std::min(end, (begin + k_page - 1) / k_page * k_page)),
      pages_end_(std::max(pages_begin_, end / k_page * k_page)),
      head_{begin, {}},
      tail_{pages_end_, {}},
      first_sample_{begin, {}},
      last_sample_{begin, {}} {}

void PartSink::write(std::span<const std::byte> bytes) {
  if (bytes.size() > end_ - position_) throw Error(ErrorKind::internal, name() + ": more bytes than a part has");
  while (!bytes.empty()) {
    const bool in_head = position_ < pages_begin_, in_pages = !in_head && position_ < pages_end_;
    const std::uint64_t stop = in_head ? pages_begin_ : in_pages ? pages_end_ : end_;
    const auto piece = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), stop - position_)));
    if (in_pages) {
      file_.write(position_, piece);
      last_sample_ = sample_of(position_, piece);
      if (first_sample_.bytes.empty()) first_sample_ = last_sample_;
    } else {
      std::vector<std::byte>& held = (in_head ? head_ : tail_).bytes;
      held.insert(held.end(), piece.begin(), piece.end());
    }
    position_ += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace kann::formats
