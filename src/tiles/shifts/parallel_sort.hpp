// Sorts on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"

namespace kann::tiles {

/// Sorts by `projection`, whose values are distinct. Blocks.
template <class T, class Projection>
void parallel_sort(std::vector<T>& values, Projection projection, int threads) {
  const auto n = static_cast<std::int64_t>(values.size());
  std::int64_t parts = 1;
  while (parts < threads) parts *= 2;
  const auto at = [&](std::int64_t part) { return values.begin() + n / parts * part + n % parts * part / parts; };
  base::parallel_chunks(parts, 1, threads, [&](std::int64_t part, std::int64_t) {
    std::ranges::sort(at(part), at(part + 1), {}, projection);
  });
  for (std::int64_t merged = 1; merged < parts; merged *= 2)
    base::parallel_chunks(parts / (2 * merged), 1, threads, [&](std::int64_t pair, std::int64_t) {
      const std::int64_t first = 2 * merged * pair;
      std::ranges::inplace_merge(at(first), at(first + merged), at(first + 2 * merged), {}, projection);
    });
}

}  // namespace kann::tiles
