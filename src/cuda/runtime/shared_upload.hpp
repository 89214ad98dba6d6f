// One upload of the data for several devices: each takes a part of them over its own bus, and copies the other parts
// from the other devices, which is ten times as fast.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

class SharedUpload {
 public:
  /// For threads that work with one of `devices` each. A device may be there twice.
  explicit SharedUpload(std::vector<int> devices) : devices_(std::move(devices)), d_bytes_(devices_.size()) {}

  /// Fills `d_to` on the current device with `bytes` bytes, which are the same for all devices. All of them call it, as
  /// often and in the same order. Blocks until all have done so, and all copies are complete.
  /// @param number which of the devices the current one is @param pool has the memory
  /// @param upload uploads bytes [begin, begin + size) on the pool's stream
  /// @throws what check() and `upload` throw; Error internal after end().
  void fill(std::size_t number, Pool& pool, void* d_to, std::size_t bytes,
            const std::function<void(std::size_t begin, std::size_t size)>& upload);

  /// Ends all waits: a device has failed, and will not come.
  void end() noexcept;

 private:
  void meet();

  const std::vector<int> devices_;
  std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  std::uint64_t meetings_ = 0;
  bool is_ended_ = false;
  std::vector<std::byte*> d_bytes_;  // of each device
};

}  // namespace kann::cuda
