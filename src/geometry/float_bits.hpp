// The bits of floats as integers, and back, on host and device.
#pragma once

#include <cstdint>
#include <cstring>

#include "geometry/host_device.hpp"

namespace kann::geometry {

KANN_HOST_DEVICE std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

KANN_HOST_DEVICE float float_of(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

/// The bits of a float64 as an integer, and back. The order of numbers that are not negative is that of their bits.
KANN_HOST_DEVICE std::uint64_t bits_of_double(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
KANN_HOST_DEVICE double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

/// The same in the order of all numbers; −0 comes directly before 0.
KANN_HOST_DEVICE std::uint32_t ordered_bits(float x) {
  const std::uint32_t bits = bits_of(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
KANN_HOST_DEVICE std::uint64_t ordered_bits(double x) {
  const std::uint64_t bits = bits_of_double(x), sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

}  // namespace kann::geometry
