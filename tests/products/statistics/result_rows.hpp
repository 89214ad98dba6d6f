// Results to be counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "clouds.hpp"

namespace kann::test {

/// Rows of ascending distances; `count_of(query)` of the k neighbours are there.
inline Neighbors rows(std::int64_t queries, std::int64_t k, const std::function<float()>& draw,
                      const std::function<std::int64_t(std::int64_t)>& count_of) {
  Neighbors out{queries, k, {}, {}};
  for (std::int64_t q = 0; q < queries; ++q) {
    std::vector<float> row;
    for (std::int64_t r = 0; r < count_of(q); ++r) row.push_back(draw());
    std::sort(row.begin(), row.end());
    for (std::int64_t r = 0; r < k; ++r) {
      const bool is_there = r < std::ssize(row);
      out.ids.push_back(is_there ? static_cast<std::int32_t>(r) : k_missing_id);
      out.distances.push_back(is_there ? row[static_cast<std::size_t>(r)] : k_infinity);
    }
  }
  return out;
}

/// The rows [begin, end) in blocks of these sizes, again and again.
inline RowBlocks in_blocks(const Neighbors& n, std::int64_t begin, std::int64_t end, std::vector<std::int64_t> sizes) {
  return {end - begin, n.k, true, [&n, begin, end, sizes](const RowBlocks::Sink& sink) {
            std::int64_t row = begin;
            for (std::size_t i = 0; row < end; ++i) {
              const std::int64_t count = std::min(sizes[i % sizes.size()], end - row);
              const std::vector<std::int64_t> all_ids(n.ids.begin() + row * n.k, n.ids.begin() + (row + count) * n.k);
              const std::span<const std::int64_t> ids(all_ids);
              sink({row, count, n.k, {}, ids, {n.distances.data() + row * n.k, static_cast<std::size_t>(count * n.k)}});
              row += count;
            }
          }};
}

inline RowBlocks in_blocks(const Neighbors& n, const std::vector<std::int64_t>& sizes) {
  return in_blocks(n, 0, n.queries, sizes);
}

}  // namespace kann::test
