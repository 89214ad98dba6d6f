// Products of small float16 matrices by a warp, in float32 (PTX ISA, mma.sync and ldmatrix). Each lane holds a part of
// a matrix.
#pragma once

#include <cstdint>
#include <cuda_fp16.h>

namespace kann::cuda::warp {

/// The two float16s that are nearest to two float32s; `low` is in the lower half.
__device__ __forceinline__ std::uint32_t float16_pair(float low, float high) {
  const __half2_raw pair = __floats2half2_rn(low, high);
  return std::uint32_t{pair.x} | std::uint32_t{pair.y} << 16;
}

/// Loads four matrices of 8 rows of 8 float16s from shared memory, 16 bytes a row: s_row of lane i is row i % 8 of
/// matrix i / 8. Of each matrix, lane i gets elements 2·(i % 4) and the next of row i / 4. Called by all 32 lanes.
__device__ __forceinline__ void load_matrices(std::uint32_t (&parts)[4], const uint4* s_row) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(s_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
               : "r"(address)
               : "memory");
}

/// A·B, where A has 16 rows of 8 and B has 8 columns of 8. Lane i holds elements 2·(i % 4) and the next of rows i / 4
/// and i / 4 + 8 of A, and the same elements of column i / 4 of B. It gets columns 2·(i % 4) and the next of rows i / 4
/// (x and y) and i / 4 + 8 (z and w) of the product. Called by all 32 lanes. The instruction takes A from consecutive
/// registers, so A is best loaded as a vector.
__device__ __forceinline__ float4 multiply(std::uint32_t a, std::uint32_t a_below, std::uint32_t b) {
  float4 product;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
      : "=f"(product.x), "=f"(product.y), "=f"(product.z), "=f"(product.w)
      : "r"(a), "r"(a_below), "r"(b), "f"(0.0f));
  return product;
}

/// All bits of bytes 0 and 2 are the sign bit of `first`, and those of bytes 1 and 3 that of `second`.
__device__ __forceinline__ std::uint32_t signs_of(float first, float second) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, 0xFBFB;" : "=r"(bytes) : "r"(__float_as_uint(first)), "r"(__float_as_uint(second)));
  return bytes;
}

}  // namespace kann::cuda::warp
