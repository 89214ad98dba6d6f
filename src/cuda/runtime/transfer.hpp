// Copies between pageable host memory and the device, by way of a few pinned buffers.
//
// From pageable memory the driver copies on one thread, and a result of 537 MB took 0.33 s. Pinning what is copied
// costs 0.07 s for 256 MB. So a few buffers are pinned once and pass everything through: some threads fill or drain
// them (and take the page faults of a fresh result between them) while the copies to and from the device context.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// Pinned buffers of the device that is current when they are made. Transfers of several threads take turns.
class Staging {
 public:
  /// Pins the buffers, 16 MiB in all. Where the system refuses, transfers go the plain way. @throws Error as check().
  Staging();
  /// Waits for copies that still use the buffers, as after an exception.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Queues the copy of `bytes` bytes to the device on `stream`. Blocks until `from` has been read, and not until the
  /// copy has arrived. @throws Error as check().
  void upload(const void* from, std::size_t bytes, void* d_to, cudaStream_t stream);

  /// Copies `bytes` bytes from the device, after the work queued on `stream`. Blocks until all are at `to`.
  /// @throws Error as check().
  void download(const void* d_from, std::size_t bytes, void* to, cudaStream_t stream);

 private:
  // Two to a thread: one is on its way while the other is filled or drained.
  static constexpr std::size_t k_workers = 8, k_per_worker = 2, k_slots = k_workers * k_per_worker;
  static constexpr std::size_t k_slot_bytes = std::size_t{1} << 20;

  struct Slot {
    std::byte* memory = nullptr;
    cudaEvent_t is_free = nullptr;  ///< happens when the last copy that uses it is done
  };

  template <class F>
  void on_slots(std::size_t bytes, F&& f);
  void release() noexcept;

  std::mutex turn_;
  void* memory_ = nullptr;  // null: the system pins none
  std::array<Slot, k_slots> slots_;
};

/// What is smaller is better copied plainly: threads would cost more than they save.
inline constexpr std::size_t k_plain_copy_bytes = std::size_t{1} << 20;

/// What is smaller is not worth pinning buffers for, which takes 5 ms; what has them uses them.
inline constexpr std::size_t k_worth_pinning_bytes = std::size_t{32} << 20;

}  // namespace kann::cuda
