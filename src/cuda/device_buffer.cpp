#include "kann/device_buffer.hpp"

#include <string>

#include "kann/error.hpp"

#include "cuda/backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/on_device.hpp"

namespace kann {

DeviceBuffer::DeviceBuffer(std::size_t bytes, int device) : device_(device) {
  if (const CudaStatus status = cuda::status(device); !status.usable)
    throw Error(ErrorKind::no_device, "no CUDA device (" + status.reason + ")");
  if (bytes == 0) return;
  cuda::on_device(device, [&] {
    const cudaError_t status = cudaMalloc(&d_data_, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clears the error, which is reported here
      throw Error(ErrorKind::resources, "device memory: " + std::to_string(bytes) + " bytes more are needed");
    }
    cuda::check(status, "cudaMalloc");
  });
}

DeviceBuffer::~DeviceBuffer() {
  if (!d_data_) return;
  try {
    cuda::on_device(device_, [&] { cudaFree(d_data_); });
  } catch (const std::exception&) {
    // The device cannot be reached, as at the end of the process; its memory goes with it
  }
}

int device_of(const void* address) {
  if (!address) return -1;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
    cudaGetLastError();  // clears the error: there is no device
    return -1;
  }
  const bool is_on_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return is_on_device ? attributes.device : -1;
}

void wait_for(CUstream_st* stream, int device) {
  cuda::on_device(device, [&] { cuda::check(cudaStreamSynchronize(stream), "queued work"); });
}

void copy_to_host(const void* d_from, std::size_t bytes, void* to, CUstream_st* stream, int device) {
  cuda::on_device(device, [&] {
    cuda::check(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, stream), "queued work");
    cuda::check(cudaStreamSynchronize(stream), "queued work");
  });
}

}  // namespace kann
