#include "formats/files/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::formats {
namespace {

constexpr std::uint64_t k_largest_place = ~std::uint64_t{0} >> 1;  // tells the compiler that 63 bits hold a place

[[noreturn]] void refuse_errno(const std::string& name, int error) {
  throw Error(ErrorKind::resources, name + ": " + std::strerror(error) + "; --temp-folder takes another folder");
}

/// Opens a new file without a name. Where the file system cannot make one, the file has a name for a moment.
Descriptor open_nameless(const std::string& folder, const std::string& name) {
  if (const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); fd >= 0) return Descriptor(fd);
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) refuse_errno(name, errno);
  std::string path = (std::filesystem::path(folder) / ".kann.spool.XXXXXX").string();
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) refuse_errno(name, errno);
  ::unlink(path.c_str());
  return Descriptor(fd);
}

}  // namespace

Spool::Spool(const std::string& folder, std::size_t streams, std::size_t chunk, base::MemoryBudget* memory)
    : folder_(folder.empty() ? "." : folder),
      name_(folder_ + ": temporary file"),
      chunk_(chunk),
      memory_(memory),
      charge_(memory, 0) {
  on_disk_[0].descriptor = open_nameless(folder_, name_);
  for (std::size_t i = 0; i < streams; ++i) add_stream();
}

Spool::~Spool() {
  if (memory_) memory_->give_spare_back(static_cast<std::int64_t>(places(in_memory_) * chunk_));
}

std::uint64_t Spool::file_bytes() const {
  const std::shared_lock lock(mutex_);
  return places(on_disk_) * chunk_;
}

/// Places for chunks in all of the files. The caller has locked the mutex.
std::uint64_t Spool::places(std::span<const File> files) {
  std::uint64_t places = 0;
  for (const File& file : files) places += file.places;
  return places;
}

void Spool::charge() {
  const std::uint64_t here = places(in_memory_);
  charge_.resize(static_cast<double>(streams_.size()) * k_stream_bytes +
                 static_cast<double>((here + places(on_disk_)) * sizeof(Place) + here * chunk_));
}

/// A place for a chunk in a file of this number. The caller has locked the mutex.
Spool::Place Spool::take_place(std::size_t number) {
  File &here = in_memory_[number], &there = on_disk_[number];
  const bool is_here = !here.free.empty() || grow_in_memory(here);
  File& file = is_here ? here : there;
  if (!file.descriptor.is_open()) file.descriptor = open_nameless(folder_, name_);
  if (file.free.empty()) file.free.push_back(file.places++);
  const std::uint64_t place = file.free.back();
  file.free.pop_back();
  return {is_here, place & k_largest_place};
}

/// Gives a file in memory another place, if there is memory to spare. The caller has locked the mutex.
bool Spool::grow_in_memory(File& file) {
  if (!memory_ || !memory_->take_spare(static_cast<std::int64_t>(chunk_))) return false;
  if (!file.descriptor.is_open()) file.descriptor = Descriptor(::memfd_create("kann", MFD_CLOEXEC));
  if (!file.descriptor.is_open()) {  // the system has no such files: it stays so
    memory_->give_spare_back(static_cast<std::int64_t>(chunk_));
    return false;
  }
  file.free.push_back(file.places++);
  return true;
}

Spool::Stream& Spool::at(std::size_t stream) {
  const std::shared_lock lock(mutex_);
  return streams_[stream];
}

const Spool::Stream& Spool::at(std::size_t stream) const {
  const std::shared_lock lock(mutex_);
  return streams_[stream];
}

std::size_t Spool::add_stream() {
  const std::unique_lock lock(mutex_);
  streams_.emplace_back().file = streams_.size() % k_files;
  charge();
  return streams_.size() - 1;
}

void Spool::append(std::size_t number, std::span<const std::byte> bytes) {
  Stream& stream = at(number);
  stream.bytes += bytes.size();
  while (!bytes.empty()) {
    std::size_t taken = bytes.size() / chunk_ * chunk_;
    if (stream.rest.empty() && taken > 0) {
      write_chunks(stream, bytes.first(taken));
    } else {
      if (stream.rest.capacity() == 0) {
        stream.rest.reserve(chunk_);  // if it grew instead, it would take up to two chunks
        stream.held = base::MemoryCharge(memory_, static_cast<double>(chunk_));
      }
      taken = std::min(bytes.size(), chunk_ - stream.rest.size());
      stream.rest.insert(stream.rest.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      if (stream.rest.size() == chunk_) {
        write_chunks(stream, stream.rest);
        stream.rest.clear();
      }
    }
    bytes = bytes.subspan(taken);
  }
}

void Spool::write_chunks(Stream& stream, std::span<const std::byte> chunks) {
  const std::size_t count = chunks.size() / chunk_;
  {
    const std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < count; ++i) stream.chunks.push_back(take_place(stream.file));
    charge();
  }
  // Chunks that follow each other in a file are written together
  auto place = stream.chunks.end() - static_cast<std::ptrdiff_t>(count);
  while (!chunks.empty()) {
    const Place first = *place++;
    std::size_t together = 1;
    for (; together * chunk_ < chunks.size() && place->is_in_memory == first.is_in_memory &&
           place->number == first.number + together;
         ++together)
      ++place;
    if (const int error =
            overwrite_all(descriptor_of(stream, first), first.number * chunk_, chunks.first(together * chunk_)))
      refuse_errno(name_, error);
    chunks = chunks.subspan(together * chunk_);
  }
}

void Spool::free(const Stream& stream, Place place) {
  const std::unique_lock lock(mutex_);
  file_of(stream, place).free.push_back(place.number);
}

void Spool::read_chunk(const Stream& stream, Place place, std::byte* to) const {
  const int error = read_all(descriptor_of(stream, place), place.number * chunk_, {to, chunk_});
  if (error) refuse_errno(name_, error);
}

Array<std::byte> Spool::read(std::size_t number, int threads) const {
  const Stream& stream = at(number);
  Array<std::byte> all(stream.bytes);
  base::parallel_chunks(std::ssize(stream.chunks), 16, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      read_chunk(stream, stream.chunks[i], all.data() + i * chunk_);
  });
  std::ranges::copy(stream.rest, all.end() - std::ssize(stream.rest));
  return all;
}

/// Calls f() with the bytes of a sequence in parts, and seen(place) for each chunk that was read.
template <class Seen>
void Spool::give(const Stream& stream, std::size_t part, const std::function<void(std::span<const std::byte>)>& f,
                 Seen seen) const {
  const auto most = static_cast<double>(std::min<std::uint64_t>(part, stream.bytes));
  const base::MemoryCharge charge(memory_, part_bytes(most, static_cast<double>(chunk_)));
  Array<std::byte> held;
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
  for (const Place place : stream.chunks) {
    const std::size_t begin = held.size();
    held.resize(begin + chunk_);
    read_chunk(stream, place, held.data() + begin);
    seen(place);
    give_held(false);
  }
  held.insert(held.end(), stream.rest.begin(), stream.rest.end());
  give_held(true);
}

void Spool::read(std::size_t number, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) const {
  give(at(number), part, f, [](Place) {});
}

void Spool::take(std::size_t number, std::size_t part, const std::function<void(std::span<const std::byte>)>& f) {
  Stream& emptied = at(number);
  const Stream stream =
      std::exchange(emptied, {.file = emptied.file, .bytes = 0, .chunks = {}, .rest = {}, .held = {}});
  give(stream, part, f, [&](Place place) { free(stream, place); });
}

std::vector<std::byte> Spool::take_front(std::size_t number) {
  Stream& stream = at(number);
  std::vector<std::byte> front;
  if (stream.chunks.empty()) {
    front = std::exchange(stream.rest, {});
    stream.held = {};
  } else {
    front.resize(chunk_);
    read_chunk(stream, stream.chunks.front(), front.data());
    free(stream, stream.chunks.front());
    stream.chunks.pop_front();
  }
  stream.bytes -= front.size();
  return front;
}

}  // namespace kann::formats
