#include "common/morton_order.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/threads/parallel.hpp"

namespace kann::bench {
namespace {

constexpr int k_bucket_bits = 12;
constexpr int k_code_bits = 30;
constexpr std::size_t k_buckets = std::size_t{1} << k_bucket_bits;

/// Moves bit i of x, which has 10 bits, to bit 3i.
std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

struct Extent {
  float lo[3], hi[3];
};

Extent extent_of(const float* points, std::int64_t n, int threads) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<Extent> parts(static_cast<std::size_t>(threads), Extent{{inf, inf, inf}, {-inf, -inf, -inf}});
  base::parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    Extent e = parts[block];
    for (std::int64_t i = begin; i < end; ++i)
      for (int a = 0; a < 3; ++a) {
        e.lo[a] = std::min(e.lo[a], points[3 * i + a]);
        e.hi[a] = std::max(e.hi[a], points[3 * i + a]);
      }
    parts[block] = e;
  });
  Extent all = parts[0];
  for (const Extent& e : parts)
    for (int a = 0; a < 3; ++a) {
      all.lo[a] = std::min(all.lo[a], e.lo[a]);
      all.hi[a] = std::max(all.hi[a], e.hi[a]);
    }
  return all;
}

}  // namespace

Array<std::uint32_t> morton_order(const float* points, std::int64_t n, int threads) {
  const Extent e = extent_of(points, n, threads);
  float inv[3];
  for (int a = 0; a < 3; ++a) inv[a] = e.hi[a] > e.lo[a] ? 1023.5f / (e.hi[a] - e.lo[a]) : 0;

  // Make keys of code and row, and count the keys per bucket of the leading bits
  Array<std::uint64_t> keys(static_cast<std::size_t>(n)), placed(static_cast<std::size_t>(n));
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(threads),
                                                std::vector<std::int64_t>(k_buckets + 1));
  const auto bucket = [](std::uint64_t key) {
    return static_cast<std::size_t>(key >> (32 + k_code_bits - k_bucket_bits));
  };
  base::parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t code = 0;
      for (int a = 0; a < 3; ++a)
        code |= std::uint64_t{spread_bits(static_cast<std::uint32_t>((points[3 * i + a] - e.lo[a]) * inv[a]))} << a;
      keys[i] = code << 32 | static_cast<std::uint32_t>(i);
      ++places[block][bucket(keys[i])];
    }
  });

  // Scatter the keys into their buckets, and sort each bucket
  std::vector<std::int64_t> starts(k_buckets + 1);
  std::int64_t running = 0;
  for (std::size_t b = 0; b < k_buckets; ++b) {
    starts[b] = running;
    for (auto& block : places) running += std::exchange(block[b], running);
  }
  starts[k_buckets] = running;
  base::parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) placed[places[block][bucket(keys[i])]++] = keys[i];
  });
  base::parallel_chunks(k_buckets, 8, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) std::sort(placed.begin() + starts[b], placed.begin() + starts[b + 1]);
  });

  Array<std::uint32_t> rows(static_cast<std::size_t>(n));
  base::parallel_for(n, threads, [&](std::int64_t i) { rows[i] = static_cast<std::uint32_t>(placed[i]); });
  return rows;
}

}  // namespace kann::bench
