// Brings lists that were put together from parts into their order.
#pragma once

#include <cstdint>
#include <span>

#include "kann/array.hpp"

namespace kann::detail {

/// Sorts each list by (distance, id), by several threads. Blocks.
/// @param begins where each list begins, and the last ends
/// @param held limits the memory: see ordering_bytes()
template <class Id>
void put_in_order(std::span<const std::int64_t> begins, Array<Id>& ids, Array<float>& distances, std::int64_t held,
                  int threads);

/// How many neighbours the longest list has.
std::int64_t longest_list(std::span<const std::int64_t> begins);

/// Bytes of memory that put_in_order() takes: a key for each neighbour of the lists that are sorted at a time. Threads
/// share `held` / 8 keys; longer lists are sorted one after another.
double ordering_bytes(std::int64_t longest, std::int64_t held);

}  // namespace kann::detail
