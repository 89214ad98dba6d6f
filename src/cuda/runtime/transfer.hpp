// Copies between pageable host memory and the device, through a few pinned buffers.
//
// The driver copies pageable memory on one thread: a result of 537 MB took 0.33 s. Pinning the memory of a copy takes
// 0.07 s for 256 MB. So a few buffers are pinned once, and all copies go through them: several threads fill or empty
// them, and share the page faults of a new result, while other buffers are copied to or from the device.
#pragma once

#include <cstddef>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

/// Pins the buffers of the current device, 32 MiB, unless there are any. If the system refuses, copies are plain. The
/// functions below use them for large copies, and make them for the first that is worth it. They are kept until the
/// process ends: to make and to remove them for each search of 10⁸ points took 25 of 125 ms. Blocks. @throws Error as
/// check().
void make_staging();

/// Queues the copy of `bytes` bytes to the current device on `stream`, by up to `threads` threads. Blocks until `from`
/// has been read, but not until the copy has arrived. @throws Error as check().
void upload(const void* from, std::size_t bytes, void* d_to, cudaStream_t stream, int threads = 0);

/// Copies `bytes` bytes from the current device, after the work queued on `stream`, by up to `threads` threads. All
/// bytes are at `to` when `stream` is synchronised. Blocks. @throws Error as check().
void download(const void* d_from, std::size_t bytes, void* to, cudaStream_t stream, int threads = 0);

}  // namespace kann::cuda
