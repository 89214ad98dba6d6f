// The point records of a LAZ file.
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "base/threads/copy_threads.hpp"
#include "formats/files/refusal.hpp"
#include "formats/las/laszip/laszip.hpp"
#include "formats/las/laz.hpp"
#include "formats/las/laz_chunks.hpp"
#include "formats/table/expansion.hpp"

namespace kann::formats {
namespace {

class LazRecords : public PackedRowSource {
 public:
  LazRecords(const LasHeader& header, LazEncoding encoding, std::vector<LazChunk> chunks)
      : header_(header), encoding_(std::move(encoding)), chunks_(std::move(chunks)) {}

  void for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int threads,
                      const RowBytes& f) const override {
    if (count == 0) return;
    const std::size_t begin = chunk_of(first), chunks = chunk_of(first + count - 1) - begin + 1;
    std::atomic<std::size_t> damaged{chunks};  // the first such chunk, in whatever order they are read
    input.progress().set(chunks_[begin].offset);
    base::on_threads(chunks, 1, workers(chunks, threads), [&](std::size_t i, std::size_t) {
      if (damaged < chunks) return;
      const LazChunk& chunk = chunks_[begin + i];
      if (!read_chunk(input, chunk, first, count, f)) lower_to(damaged, i);
      input.progress().add(chunk.bytes);
    });
    if (damaged == chunks) return;
    const LazChunk& chunk = chunks_[begin + damaged];
    refuse_byte(input.name(), chunk.offset,
                fmt::format("the {} compressed bytes of points {} to {} are damaged", chunk.bytes, chunk.first,
                            chunk.first + chunk.points - 1));
  }

  /// A thread has the bytes of a chunk, twice, and so has the library, once, beside some tables; and a block of
  /// records. A chunk that is begun has these bytes twice.
  double buffer_bytes(int threads) const override {
    constexpr double tables = 1 << 20;
    std::size_t most = 0;
    for (const LazChunk& chunk : chunks_) most = std::max(most, chunk.bytes);
    const auto bytes = static_cast<double>(most);
    return static_cast<double>(workers(chunks_.size(), threads)) *
               (3 * bytes + tables + static_cast<double>(block_points() * header_.record)) +
           2 * bytes + tables;
  }

 private:
  /// A chunk is decompressed from its first point on. One that a range ends in is kept for the range that goes on.
  struct Begun {
    std::uint64_t at = 0;  ///< the next point
    std::unique_ptr<LaszipReader> reader;
  };

  /// Decompressing takes more time than memory gives: more threads than for copying pay off.
  static std::size_t workers(std::size_t chunks, int threads) {
    return base::copy_threads(chunks, threads, std::numeric_limits<std::size_t>::max());
  }

  std::size_t block_points() const {
    constexpr std::size_t bytes = std::size_t{1} << 18;
    return std::max<std::size_t>(1, bytes / header_.record);
  }

  std::size_t chunk_of(std::uint64_t point) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(chunks_, point, {}, &LazChunk::first) - chunks_.begin()) -
           1;
  }

  /// Passes the points of a chunk to f() that are among `count` from `first` on. Returns whether the chunk is right.
  bool read_chunk(const Input& input, const LazChunk& chunk, std::uint64_t first, std::uint64_t count,
                  const RowBytes& f) const {
    const std::uint64_t chunk_end = chunk.first + chunk.points, end = std::min(chunk_end, first + count);
    Begun begun;
    if (const std::scoped_lock lock(mutex_); begun_.at > chunk.first && begun_.at <= std::min(first, chunk_end))
      begun = std::exchange(begun_, {});
    if (!begun.reader) {
      check_large_allocation(2 * static_cast<double>(chunk.bytes), input.name());
      Array<char> bytes(chunk.bytes);
      input.read_range(chunk.offset, std::as_writable_bytes(std::span(bytes)));
      if (!is_safe_chunk(chunk, bytes.data(), header_, encoding_)) return false;
      std::string file = chunk_file(header_, encoding_, chunk, {bytes.data(), bytes.size()});
      begun = {chunk.first,
               std::make_unique<LaszipReader>(LaszipShape{header_.format, header_.record}, std::move(file))};
    }
    Array<char> records(std::min<std::uint64_t>(block_points(), chunk.points) * header_.record);
    while (begun.at < end) {
      const bool is_before = begun.at < first;
      const std::uint64_t points = std::min<std::uint64_t>(block_points(), (is_before ? first : end) - begun.at);
      if (!begun.reader->read(static_cast<std::size_t>(points), records.data())) return false;
      if (!is_before) f(begun.at - first, static_cast<std::size_t>(points), records.data());
      begun.at += points;
    }
    if (end == chunk_end) return encoding_.compressor == LazEncoding::pointwise || begun.reader->is_at_end();
    const std::scoped_lock lock(mutex_);
    begun_ = std::move(begun);
    return true;
  }

  const LasHeader header_;
  const LazEncoding encoding_;
  const std::vector<LazChunk> chunks_;
  mutable std::mutex mutex_;
  mutable Begun begun_;
};

}  // namespace

bool has_laszip() { return true; }

std::shared_ptr<const PackedRowSource> open_laz(Input& input, const LasHeader& header, std::string& head,
                                                std::string& obstacle) {
  constexpr std::uint64_t most_points = std::uint64_t{1} << 20;
  LazEncoding encoding = parse_laz_encoding(header, head, input.name());
  std::vector<LazChunk> chunks = find_laz_chunks(input, header, encoding);
  check_expansion_ratio(input.name(), input.total_size() - header.begin, WideSize{header.points} * header.record);
  if (std::ranges::any_of(chunks, [](const LazChunk& chunk) { return chunk.points > most_points; }))
    obstacle = "LAZ whose points are compressed in one piece";
  head = decompressed_head(std::move(head));
  return std::make_shared<LazRecords>(header, std::move(encoding), std::move(chunks));
}

}  // namespace kann::formats
