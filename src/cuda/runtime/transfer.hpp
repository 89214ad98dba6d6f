// Copies between pageable host memory and the device, through a few pinned buffers.
//
// The driver copies pageable memory on one thread: a result of 537 MB took 0.33 s. Pinning the memory of a copy takes
// 0.07 s for 256 MB. So a few buffers are pinned once, and all copies go through them: several threads fill or empty
// them, and share the page faults of a new result, while other buffers are copied to or from the device.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// Pinned buffers of the device that is current when they are made. Transfers from several threads run one at a time.
class Staging {
 public:
  /// Pins the buffers, 32 MiB in all. If the system refuses, transfers are plain copies. @throws Error as check().
  Staging();
  /// Waits for copies that still use the buffers, which is possible after an exception.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Queues the copy of `bytes` bytes to the device on `stream`, by up to `threads` threads. Blocks until
  /// `from` has been read, but not until the copy has arrived. @throws Error as check().
  void upload(const void* from, std::size_t bytes, void* d_to, cudaStream_t stream, int threads = 0);

  /// Copies `bytes` bytes from the device, after the work queued on `stream`, by up to `threads` threads. Blocks until
  /// all bytes are at `to`.
  /// @throws Error as check().
  void download(const void* d_from, std::size_t bytes, void* to, cudaStream_t stream, int threads = 0);

 private:
  // Two per thread: one is copied while the other is filled or emptied. With slots of half that size, a download of
  // 6.4 GB takes 0.21 s instead of 0.14; with half the threads, 0.17.
  static constexpr std::size_t k_workers = 16, k_per_worker = 2, k_slots = k_workers * k_per_worker;
  static constexpr std::size_t k_slot_bytes = std::size_t{1} << 20;
  static constexpr std::size_t k_bytes_per_worker = std::size_t{2} << 20;  // fewer are not worth a thread

  struct Slot {
    std::byte* memory = nullptr;
    cudaEvent_t is_free = nullptr;  ///< happens when the last copy that uses it is done
  };

  template <class F>
  void on_slots(std::size_t bytes, int threads, F&& f);
  void release() noexcept;

  std::mutex turn_;
  void* memory_ = nullptr;  // null: the system refused pinned memory
  std::array<Slot, k_slots> slots_;
};

/// Smaller copies are plain: threads would take more time than they save.
inline constexpr std::size_t k_plain_copy_bytes = std::size_t{1} << 20;

/// Smaller copies do not make pinned buffers, which takes 9 ms, but use those that exist.
inline constexpr std::size_t k_worth_pinning_bytes = std::size_t{32} << 20;

}  // namespace kann::cuda
