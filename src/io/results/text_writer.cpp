#include "io/results/text_writer.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <omp.h>
#include <vector>

#include "base/parallel.hpp"

namespace kann::io {
namespace {

constexpr std::int64_t k_lines_per_block = 1 << 15;  // 2.6 MiB of text at most: stays in a core's cache
constexpr std::int64_t k_longest_number = 20;
constexpr std::int64_t k_longest_line = 4 * (k_longest_number + 1);

/// Formats the neighbours [begin, end), counted through all rows, to `out`. Returns the end of the text.
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

void write_text(const Neighbors& neighbors, char delimiter, ByteSink& sink) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));

  struct Block {
    std::unique_ptr<char[]> text;
    char* end = nullptr;
  };
  const std::int64_t lines = static_cast<std::int64_t>(neighbors.ids.size());
  const std::int64_t blocks_needed = (lines + k_lines_per_block - 1) / k_lines_per_block;
  const int threads = static_cast<int>(std::min<std::int64_t>(blocks_needed, base::thread_count(0)));
  std::vector<Block> blocks(threads);
  for (Block& block : blocks) block.text = std::make_unique_for_overwrite<char[]>(k_lines_per_block * k_longest_line);

  for (std::int64_t done = 0; done < lines;) {
    const std::int64_t count = std::min(lines - done, threads * k_lines_per_block);
    base::parallel_blocks(count, threads, [&](int b, std::int64_t begin, std::int64_t end) {
      blocks[b].end = format_lines(neighbors, delimiter, done + begin, done + end, blocks[b].text.get());
    });
    for (const Block& block : blocks) sink.write(std::as_bytes(std::span(block.text.get(), block.end)));
    done += count;
  }
}

}  // namespace kann::io
