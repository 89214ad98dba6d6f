// Access to shared memory by addresses of 32 bits: an array index would take three instructions, and a moving pointer
// would become a generic address, which is twice as slow.
#pragma once

#include <cstdint>

#include "cuda/runtime/placed_point.hpp"

namespace kann::cuda::warp {

__device__ __forceinline__ unsigned shared_address(const void* s_memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(s_memory));
}
__device__ __forceinline__ void store_shared(unsigned s_address, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(s_address), "r"(value) : "memory");
}
/// Stores two consecutive words. The address must be a multiple of 8 bytes.
__device__ __forceinline__ void store_shared(unsigned s_address, std::uint32_t first, std::uint32_t second) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(s_address), "r"(first), "r"(second) : "memory");
}
__device__ __forceinline__ std::uint32_t load_shared(unsigned s_address) {
  std::uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(s_address) : "memory");
  return value;
}
/// Loads a point. The address must be a multiple of 16 bytes.
__device__ __forceinline__ PlacedPoint load_shared_point(unsigned s_address) {
  PlacedPoint p;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=r"(p.index)
               : "r"(s_address)
               : "memory");
  return p;
}

}  // namespace kann::cuda::warp
