// The orders of points by their definitions, bit by bit, with nothing shared with the backends.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "brute_force.hpp"
#include "problem/problem.hpp"

namespace kann::test {

/// The bits of a shifted Morton code.
inline int code_bits(const problem::Problem& p) { return p.dimensions == 3 ? 63 : 62; }

/// The leading `bits` of point i's Morton code in a shift of `p`.
inline std::uint64_t morton_prefix(const problem::Problem& p, std::size_t i, int shift, int bits) {
  return plain_key(p, p.data + i * p.dimensions, shift) >> (code_bits(p) - bits);
}

/// The bits of the words interleaved: bit b of axis a becomes bit b·d + a.
inline std::uint64_t interleaved(const std::vector<std::uint32_t>& words, int bits) {
  std::uint64_t code = 0;
  const int d = static_cast<int>(words.size());
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < bits; ++b) code |= static_cast<std::uint64_t>(words[a] >> b & 1) << (b * d + a);
  return code;
}

/// The place of point i's cell along the Hilbert curve, by J. Skilling's AxestoTranspose (AIP Conf. Proc. 707, 2004) as
/// published: in place, from the lowest level to the Gray code.
inline std::uint64_t hilbert_place(const problem::Problem& p, std::size_t i) {
  const int d = p.dimensions, bits = d == 3 ? 20 : 30;
  const float last = d == 3 ? 1048575.0f : 1073741760.0f;
  std::vector<std::uint32_t> x(d);
  for (int a = 0; a < d; ++a)
    x[a] = static_cast<std::uint32_t>(std::clamp((p.data[i * d + a] - p.grid.lo[a]) * p.grid.inv, 0.0f, last));
  const std::uint32_t highest = 1u << (bits - 1);
  for (std::uint32_t q = highest; q > 1; q >>= 1)
    for (int a = 0; a < d; ++a) {
      if (x[a] & q) {
        x[0] ^= q - 1;
      } else {
        const std::uint32_t t = (x[0] ^ x[a]) & (q - 1);
        x[0] ^= t;
        x[a] ^= t;
      }
    }
  for (int a = 1; a < d; ++a) x[a] ^= x[a - 1];
  std::uint32_t t = 0;
  for (std::uint32_t q = highest; q > 1; q >>= 1)
    if (x[d - 1] & q) t ^= q - 1;
  for (auto& word : x) word ^= t;
  std::reverse(x.begin(), x.end());  // axis 0 is the highest bit of each digit
  return interleaved(x, bits);
}

/// Indices 0 … count − 1 in the order of key_of(index); equal keys stay in the order of their index.
template <class KeyOf>
std::vector<std::uint32_t> sorted_by(std::int64_t count, KeyOf key_of) {
  std::vector<std::pair<decltype(key_of(std::size_t{0})), std::uint32_t>> order;
  for (std::int64_t i = 0; i < count; ++i)
    order.emplace_back(key_of(static_cast<std::size_t>(i)), static_cast<std::uint32_t>(i));
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> indices;
  for (const auto& place : order) indices.push_back(place.second);
  return indices;
}

}  // namespace kann::test
