#include "formats/zip/crc32.hpp"

#include <libdeflate.h>
#include <vector>

#include "base/threads/copy_threads.hpp"

namespace kann::formats {
namespace {

// A CRC is a polynomial over GF(2) modulo the generator, reflected: the highest bit is the coefficient of x⁰. Each byte
// that follows multiplies it by x⁸.
constexpr std::uint32_t k_generator = 0xedb88320, k_one = 0x80000000, k_x8 = 0x00800000;

constexpr std::size_t k_chunk = std::size_t{4} << 20;

/// a·b modulo the generator.
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; a != 0; a <<= 1) {
    if (a & k_one) sum ^= b;
    b = b & 1 ? b >> 1 ^ k_generator : b >> 1;
  }
  return sum;
}

/// x^(8·bytes) modulo the generator, by repeated squaring.
constexpr std::uint32_t power_of_bytes(std::uint64_t bytes) {
  std::uint32_t power = k_one;
  for (std::uint32_t square = k_x8; bytes != 0; bytes >>= 1, square = product(square, square))
    if (bytes & 1) power = product(power, square);
  return power;
}

}  // namespace

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  return product(first, power_of_bytes(second_size)) ^ second;
}

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes, int threads) {
  if (bytes.empty()) return crc;  // libdeflate_crc32() returns 0 for a null pointer, whatever crc is
  if (bytes.size() <= k_chunk) return libdeflate_crc32(crc, bytes.data(), bytes.size());

  std::vector<std::uint32_t> parts((bytes.size() + k_chunk - 1) / k_chunk);
  base::on_threads(bytes.size(), k_chunk, base::copy_threads(parts.size(), threads),
                   [&](std::size_t begin, std::size_t count) {
                     parts[begin / k_chunk] = libdeflate_crc32(0, bytes.data() + begin, count);
                   });
  for (std::size_t i = 0; i < parts.size(); ++i)
    crc = joined_crc32(crc, parts[i], std::min(k_chunk, bytes.size() - i * k_chunk));
  return crc;
}

}  // namespace kann::formats
