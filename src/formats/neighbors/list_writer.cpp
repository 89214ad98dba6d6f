#include "formats/neighbors/list_writer.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "formats/numpy/npy_writer.hpp"
#include "formats/table/ordered_blocks.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {
namespace {

/// One array of an archive: its name, its header, and which bytes of a block belong to it.
struct ListArray {
  const char* name;
  std::string header;
  std::span<const std::byte> (*bytes_of)(const ListBlock&);
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

/// Writes a line for every neighbour of a block: format(line, query, rank, id, distance).
template <class Format>
void write_lines(const ListBlock& block, ByteSink& sink, int threads, Format format) {
  const auto neighbors = static_cast<std::int64_t>(block.ids.size());
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
      format(line, block.first + row, rank, block.ids[at], block.distances[at]);
    }
    return static_cast<std::size_t>(line.end() - reinterpret_cast<char*>(out));
  };
  write_blocks({(neighbors + k_lines_per_block - 1) / k_lines_per_block, k_lines_per_block * k_longest_line, make},
               sink, threads);
}

}  // namespace

void write_list_npz(const ListBlocks& lists, std::string_view meta_json, ByteSink& sink, int threads) {
  const std::int64_t neighbors = lists.begins.back();
  const ListArray arrays[] = {
      {"ids.npy", npy_header("<i4", {neighbors}), [](const ListBlock& block) { return std::as_bytes(block.ids); }},
      {"distances.npy", npy_header("<f4", {neighbors}),
       [](const ListBlock& block) { return std::as_bytes(block.distances); }}};
  const std::uint64_t size = static_cast<std::uint64_t>(neighbors) * 4;
  ZipWriter zip(sink, threads);
  const auto add = [&](const char* name, const std::string& head, std::span<const std::byte> bytes) {
    zip.add(name, head.size() + bytes.size(), [&](const auto& write) {
      write(as_bytes(head));
      write(bytes);
    });
  };
  add("indptr.npy", npy_header("<i8", {static_cast<std::int64_t>(lists.begins.size())}), std::as_bytes(lists.begins));
  if (sink.can_overwrite()) {
    std::size_t members[2];
    for (int i = 0; i < 2; ++i) members[i] = zip.reserve(arrays[i].name, arrays[i].header, size);
    lists.for_each([&](const ListBlock& block) {
      for (int i = 0; i < 2; ++i) zip.fill(members[i], arrays[i].bytes_of(block));
    });
  } else {
    for (const ListArray& array : arrays)
      zip.add(array.name, array.header.size() + size, [&](const auto& write) {
        write(as_bytes(array.header));
        lists.for_each([&](const ListBlock& block) { write(array.bytes_of(block)); });
      });
  }
  add("meta.npy", npy_text(meta_json), {});
  zip.finish();
}

void write_list_text(const ListBlocks& lists, char delimiter, ByteSink& sink, int threads) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));
  lists.for_each([&](const ListBlock& block) {
    write_lines(block, sink, threads, [delimiter](LineWriter& line, auto query, auto rank, auto id, float distance) {
      line.put(query, delimiter);
      line.put(rank, delimiter);
      line.put(id, delimiter);
      line.put(distance, '\n');
    });
  });
}

void write_matrix_market(const ListBlocks& lists, ByteSink& sink, int threads) {
  sink.write(as_bytes("%%MatrixMarket matrix coordinate real general\n" + std::to_string(lists.begins.size() - 1) +
                      ' ' + std::to_string(lists.data_points) + ' ' + std::to_string(lists.begins.back()) + '\n'));
  lists.for_each([&](const ListBlock& block) {
    write_lines(block, sink, threads, [](LineWriter& line, auto query, auto, auto id, float distance) {
      line.put(query + 1, ' ');
      line.put(std::int64_t{id} + 1, ' ');
      line.put(distance, '\n');
    });
  });
}

}  // namespace kann::formats

namespace kann {

ListBlocks one_block(const NeighborLists& lists, std::int64_t data_points) {
  return {data_points, lists.begins, [&lists](const ListBlocks::Sink& sink) {
            sink({0, lists.begins, lists.ids, lists.distances});
          }};
}

}  // namespace kann
