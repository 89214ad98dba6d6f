// Distinct 64-bit keys sorted by many threads.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

namespace kann::cpu {

/// Sorts distinct keys; `scratch` is resized as needed. Blocks.
void parallel_sort(Array<std::uint64_t>& keys, Array<std::uint64_t>& scratch, int threads);

}  // namespace kann::cpu
