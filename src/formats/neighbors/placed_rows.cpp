#include "formats/neighbors/placed_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <utility>

#include "kann/error.hpp"
#include "kann/neighbors.hpp"

#include "base/threads/parallel.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/output_file.hpp"
#include "formats/neighbors/binary_writer.hpp"
#include "formats/vectors/vectors_writer.hpp"
#include "formats/zip/checksummed_write.hpp"

namespace kann::formats {
namespace {

/// An array of a result that is complete, to be read from its file.
class WrittenArray {
 public:
  WrittenArray(const OutputFile& file, const ArrayPlace& place)
      : begin_(place.begin), name_(file.name()), file_(::open(file.written_path().c_str(), O_RDONLY | O_CLOEXEC)) {
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

/// A sink for consecutive bytes from a place in a file on.
class PlaceSink final : public ByteSink {
 public:
  PlaceSink(OutputFile& file, std::uint64_t begin) : file_(file), position_(begin) {}

  void write(std::span<const std::byte> bytes) override {
    file_.overwrite(position_, bytes);
    position_ += bytes.size();
  }
  const std::string& name() const override { return file_.name(); }
  std::uint64_t position() const { return position_; }

 private:
  OutputFile& file_;
  std::uint64_t position_;
};

/// Writes the rows of one array.
class PlacedArray {
 public:
  PlacedArray(const ResultFiles& files, const ArrayPlace& place, std::int64_t k)
      : format_(files.format), place_(place), k_(k), sink_(files.of(place), place.begin) {}

  void append(const Rows& block, int threads) {
    const auto values = place_.array == ArraySection::Of::distances ? std::as_bytes(block.distances) : block.id_bytes();
    const auto row = static_cast<std::size_t>(k_) * sizeof(float);
    switch (format_) {
      case NeighborFormat::ivecs:
      case NeighborFormat::fvecs:
        return write_xvecs({static_cast<std::int64_t>(values.size() / row), k_, values}, sink_, threads);
      case NeighborFormat::npz:
        checksum_ = write_beside_crc32(sink_, values, checksum_, threads);
        return;
      default:
        sink_.write(values);
    }
  }

  bool is_complete() const { return sink_.position() == place_.begin + place_.size; }
  std::uint32_t checksum() const { return checksum_; }

 private:
  NeighborFormat format_;
  ArrayPlace place_;
  std::int64_t k_;
  PlaceSink sink_;
  std::uint32_t checksum_ = 0;
};

}  // namespace

std::optional<PlacedRows> PlacedRows::in(NeighborFile& file, std::int64_t queries, std::int64_t k) {
  const ResultFiles files = files_of(file);
  if (files.file.is_stream() || queries <= 0 || k <= 0) return std::nullopt;
  const ResultShape shape{queries, k, false};
  std::vector<ArrayPlace> places = array_places(files.format, files.file.name(), shape);
  if (places.empty()) return std::nullopt;
  return PlacedRows(file, shape, std::move(places));
}

void PlacedRows::write(const RowBlocks& rows, int threads) {
  const ResultFiles files = files_of(*file_);
  std::vector<PlacedArray> arrays;
  for (const ArrayPlace& place : places_) arrays.emplace_back(files, place, shape_.k);
  rows.for_each([&](const Rows& block) {
    for (PlacedArray& array : arrays) array.append(block, threads);
  });
  checksums_.clear();
  for (const PlacedArray& array : arrays) {
    if (!array.is_complete())
      throw Error(ErrorKind::internal, files.file.name() + ": not all rows of a result, or more");
    checksums_.push_back(array.checksum());
  }
}

void PlacedRows::finish(const ResultExtras& extras, int threads) {
  write_around(*file_, shape_, checksums_, extras, threads);
}

RowBlocks PlacedRows::written_rows(double bytes, int threads) const {
  const auto read = [this, bytes, threads](const RowBlocks::Sink& sink) {
    const ResultFiles files = files_of(*file_);
    const auto array = [&](ArraySection::Of of) {
      const ArrayPlace& place = *std::ranges::find(places_, of, &ArrayPlace::array);
      return WrittenArray(files.of(place), place);
    };
    const WrittenArray ids = array(ArraySection::Of::ids), distances = array(ArraySection::Of::distances);
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
