// The current device of a thread, which is global state: other code of the thread may use another device.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// Makes a device current while it lives, and afterwards the one that was.
class DeviceScope {
 public:
  /// @throws Error as check().
  explicit DeviceScope(int index) : index_(index) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (index_ != before_) check(cudaSetDevice(index_), "cudaSetDevice");
  }

  /// From CUDA 12 on, cudaSetDevice() makes a context. A device that others hold exclusively refuses one, and the next
  /// launch check must not find that error.
  ~DeviceScope() {
    if (index_ != before_ && cudaSetDevice(before_) != cudaSuccess) cudaGetLastError();
  }

  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int index_;
  int before_ = 0;
};

}  // namespace kann::cuda
