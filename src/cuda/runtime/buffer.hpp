// Device memory: stream-ordered pools, and move-only buffers from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "cuda/runtime/stream.hpp"

namespace kann::cuda {

/// Memory of the device that is current on construction. It keeps what is released for later allocations on any stream,
/// at first all of it. May be used by several threads.
class Memory {
 public:
  /// @throws Error as check().
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Gives what is released above `bytes` back to the driver, when the host next waits for the device.
  void keep(std::int64_t bytes) const noexcept;

  /// The pool; null if the device does not support memory pools.
  cudaMemPool_t handle() const { return pool_; }

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// A pool of device memory bound to one stream (cudaMallocAsync): an allocation may be used by work queued after it, a
/// release takes effect after the work queued before it, and neither waits. Counts the bytes in use.
/// If a device has no such pools, every buffer is a plain cudaMalloc.
class Pool {
 public:
  /// A pool with memory of its own. @throws Error as check().
  explicit Pool(cudaStream_t stream) : own_memory_(std::in_place), stream_(stream), pool_(own_memory_->handle()) {}

  /// A pool of `memory`, which must outlive the pool, but not the work of the stream.
  Pool(cudaStream_t stream, const Memory& memory) : stream_(stream), pool_(memory.handle()) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Null for 0 bytes. @throws Error resources, with the bytes needed, in use and free in its message.
  void* allocate(std::size_t bytes);
  void release(void* pointer, std::size_t bytes) noexcept;

  cudaStream_t stream() const { return stream_; }
  std::int64_t bytes() const { return in_use_; }
  std::int64_t peak_bytes() const { return peak_; }
  /// Bytes that the pool's memory has reserved, and that no buffer uses.
  std::int64_t unused_bytes() const;
  void reset_peak() { peak_ = in_use_; }

 private:
  std::optional<Memory> own_memory_;
  cudaStream_t stream_;
  cudaMemPool_t pool_;  // null: plain cudaMalloc
  std::int64_t in_use_ = 0;
  std::int64_t peak_ = 0;
};

/// `size` values of T in device memory, uninitialised. The pool, or the owner of the memory, must outlive it.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Pool& pool, std::int64_t size)
      : pool_(&pool),
        size_(size),
        d_data_(static_cast<T*>(pool.allocate(static_cast<std::size_t>(size) * sizeof(T)))) {}
  ~Buffer() {
    if (pool_) pool_->release(d_data_, static_cast<std::size_t>(size_) * sizeof(T));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  /// A buffer in memory that it does not own.
  static Buffer unowned(T* d_data, std::int64_t size) {
    Buffer buffer;
    buffer.size_ = size;
    buffer.d_data_ = d_data;
    return buffer;
  }

  T* data() const { return d_data_; }
  std::int64_t size() const { return size_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(size_, other.size_);
    std::swap(d_data_, other.d_data_);
  }

  Pool* pool_ = nullptr;  // null: memory of another owner, or none
  std::int64_t size_ = 0;
  T* d_data_ = nullptr;
};

}  // namespace kann::cuda
