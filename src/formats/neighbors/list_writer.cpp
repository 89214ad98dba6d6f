#include "formats/neighbors/list_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>

#include "formats/neighbors/npz_extras.hpp"
#include "formats/numpy/npy_writer.hpp"
#include "formats/table/ordered_blocks.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {
namespace {

/// One array of an archive: its name, its header, how many bytes follow, and which of a block are among them.
struct ListArray {
  const char* name;
  std::string header;
  std::uint64_t size;
  std::span<const std::byte> (*bytes_of)(const Rows&);
};

constexpr std::int64_t k_lines_per_block = 1 << 13;
constexpr std::int64_t k_longest_value = 20;
constexpr std::int64_t k_longest_line = 4 * (k_longest_value + 1);

/// Writes text to a buffer.
class LineWriter {
 public:
  explicit LineWriter(char* out) : out_(out) {}

  template <class T>
  void put(T number, char after) {
    out_ = std::to_chars(out_, out_ + k_longest_value, number).ptr;
    *out_++ = after;
  }
  char* end() const { return out_; }

 private:
  char* out_;
};

/// Writes a line for every neighbour of a block, whose ids are `ids`: format(line, query, rank, id, distance).
template <class Id, class Format>
void write_lines(const Rows& block, std::span<const Id> ids, ByteSink& sink, int threads, Format format) {
  const std::int64_t neighbors = std::ssize(block.distances);
  const std::int64_t before = block.begins.front();
  const auto make = [&](std::int64_t number, std::byte* out) {
    const std::int64_t begin = number * k_lines_per_block, end = std::min(neighbors, begin + k_lines_per_block);
    LineWriter line(reinterpret_cast<char*>(out));
    // The row of the first neighbour: the last that does not begin after it
    auto row = std::upper_bound(block.begins.begin(), block.begins.end(), before + begin) - block.begins.begin() - 1;
    for (std::int64_t i = begin; i < end; ++i) {
      while (before + i >= block.begins[static_cast<std::size_t>(row + 1)]) ++row;
      const std::int64_t rank = before + i - block.begins[static_cast<std::size_t>(row)];
      const auto at = static_cast<std::size_t>(i);
      format(line, block.first + row, rank, std::int64_t{ids[at]}, block.distances[at]);
    }
    return static_cast<std::size_t>(line.end() - reinterpret_cast<char*>(out));
  };
  write_blocks({(neighbors + k_lines_per_block - 1) / k_lines_per_block, k_lines_per_block * k_longest_line, make},
               sink, threads);
}

template <class Format>
void write_lines(const RowBlocks& rows, ByteSink& sink, int threads, Format format) {
  rows.for_each([&](const Rows& block) {
    std::visit([&](const auto& ids) { write_lines(block, ids, sink, threads, format); }, block.ids);
  });
}

}  // namespace

void write_list_npz(const RowBlocks& rows, const ResultExtras& extras, ByteSink& sink, int threads) {
  const auto neighbors = static_cast<std::uint64_t>(rows.lists->neighbors);
  const ListArray arrays[] = {{"ids.npy", npy_header(rows.has_wide_ids ? "<i8" : "<i4", {rows.lists->neighbors}),
                               neighbors * (rows.has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t)),
                               [](const Rows& block) { return block.id_bytes(); }},
                              {"distances.npy", npy_header("<f4", {rows.lists->neighbors}), neighbors * sizeof(float),
                               [](const Rows& block) { return std::as_bytes(block.distances); }}};
  ZipWriter zip(sink, threads);
  const std::string begins = npy_header("<i8", {rows.queries + 1});
  zip.add("indptr.npy", begins.size() + static_cast<std::uint64_t>(rows.queries + 1) * sizeof(std::int64_t),
          [&](const auto& write) {
            write(as_bytes(begins));
            rows.lists->for_each_begins([&](std::span<const std::int64_t> some) { write(std::as_bytes(some)); });
          });
  if (sink.can_overwrite()) {
    std::size_t members[2];
    for (int i = 0; i < 2; ++i) members[i] = zip.reserve(arrays[i].name, arrays[i].header, arrays[i].size);
    rows.for_each([&](const Rows& block) {
      for (int i = 0; i < 2; ++i) zip.fill(members[i], arrays[i].bytes_of(block));
    });
  } else {
    for (const ListArray& array : arrays)
      zip.add(array.name, array.header.size() + array.size, [&](const auto& write) {
        write(as_bytes(array.header));
        rows.for_each([&](const Rows& block) { write(array.bytes_of(block)); });
      });
  }
  finish_npz(zip, rows.queries, extras);
}

void write_list_text(const RowBlocks& rows, char delimiter, ByteSink& sink, int threads) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));
  write_lines(rows, sink, threads, [delimiter](LineWriter& line, auto query, auto rank, auto id, float distance) {
    line.put(query, delimiter);
    line.put(rank, delimiter);
    line.put(id, delimiter);
    line.put(distance, '\n');
  });
}

void write_matrix_market(const RowBlocks& rows, ByteSink& sink, int threads) {
  sink.write(as_bytes("%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows.queries) + ' ' +
                      std::to_string(rows.lists->data_points) + ' ' + std::to_string(rows.lists->neighbors) + '\n'));
  write_lines(rows, sink, threads, [](LineWriter& line, auto query, auto, auto id, float distance) {
    line.put(query + 1, ' ');
    line.put(id + 1, ' ');
    line.put(distance, '\n');
  });
}

}  // namespace kann::formats

namespace kann {

RowBlocks one_block(const NeighborLists& lists, std::int64_t data_points) {
  return {.queries = lists.queries(),
          .for_each = [&lists](const RowBlocks::Sink& sink) { sink(lists); },
          .lists = {{data_points, lists.neighbors(), [&lists](const auto& sink) { sink(lists.begins); }}}};
}

}  // namespace kann
