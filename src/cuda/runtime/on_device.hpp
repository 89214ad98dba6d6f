// Work on a device that need not be the caller's current one.
#pragma once

#include <cuda_runtime_api.h>
#include <future>
#include <system_error>

#include "kann/error.hpp"

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// Returns f(), called while device `index` is current, and leaves the caller's current device as it is. Blocks.
/// Each thread has a current device: if the caller's is another, f() runs on a thread of its own. Setting the caller's
/// device back would make a context there (since CUDA 12), which costs memory, and which fails if another process holds
/// that device exclusively. @throws Error as check() and f(); resources if no thread can be started.
template <class F>
auto on_device(int index, F f) {
  int current = 0;
  check(cudaGetDevice(&current), "cudaGetDevice");
  if (current == index) return f();
  try {
    return std::async(std::launch::async,
                      [&] {
                        check(cudaSetDevice(index), "cudaSetDevice");
                        return f();
                      })
        .get();
  } catch (const std::system_error& e) {
    throw Error(ErrorKind::resources, std::string("CUDA: no thread for the device: ") + e.what());
  }
}

}  // namespace kann::cuda
