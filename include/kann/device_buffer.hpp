// Memory of a CUDA device, for programs that use none of CUDA's own functions, such as bindings of other languages.
#pragma once

#include <cstddef>
#include <utility>

struct CUstream_st;  // cudaStream_t points to it

namespace kann {

/// Bytes in the memory of a CUDA device.
class DeviceBuffer {
 public:
  /// Allocates `bytes`, uninitialised; none for 0. Blocks. @throws Error resources (device memory), no_device.
  DeviceBuffer(std::size_t bytes, int device);
  ~DeviceBuffer();  ///< blocks until the device has done the work that is queued
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_), d_data_(std::exchange(other.d_data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(d_data_, other.d_data_);
    return *this;
  }

  void* data() const { return d_data_; }

 private:
  int device_;
  void* d_data_ = nullptr;
};

/// The number of the CUDA device whose memory has this address; −1 if none has. Does not block.
int device_of(const void* address);

/// Blocks until the work that is queued on a stream of `device` is done. @throws Error internal: the work has failed.
void wait_for(CUstream_st* stream, int device);

/// Copies `bytes` bytes from the memory of `device` to the host after the work that is queued on a stream of it.
/// Blocks.
/// @throws Error internal: the work has failed.
void copy_to_host(const void* d_from, std::size_t bytes, void* to, CUstream_st* stream, int device);

}  // namespace kann
