#include "cuda/runtime/buffer.hpp"

#include <algorithm>
#include <string>

#include "kann/error.hpp"

namespace kann::cuda {

Memory::Memory() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  int pools = 0;
  check(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute");
  if (!pools) return;

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  keep(INT64_MAX);  // memory that one step releases is reused by the next
}

Memory::~Memory() {
  // Allocations that work still uses are released after it
  if (pool_) cudaMemPoolDestroy(pool_);
}

void Memory::keep(std::int64_t bytes) const noexcept {
  auto threshold = static_cast<std::uint64_t>(bytes);
  // If this fails, the pool is only slower
  if (pool_ && cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold) != cudaSuccess)
    cudaGetLastError();
}

void* Pool::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* pointer = nullptr;
  const cudaError_t status =
      pool_ ? cudaMallocFromPoolAsync(&pointer, bytes, pool_, stream_) : cudaMalloc(&pointer, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error, which is reported here
    std::size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    throw Error(ErrorKind::resources, "device memory: " + std::to_string(bytes) + " bytes more are needed beside " +
                                          std::to_string(in_use_) + " in use, " + std::to_string(free_bytes) +
                                          " are free; use --device cpu or fewer points");
  }
  check(status, "allocation");
  in_use_ += static_cast<std::int64_t>(bytes);
  peak_ = std::max(peak_, in_use_);
  return pointer;
}

void Pool::release(void* pointer, std::size_t bytes) noexcept {
  if (!pointer) return;
  in_use_ -= static_cast<std::int64_t>(bytes);
  if (pool_) {
    cudaFreeAsync(pointer, stream_);
  } else {
    cudaFree(pointer);
  }
}

std::int64_t Pool::unused_bytes() const {
  if (!pool_) return 0;
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved), "cudaMemPoolGetAttribute");
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(reserved - used);
}

}  // namespace kann::cuda
