// The point records of a LAZ file.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads/copy_threads.hpp"
#include "formats/files/byte_sink.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/laszip/laszip.hpp"
#include "formats/las/laz.hpp"
#include "formats/las/laz_encoding.hpp"
#include "formats/table/expansion.hpp"

namespace kann::formats {
namespace {

/// A part of a LAZ file that is decompressed by itself.
struct LazChunk {
  std::uint64_t first = 0;  ///< number of its first point
  std::uint64_t points = 0;
  std::size_t offset = 0;  ///< in the file
  std::size_t bytes = 0;
};

constexpr std::size_t k_table_place_bytes = 8;  // before the first chunk: where the table of the chunks is
constexpr std::size_t k_number_bytes = 4;       // of the number of points of a layered chunk, and of each size
constexpr std::size_t k_decoder_bytes = 4;      // with which an arithmetic decoder begins

template <class T>
T at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool begins_decoder(const char* bytes, std::size_t size) {
  return size >= k_decoder_bytes && at<std::uint32_t>(bytes) != std::numeric_limits<std::uint32_t>::max();
}

class ChunkFinder {
 public:
  ChunkFinder(Input& input, const LasHeader& header, const LazEncoding& encoding)
      : input_(input), header_(header), encoding_(encoding), size_(input.total_size()) {}

  std::vector<LazChunk> find() {
    if (header_.points == 0) return {};
    if (encoding_.compressor == LazEncoding::pointwise)
      return {{0, header_.points, header_.begin, size_ - header_.begin}};
    begin_ = header_.begin + k_table_place_bytes;
    find_table();
    return encoding_.compressor == LazEncoding::layered ? layered() : chunked();
  }

 private:
  [[noreturn]] void refuse_cut(const std::string& what) const {
    refuse(input_.name(), what + "; the file is cut or damaged");
  }

  std::string read(std::size_t offset, std::size_t bytes) const {
    std::string read(bytes, '\0');
    input_.read_range(offset, std::as_writable_bytes(std::span(read)));
    return read;
  }

  /// A writer that cannot go back writes −1, and where the table is at the end of the file.
  void find_table() {
    if (size_ < begin_ + k_table_place_bytes)
      refuse_cut(
          fmt::format("{} compressed points begin at byte {}, file holds {}", header_.points, header_.begin, size_));
    auto place = at<std::int64_t>(read(header_.begin, k_table_place_bytes).data());
    if (place == -1) place = at<std::int64_t>(read(size_ - k_table_place_bytes, k_table_place_bytes).data());
    if (place < 0 || static_cast<std::uint64_t>(place) < begin_ || static_cast<std::uint64_t>(place) + 8 > size_)
      refuse_cut(fmt::format("the table of its chunks is at byte {}, file holds {}", place, size_));
    table_ = static_cast<std::size_t>(place);
  }

  /// Each chunk says how many points it has and, for each layer, its bytes.
  std::vector<LazChunk> layered() const {
    const std::size_t sizes = encoding_.layers(), before = header_.record + k_number_bytes * (1 + sizes);
    std::vector<LazChunk> chunks;
    LazChunk chunk{0, 0, begin_, 0};
    for (; chunk.first < header_.points; chunk.first += chunk.points, chunk.offset += chunk.bytes) {
      if (table_ - chunk.offset < before) break;
      const std::string head = read(chunk.offset + header_.record, before - header_.record);
      std::uint64_t bytes = before;
      for (std::size_t i = 1; i <= sizes; ++i) bytes += at<std::uint32_t>(head.data() + k_number_bytes * i);
      chunk.points = at<std::uint32_t>(head.data());
      const std::uint64_t left = header_.points - chunk.first;
      const bool is_right = encoding_.chunk_points == LazEncoding::k_any_points
                                ? chunk.points > 0 && chunk.points <= left
                                : chunk.points == std::min<std::uint64_t>(encoding_.chunk_points, left);
      if (!is_right || bytes > table_ - chunk.offset || bytes > std::numeric_limits<std::uint32_t>::max()) break;
      chunk.bytes = static_cast<std::size_t>(bytes);
      chunks.push_back(chunk);
    }
    if (chunk.first < header_.points)
      refuse_cut(fmt::format("its chunks have {} of {} points", chunk.first, header_.points));
    return chunks;
  }

  /// All chunks but the last have as many points; where they begin is in the table, which the library decompresses.
  std::vector<LazChunk> chunked() const {
    const std::uint64_t count = (header_.points - 1) / encoding_.chunk_points + 1;
    const std::string head = read(table_, 8);
    const auto version = at<std::uint32_t>(head.data());
    const std::uint64_t tabled = at<std::uint32_t>(head.data() + 4);
    // A chunk has a point as it stands, and what a decoder begins with
    const std::size_t least = header_.record + k_decoder_bytes, held = (table_ - begin_) / least;
    if (version != 0 || tabled != count || tabled > held)
      refuse_cut(fmt::format("the table of its chunks has version {} and {} chunks, need 0 and {} (at most {} fit)",
                             version, tabled, count, held));
    constexpr std::size_t most_of_size = 16;  // a size of 32 bits takes no more, however it is compressed
    const std::string table = read(table_, std::min<std::uint64_t>(size_ - table_, 64 + most_of_size * count));
    std::vector<std::uint64_t> begins;
    if (begins_decoder(table.data() + 8, table.size() - 8)) begins = tabled_begins(table, count);
    begins.push_back(table_ - begin_);
    std::vector<LazChunk> chunks;
    for (std::size_t i = 0; i < begins.size() - 1; ++i) {
      const std::uint64_t first = i * encoding_.chunk_points;
      if (begins[i] > begins[i + 1] || begins[i + 1] > table_ - begin_ || begins[i + 1] - begins[i] < least) break;
      chunks.push_back({first, std::min<std::uint64_t>(encoding_.chunk_points, header_.points - first),
                        begin_ + static_cast<std::size_t>(begins[i]),
                        static_cast<std::size_t>(begins[i + 1] - begins[i])});
    }
    if (chunks.size() != count) refuse_cut("the table of its chunks does not say where they are");
    return chunks;
  }

  /// What the table says, relative to the first chunk. The library is told that the table is where the first chunk is,
  /// and that each chunk has one point: so point i is in chunk i.
  std::vector<std::uint64_t> tabled_begins(const std::string& table, std::uint64_t count) const {
    std::string file = plain_laz_head(header_, encoding_, 1);
    const std::uint64_t first = file.size() + k_table_place_bytes;
    append_number(file, first);
    std::vector<std::uint64_t> begins = laszip_chunks(file + table, count);
    for (std::uint64_t& begin : begins) begin -= first;  // one before the first wraps, and is too large
    return begins;
  }

  Input& input_;
  const LasHeader& header_;
  const LazEncoding& encoding_;
  const std::size_t size_;
  std::size_t begin_ = 0;  // of the first chunk
  std::size_t table_ = 0;
};

/// Finds the chunks, and checks that they are in the file and have all points. Blocks. Reads the table of the chunks,
/// or, where fields are compressed by themselves, the sizes that every chunk begins with: the table is not needed then.
/// @throws Error bad_input: the file is cut, or its chunks contradict the header.
std::vector<LazChunk> find_laz_chunks(Input& input, const LasHeader& header, const LazEncoding& encoding) {
  return ChunkFinder(input, header, encoding).find();
}

/// Whether the library can be given the bytes of a chunk. It trusts the sizes of the layers, and that the arithmetic
/// decoder does not begin with 32 bits that are 1, past which it would read and write outside of its tables.
bool is_safe_chunk(const LazChunk& chunk, const char* bytes, const LasHeader& header, const LazEncoding& encoding) {
  if (chunk.bytes < header.record) return false;
  const char* const end = bytes + chunk.bytes;
  bytes += header.record;
  const auto left = [&] { return static_cast<std::size_t>(end - bytes); };
  if (encoding.compressor != LazEncoding::layered) return begins_decoder(bytes, left());
  const std::size_t sizes = encoding.layers();
  if (left() < k_number_bytes * (1 + sizes) || at<std::uint32_t>(bytes) != chunk.points) return false;
  const char* size = bytes + k_number_bytes;
  bytes = size + k_number_bytes * sizes;
  for (std::size_t layer = 0; layer < sizes; ++layer, size += k_number_bytes) {
    const std::size_t taken = at<std::uint32_t>(size);
    if (taken == 0 && layer > 0) continue;  // a field that does not change
    if (taken > left() || !begins_decoder(bytes, taken)) return false;
    bytes += taken;
  }
  return bytes == end;
}

/// A LAZ file of this chunk alone. It has no table of the chunks, as that of a writer that was interrupted.
std::string chunk_file(const LasHeader& header, const LazEncoding& encoding, const LazChunk& chunk,
                       std::string_view bytes) {
  std::string file = plain_laz_head(header, encoding, static_cast<std::uint32_t>(chunk.points));
  if (encoding.compressor != LazEncoding::pointwise) append_number(file, static_cast<std::int64_t>(file.size()));
  return file.append(bytes);
}

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
      base::check_host_memory(2 * static_cast<double>(chunk.bytes), input.name().c_str());
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
