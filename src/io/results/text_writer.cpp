#include "io/results/text_writer.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/copy_threads.hpp"

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

/// Passes blocks to a sink in their order, from the threads that made them.
class OrderedWriter {
 public:
  explicit OrderedWriter(ByteSink& sink) : sink_(sink) {}

  /// Waits until all blocks before `block` are written, then writes `bytes`. False if the sink has failed.
  bool write(std::int64_t block, std::span<const std::byte> bytes) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block || has_failed_; });
    if (has_failed_) return false;
    try {
      sink_.write(bytes);
    } catch (...) {
      has_failed_ = true;
      turn_.notify_all();
      throw;
    }
    ++next_;
    turn_.notify_all();
    return true;
  }

 private:
  ByteSink& sink_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::int64_t next_ = 0;
  bool has_failed_ = false;
};

using Buffers = std::vector<std::unique_ptr<char[]>>;

/// `count` buffers for a block's text; fewer if memory is short.
Buffers allocate_buffers(std::size_t count) {
  Buffers buffers;
  buffers.reserve(count);
  try {
    while (buffers.size() < count)
      buffers.push_back(std::make_unique_for_overwrite<char[]>(k_lines_per_block * k_longest_line));
  } catch (const std::bad_alloc&) {
    if (buffers.empty()) throw;
  }
  return buffers;
}

}  // namespace

void write_text(const Neighbors& neighbors, char delimiter, ByteSink& sink, int threads) {
  std::string header = "query,rank,id,distance\n";
  std::replace(header.begin(), header.end(), ',', delimiter);
  sink.write(as_bytes(header));

  const auto lines = static_cast<std::int64_t>(neighbors.ids.size());
  const std::int64_t blocks = (lines + k_lines_per_block - 1) / k_lines_per_block;
  const Buffers buffers = allocate_buffers(base::copy_threads(static_cast<std::size_t>(blocks), threads));
  OrderedWriter writer(sink);
  std::atomic<std::int64_t> next{0};
  base::on_workers(buffers.size(), [&](std::size_t worker) {
    char* const text = buffers[worker].get();
    for (std::int64_t block; (block = next++) < blocks;) {
      const std::int64_t begin = block * k_lines_per_block, end = std::min(lines, begin + k_lines_per_block);
      const char* const text_end = format_lines(neighbors, delimiter, begin, end, text);
      if (!writer.write(block, std::as_bytes(std::span<const char>(text, text_end)))) return;
    }
  });
}

}  // namespace kann::io
