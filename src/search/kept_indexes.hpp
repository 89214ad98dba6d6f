// What an index keeps of its data for each device.
#pragma once

#include <map>
#include <mutex>

#include "cpu/backend.hpp"
#include "cuda/backend.hpp"

namespace kann::detail {

/// The index of each device, made at its first use. May be used by several threads.
struct KeptIndexes {
  cpu::Index cpu;

  cuda::Index& on_cuda(int index) {
    const std::lock_guard lock(mutex_);
    return cuda_.try_emplace(index, index).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, cuda::Index> cuda_;
};

}  // namespace kann::detail
