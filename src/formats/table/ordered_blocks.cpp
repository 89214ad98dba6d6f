#include "formats/table/ordered_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "base/threads/copy_threads.hpp"

namespace kann::formats {
namespace {

/// Passes blocks to a sink in their order, from the threads that made them.
class OrderedWriter {
 public:
  OrderedWriter(ByteSink& sink, double all) : sink_(sink), all_(all) {}

  /// To be called if a block could not be made: no more blocks are written.
  void fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
    turn_.notify_all();
  }

  /// Waits until all blocks before `block` are written, then writes `bytes`, after which `rows` rows are written.
  /// Returns false if another block has failed.
  bool write(std::int64_t block, std::int64_t rows, std::span<const std::byte> bytes) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block || has_failed_; });
    if (has_failed_) return false;
    try {
      bytes_ += bytes.size();
      sink_.expect(static_cast<std::uint64_t>(static_cast<double>(bytes_) / static_cast<double>(rows) * all_));
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
  const double all_;
  std::uint64_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::int64_t next_ = 0;
  bool has_failed_ = false;
};

using Buffers = std::vector<std::unique_ptr<char[]>>;

/// `count` buffers for a block; fewer if memory is short.
Buffers allocate_buffers(std::size_t count, std::size_t size) {
  Buffers buffers;
  buffers.reserve(count);
  try {
    while (buffers.size() < count) buffers.push_back(std::make_unique_for_overwrite<char[]>(size));
  } catch (const std::bad_alloc&) {
    if (buffers.empty()) throw;
  }
  return buffers;
}

}  // namespace

void write_made_rows(const MadeRows& rows, ByteSink& sink, int threads) {
  constexpr std::size_t block_bytes = std::size_t{768} << 10;  // stays in a core's cache; half takes 3 % more in CSV
  const auto per_block = static_cast<std::int64_t>(std::max<std::size_t>(1, block_bytes / rows.longest));
  const std::int64_t blocks = (rows.count + per_block - 1) / per_block;
  const std::size_t workers = base::copy_threads(static_cast<std::size_t>(blocks), threads);
  const Buffers buffers = allocate_buffers(workers, static_cast<std::size_t>(per_block) * rows.longest);
  OrderedWriter writer(sink, static_cast<double>(rows.all));
  std::atomic<std::int64_t> next{0};
  base::on_workers(buffers.size(), [&](std::size_t worker) {
    char* const bytes = buffers[worker].get();
    for (std::int64_t block; (block = next++) < blocks;) {
      const std::int64_t begin = block * per_block, end = std::min(rows.count, begin + per_block);
      std::string_view made;
      try {
        made = {bytes, rows.make(begin, end, bytes)};
      } catch (...) {
        writer.fail();
        throw;
      }
      if (!writer.write(block, end, as_bytes(made))) return;
    }
  });
}

}  // namespace kann::formats
