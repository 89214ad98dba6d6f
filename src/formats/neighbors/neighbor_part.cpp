#include "formats/neighbors/neighbor_part.hpp"

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
#include "formats/neighbors/binary_writer.hpp"
#include "formats/vectors/vectors_writer.hpp"
#include "formats/zip/checksummed_write.hpp"

namespace kann::formats {
namespace {

/// An array of a result that is complete, to be read from its file.
class WrittenArray {
 public:
  WrittenArray(const SharedResult& result, ArraySection::Of array) {
    for (const ArrayPlace& place : array_places(result.format, "", result.shape))
      if (place.array == array) {
        const SharedFile& shared = result.files[place.is_in_distances_file];
        begin_ = place.begin;
        name_ = shared.name;
        file_ = Descriptor(::open(shared.path.c_str(), O_RDONLY | O_CLOEXEC));
      }
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

  std::uint64_t begin_ = 0;
  std::string name_;
  Descriptor file_{-1};
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

/// Writes the rows of one array.
class ArrayPart {
 public:
  ArrayPart(const SharedResult& result, const ArrayPlace& place, SharedFileWriter& file, std::int64_t first,
            std::int64_t rows)
      : array_(place.array),
        format_(result.format),
        k_(result.shape.k),
        sink_(file, place.begin + row_size(place, result) * static_cast<std::uint64_t>(first),
              place.begin + row_size(place, result) * static_cast<std::uint64_t>(first + rows)) {}

  void append(const RowBlock& block, int threads) {
    append(array_ == ArraySection::Of::distances ? std::as_bytes(block.distances) : block.id_bytes(), threads);
  }

  bool is_complete() const { return sink_.is_complete(); }
  WrittenPart::Array written() const {
    return {checksum_, sink_.head(), sink_.tail(), sink_.first_sample(), sink_.last_sample()};
  }

 private:
  static std::uint64_t row_size(const ArrayPlace& place, const SharedResult& result) {
    return place.size / static_cast<std::uint64_t>(result.shape.queries);
  }

  void append(std::span<const std::byte> values, int threads) {
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

  ArraySection::Of array_;
  NeighborFormat format_;
  std::int64_t k_;
  PartSink sink_;
  std::uint32_t checksum_ = 0;
};

void check_rows(const RowBlocks& rows, std::int64_t first, const ResultShape& shape, const std::string& name) {
  if (rows.k == shape.k && rows.has_wide_ids == shape.has_wide_ids && first >= 0 && rows.queries >= 0 &&
      first <= shape.queries - rows.queries)
    return;
  throw Error(ErrorKind::usage, name + ": " + std::to_string(rows.queries) + " rows of " + std::to_string(rows.k) +
                                    " from number " + std::to_string(first) + " on do not match " +
                                    std::to_string(shape.queries) + " queries x " + std::to_string(shape.k) +
                                    " neighbours");
}

}  // namespace

std::optional<NeighborPart> NeighborPart::open(std::span<const std::byte> shared) {
  NeighborPart part(unpacked_result(shared));
  const SharedResult& result = part.result_;
  if (result.files.size() != (result.format == NeighborFormat::npy ? 2 : 1) || result.shape.queries <= 0 ||
      result.shape.k <= 0)
    throw Error(ErrorKind::internal, "no shared result has these counts");
  for (const SharedFile& file : result.files) {
    auto opened = SharedFileWriter::open(file);
    if (!opened) return std::nullopt;
    part.files_.push_back(*std::move(opened));
  }
  return part;
}

std::vector<std::byte> NeighborPart::write(const RowBlocks& rows, std::int64_t first, int threads,
                                           const std::function<void(std::uint64_t, std::uint64_t)>& on_progress) {
  const std::string& name = result_.files.front().name;
  std::vector<SharedFileWriter> files = std::exchange(files_, {});
  if (files.empty()) throw Error(ErrorKind::internal, name + ": a part is written once");
  check_rows(rows, first, result_.shape, name);
  std::vector<ArrayPart> arrays;
  std::uint64_t total = 0, done = 0;
  for (const ArrayPlace& place : array_places(result_.format, name, result_.shape)) {
    arrays.emplace_back(result_, place, files[place.is_in_distances_file], first, rows.queries);
    total += place.size / static_cast<std::uint64_t>(result_.shape.queries) * static_cast<std::uint64_t>(rows.queries);
  }
  const auto row_bytes = rows.queries > 0 ? total / static_cast<std::uint64_t>(rows.queries) : 0;
  rows.for_each([&](const RowBlock& block) {
    for (ArrayPart& array : arrays) array.append(block, threads);
    done += row_bytes * (block.distances.size() / static_cast<std::size_t>(rows.k));
    if (on_progress) on_progress(done, total);
  });
  for (SharedFileWriter& file : files) file.finish();

  WrittenPart part{first, rows.queries, {}};
  for (const ArrayPart& array : arrays) {
    if (!array.is_complete()) throw Error(ErrorKind::internal, name + ": fewer rows than a part has");
    part.arrays.push_back(array.written());
  }
  return packed(part);
}

RowBlocks NeighborPart::written_rows(double bytes, int threads) const {
  const auto read = [this, bytes, threads](const RowBlocks::Sink& sink) {
    const ResultShape& shape = result_.shape;
    const WrittenArray ids(result_, ArraySection::Of::ids), distances(result_, ArraySection::Of::distances);
    const double row_bytes = static_cast<double>(shape.k) * (sizeof(std::int32_t) + sizeof(float));
    const auto most = static_cast<std::int64_t>(std::max(1.0, bytes / row_bytes));
    Neighbors block;
    for (std::int64_t first = 0; first < shape.queries; first += most) {
      const auto values = static_cast<std::size_t>(std::min(most, shape.queries - first) * shape.k);
      const auto place = static_cast<std::uint64_t>(first * shape.k);
      block.distances.resize(values);
      distances.read(place, std::as_writable_bytes(std::span(block.distances)), threads);
      block.ids.resize(has_infinite(block.distances, threads) ? values : 0);
      ids.read(place, std::as_writable_bytes(std::span(block.ids)), threads);
      sink({std::span<const std::int32_t>(block.ids), block.distances});
    }
  };
  return {result_.shape.queries, result_.shape.k, false, read};
}

}  // namespace kann::formats
