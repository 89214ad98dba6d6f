#include "formats/table/ordered_blocks.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/threads/copy_threads.hpp"

namespace kann::formats {
namespace {

/// Passes blocks to a sink in their order, from the threads that made them.
class OrderedWriter {
 public:
  OrderedWriter(ByteSink& sink, const Blocks& blocks) : sink_(sink), blocks_(blocks) {}

  /// To be called if a block could not be made: no more blocks are written.
  void fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
    turn_.notify_all();
  }

  /// Waits until all blocks before `block` are written, then writes `bytes`. Returns false if another block has failed.
  bool write(std::int64_t block, std::span<const std::byte> bytes) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block || has_failed_; });
    if (has_failed_) return false;
    try {
      bytes_ += bytes.size();
      sink_.expect(blocks_.expected
                       ? blocks_.expected(block + 1, bytes_)
                       : bytes_ / static_cast<std::uint64_t>(block + 1) * static_cast<std::uint64_t>(blocks_.count));
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
  const Blocks& blocks_;
  std::uint64_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::int64_t next_ = 0;
  bool has_failed_ = false;
};

using Buffers = std::vector<std::unique_ptr<std::byte[]>>;

/// `count` buffers for a block; fewer if memory is short.
Buffers allocate_buffers(std::size_t count, std::size_t size) {
  Buffers buffers;
  buffers.reserve(count);
  try {
    while (buffers.size() < count) buffers.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  } catch (const std::bad_alloc&) {
    if (buffers.empty()) throw;
  }
  return buffers;
}

}  // namespace

void write_blocks(const Blocks& blocks, ByteSink& sink, int threads) {
  const std::size_t workers = base::copy_threads(static_cast<std::size_t>(blocks.count), threads);
  const Buffers buffers = allocate_buffers(workers, blocks.maximum_size);
  OrderedWriter writer(sink, blocks);
  std::atomic<std::int64_t> next{0};
  base::on_workers(buffers.size(), [&](std::size_t worker) {
    std::byte* const bytes = buffers[worker].get();
    for (std::int64_t block; (block = next++) < blocks.count;) {
      std::size_t size = 0;
      try {
        size = blocks.make(block, bytes);
      } catch (...) {
        writer.fail();
        throw;
      }
      if (!writer.write(block, {bytes, size})) return;
    }
  });
}

}  // namespace kann::formats
