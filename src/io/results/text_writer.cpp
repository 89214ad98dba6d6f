#include "io/results/text_writer.hpp"

#include <algorithm>
#include <charconv>

#include "io/results/ordered_blocks.hpp"

namespace kann::io {
namespace {

constexpr std::int64_t k_lines_per_block = 1 << 13;  // at most 672 KiB of text, which stays in a core's cache
constexpr std::int64_t k_longest_number = 20;
constexpr std::int64_t k_longest_line = 4 * (k_longest_number + 1);

/// Formats the neighbours [begin, end) of all rows in a row to `out`. Returns the end of the text.
char* format_lines(const Neighbors& neighbors, char delimiter, std::int64_t begin, std::int64_t end, char* out) {
  std::int64_t query = begin / neighbors.k, rank = begin % neighbors.k;
  const auto put = [&](auto number, char after) {
    out = std::to_chars(out, out + k_longest_number, number).ptr;
    *out++ = after;
  };
  for (std::int64_t i = begin; i < end; ++i) {
    put(query, delimiter);
    put(rank, delimiter);
    put(neighbors.ids[i], delimiter);
    put(neighbors.distances[i], '\n');
    if (++rank == neighbors.k) {
      rank = 0;
      ++query;
    }
  }
  return out;
}

}  // namespace

void write_text(const Neighbors& neighbors, char delimiter, ByteSink& sink, int threads) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));

  const auto lines = static_cast<std::int64_t>(neighbors.ids.size());
  const auto make = [&](std::int64_t block, std::byte* out) {
    char* const text = reinterpret_cast<char*>(out);
    const std::int64_t begin = block * k_lines_per_block, end = std::min(lines, begin + k_lines_per_block);
    return static_cast<std::size_t>(format_lines(neighbors, delimiter, begin, end, text) - text);
  };
  write_blocks({(lines + k_lines_per_block - 1) / k_lines_per_block, k_lines_per_block * k_longest_line, make}, sink,
               threads);
}

}  // namespace kann::io
