// The division of numbered things into a share of consecutive ones per rank, as equal as can be.
#pragma once

#include <cstdint>

namespace kann::flow {

/// The number of the first of `count` things that belong to `rank`. For rank = `ranks`, it is `count`.
inline std::int64_t share_begin(std::int64_t count, int ranks, int rank) {
  return count / ranks * rank + count % ranks * rank / ranks;
}

/// The rank that thing number `i` belongs to.
inline int share_owner(std::int64_t count, int ranks, std::int64_t i) {
  int low = 0, high = ranks - 1;  // among these
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (share_begin(count, ranks, middle) <= i)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace kann::flow
