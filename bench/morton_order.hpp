// The order in which a peer is given its queries: neighbours in space one after the other.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

namespace kann::bench {

/// The rows of `n` 3-D points by Morton code (10 bits an axis over their box). Blocks. 2²⁰ points take 0.03 s on two
/// threads, so that a peer's whole job is not made longer by a poor sort.
Array<std::uint32_t> morton_order(const float* points, std::int64_t n, int threads);

}  // namespace kann::bench
