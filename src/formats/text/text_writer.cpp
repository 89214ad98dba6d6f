#include "formats/text/text_writer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <variant>

#include "formats/table/ordered_blocks.hpp"

namespace kann::formats {
namespace {

constexpr std::int64_t k_lines_per_block = 1 << 13;  // at most 672 KiB of text, which stays in a core's cache
constexpr std::int64_t k_longest_value = 20;
constexpr std::int64_t k_longest_line = 4 * (k_longest_value + 1);

/// Whole rows; the first is the row of query `first`.
template <class Id>
struct WrittenRows {
  std::int64_t first, k;
  std::span<const Id> ids;
  std::span<const float> distances;
  char delimiter;

  /// Formats neighbours [begin, end), counted through all rows, to `out`. Returns the end of the text.
  char* format_lines(std::int64_t begin, std::int64_t end, char* out) const {
    std::int64_t query = first + begin / k, rank = begin % k;
    const auto put = [&](auto number, char after) {
      out = std::to_chars(out, out + k_longest_value, number).ptr;
      *out++ = after;
    };
    for (std::int64_t i = begin; i < end; ++i) {
      put(query, delimiter);
      put(rank, delimiter);
      put(ids[static_cast<std::size_t>(i)], delimiter);
      put(distances[static_cast<std::size_t>(i)], '\n');
      if (++rank == k) {
        rank = 0;
        ++query;
      }
    }
    return out;
  }

  void write(ByteSink& sink, int threads) const {
    const auto lines = static_cast<std::int64_t>(ids.size());
    const auto make = [&](std::int64_t block, std::byte* out) {
      char* const text = reinterpret_cast<char*>(out);
      const std::int64_t begin = block * k_lines_per_block, end = std::min(lines, begin + k_lines_per_block);
      return static_cast<std::size_t>(format_lines(begin, end, text) - text);
    };
    write_blocks({(lines + k_lines_per_block - 1) / k_lines_per_block, k_lines_per_block * k_longest_line, make}, sink,
                 threads);
  }
};

void write_header(char delimiter, ByteSink& sink) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));
}

}  // namespace

void write_text(const RowBlocks& rows, char delimiter, ByteSink& sink, int threads) {
  write_header(delimiter, sink);
  if (rows.k == 0) return;
  rows.for_each([&](const Rows& block) {
    std::visit(
        [&]<class Id>(std::span<const Id> ids) {
          WrittenRows<Id>{block.first, rows.k, ids, block.distances, delimiter}.write(sink, threads);
        },
        block.ids);
  });
}

}  // namespace kann::formats
