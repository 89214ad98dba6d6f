// The sizes of the neighbour lists that kernels keep. Pure host code.
#pragma once

#include <bit>
#include <cstdint>

namespace kann::cuda {

/// The longest list in the registers of a thread: 32 keys are 64 of at most 255 registers.
inline constexpr std::int64_t k_max_register_list = 32;

/// The size that a list of `list_size` neighbours is rounded up to: a power of two, at least 1. 0 → 1, 5 → 8, 33 → 64.
constexpr std::int64_t rounded_list_size(std::int64_t list_size) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(list_size)));
}

}  // namespace kann::cuda
