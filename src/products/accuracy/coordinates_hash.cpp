// The hash that tells two clouds apart.
#include <atomic>
#include <bit>
#include <cmath>

#include "kann/compare.hpp"

#include "base/threads/parallel.hpp"

namespace kann {
namespace {

/// Mixes the two halves of the product: each bit of either number changes about half of the bits.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// The bits of x; those of 0 for −0, and the same bits for every NaN.
std::uint64_t bits_of(double x) { return std::isnan(x) ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(x + 0.0); }

/// Bits of √2, √3, √5 and √7, odd: no coordinate gives 0.
constexpr std::uint64_t k_odd[] = {0x6a09e667f3bcc909, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1};

template <class T>
std::uint64_t hash_of_row(const T* point, int dimensions, std::uint64_t row) {
  const std::uint64_t x = bits_of(point[0]), y = bits_of(point[1]), z = dimensions == 3 ? bits_of(point[2]) : 0;
  return mixed(mixed(x ^ k_odd[0], y ^ k_odd[1]) + row, mixed(z ^ k_odd[2], row ^ k_odd[3]) | 1);
}

}  // namespace

std::uint64_t coordinates_hash(const PointsView& points, std::int64_t first_row, int threads) {
  constexpr std::int64_t grain = 1 << 16;  // rows
  std::atomic<std::uint64_t> sum{0};
  std::visit(
      [&](const auto& coordinates) {
        base::parallel_chunks(points.size(), grain, base::thread_count(threads),
                              [&](std::int64_t begin, std::int64_t end) {
                                std::uint64_t part = 0;
                                for (std::int64_t i = begin; i < end; ++i)
                                  part += hash_of_row(coordinates.data() + i * points.dimensions, points.dimensions,
                                                      static_cast<std::uint64_t>(first_row + i));
                                sum += part;
                              });
      },
      points.coordinates);
  return sum;
}

}  // namespace kann
