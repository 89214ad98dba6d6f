// Words of shared memory by addresses of 32 bits: an array index would take three instructions, and a moving pointer
// would become a generic address, which is twice as slow.
#pragma once

#include <cstdint>

namespace kann::cuda::warp {

__device__ __forceinline__ unsigned shared_address(const void* s_memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(s_memory));
}
__device__ __forceinline__ void store_shared(unsigned s_address, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(s_address), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t load_shared(unsigned s_address) {
  std::uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(s_address) : "memory");
  return value;
}

}  // namespace kann::cuda::warp
