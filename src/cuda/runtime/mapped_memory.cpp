#include "cuda/runtime/mapped_memory.hpp"

#include <utility>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

MappedMemory::~MappedMemory() {
  if (!memory_) return;
  cudaStreamSynchronize(stream_);
  cudaFreeHost(memory_);
}

void* MappedMemory::host() {
  if (!std::exchange(has_tried_, true) && cudaHostAlloc(&memory_, k_bytes, cudaHostAllocMapped) != cudaSuccess) {
    cudaGetLastError();  // clears the error: there is another way
    memory_ = nullptr;
  }
  return memory_;
}

void* MappedMemory::device() {
  if (!host()) return nullptr;
  void* d_memory = nullptr;
  check(cudaHostGetDevicePointer(&d_memory, memory_, 0), "cudaHostGetDevicePointer");
  return d_memory;
}

}  // namespace kann::cuda
