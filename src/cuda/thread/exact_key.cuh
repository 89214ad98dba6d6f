// A neighbour of the exact answer as one key of 96 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::thread {

/// The bits of the float64 squared distance above the index: the order of keys is that of ExactNeighbor. An absent key
/// comes after all others. It has 12 bytes, so that consecutive keys in shared memory lie in different banks.
struct ExactKey {
  std::uint32_t index = 0xffffffffu, low = 0xffffffffu, high = 0xffffffffu;

  ExactKey() = default;
  KANN_HOST_DEVICE explicit ExactKey(const ExactNeighbor& n)
      : index(n.index),
        low(static_cast<std::uint32_t>(bits_of_double(n.sq_dist))),
        high(static_cast<std::uint32_t>(bits_of_double(n.sq_dist) >> 32)) {}

  KANN_HOST_DEVICE double sq_dist() const { return double_of(static_cast<std::uint64_t>(high) << 32 | low); }
  KANN_HOST_DEVICE bool is_absent() const { return high == 0xffffffffu; }
  KANN_HOST_DEVICE bool operator==(const ExactKey& other) const {
    return index == other.index && low == other.low && high == other.high;
  }

  /// A subtraction with borrow takes three instructions on a GPU; for comparisons word by word, the compiler makes six.
  KANN_HOST_DEVICE bool operator<(const ExactKey& other) const {
#ifdef __CUDA_ARCH__
    std::uint32_t borrow;
    asm("{\n\t"
        ".reg .u32 rest;\n\t"
        "sub.cc.u32 rest, %1, %4;\n\t"
        "subc.cc.u32 rest, %2, %5;\n\t"
        "subc.cc.u32 rest, %3, %6;\n\t"
        "subc.u32 %0, 0, 0;\n\t"
        "}"
        : "=r"(borrow)
        : "r"(index), "r"(low), "r"(high), "r"(other.index), "r"(other.low), "r"(other.high));
    return borrow != 0;
#else
    if (high != other.high) return high < other.high;
    return low != other.low ? low < other.low : index < other.index;
#endif
  }
};

}  // namespace kann::cuda::thread
