#include "formats/neighbors/placed_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <string>

#include "kann/error.hpp"
#include "kann/neighbors.hpp"

#include "base/threads/parallel.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"

namespace kann::formats {
namespace {

/// An array of a result that is complete, to be read from its file.
class WrittenArray {
 public:
  WrittenArray(const OutputFile& file, std::uint64_t begin)
      : begin_(begin), name_(file.name()), file_(::open(file.written_path().c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!file_.is_open()) fail(errno);
  }

  /// Fills `values`, of 4 bytes each, from value number `first` on.
  void read(std::uint64_t first, std::span<std::byte> values, int threads) const {
    constexpr std::int64_t bytes_of_thread = 1 << 20;
    base::parallel_chunks(std::ssize(values), bytes_of_thread, threads, [&](std::int64_t begin, std::int64_t end) {
      const auto part = values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      const std::uint64_t place = first * sizeof(float) + static_cast<std::uint64_t>(begin);
      if (const int error = read_all(file_.get(), begin_ + place, part)) fail(error);
    });
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(ErrorKind::resources, name_ + ": " + std::strerror(error) + " (read again for its statistics)");
  }

  std::uint64_t begin_;
  std::string name_;
  Descriptor file_;
};

bool has_infinite(std::span<const float> distances, int threads) {
  constexpr std::int64_t at_once = 1 << 18;
  std::atomic<bool> found = false;
  base::parallel_chunks(std::ssize(distances), at_once, threads, [&](std::int64_t begin, std::int64_t end) {
    const auto part = distances.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    if (std::ranges::any_of(part, [](float distance) { return std::isinf(distance); })) found = true;
  });
  return found;
}

}  // namespace

std::optional<PlacedRows> PlacedRows::in(NeighborFile& file, std::int64_t queries, std::int64_t k, int threads) {
  const NeighborFile::State& files = NeighborFile::State::of(file);
  if (files.file->is_stream() || !has_places_of_rows(files.format) || queries <= 0 || k <= 0) return std::nullopt;
  return PlacedRows(file, {.queries = queries, .k = k}, threads);
}

PlacedRows::PlacedRows(NeighborFile& file, const RowBlocks& shape, int threads)
    : file_(&file),
      shape_(shape),
      threads_(threads),
      arrays_(NeighborFile::State::of(file).format,
              {*NeighborFile::State::of(file).file, NeighborFile::State::of(file).second.get()}, shape, threads) {}

void PlacedRows::finish(const ResultExtras& extras) {
  NeighborFile::State::of(*file_).write_whole([&] { arrays_.finish(extras); });
}

RowBlocks PlacedRows::written_rows(double bytes) const {
  const auto read = [this, bytes, threads = threads_](const RowBlocks::Sink& sink) {
    const NeighborFile::State& files = NeighborFile::State::of(*file_);
    const auto array = [&](ResultArray::Of of) {
      const ResultArray& written = *std::ranges::find(arrays_.arrays(), of, &ResultArray::of);
      return WrittenArray(written.sink == files.second.get() ? *files.second : *files.file, written.begin);
    };
    const WrittenArray ids = array(ResultArray::Of::ids), distances = array(ResultArray::Of::distances);
    const double row_bytes = static_cast<double>(shape_.k) * (sizeof(std::int32_t) + sizeof(float));
    const auto most = static_cast<std::int64_t>(std::max(1.0, bytes / row_bytes));
    Neighbors block{0, shape_.k, {}, {}};
    for (std::int64_t first = 0; first < shape_.queries; first += most) {
      block.queries = std::min(most, shape_.queries - first);
      const auto values = static_cast<std::size_t>(block.queries * shape_.k);
      const auto place = static_cast<std::uint64_t>(first * shape_.k);
      block.distances.resize(values);
      distances.read(place, std::as_writable_bytes(std::span(block.distances)), threads);
      block.ids.resize(has_infinite(block.distances, threads) ? values : 0);
      ids.read(place, std::as_writable_bytes(std::span(block.ids)), threads);
      Rows rows = block;
      rows.first = first;
      sink(rows);
    }
  };
  return {shape_.queries, shape_.k, false, read};
}

}  // namespace kann::formats
