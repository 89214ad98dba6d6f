// The checksum computed on threads is that of a single pass, for all sizes around the chunks'.
#include "formats/zip/crc32.hpp"

#include <gtest/gtest.h>
#include <string>

#include "clouds.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr std::size_t k_chunk = std::size_t{4} << 20;  // as in crc32.cpp

std::span<const std::byte> as_span(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Bit by bit, by the definition.
std::uint32_t slow_crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::byte b : bytes) {
    crc ^= static_cast<std::uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

std::string random_bytes(std::size_t size) {
  Random r(5);
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(r.below(256));
  return bytes;
}

TEST(Crc32, OfTheStandardsExample) { EXPECT_EQ(crc32(0, as_span("123456789")), 0xcbf43926); }

TEST(Crc32, OfNothingChangesNothing) {
  EXPECT_EQ(crc32(0, {}), 0u);
  EXPECT_EQ(crc32(0x12345678, {}), 0x12345678u);
}

TEST(Crc32, OfChunksIsThatOfTheWhole) {
  const std::string bytes = random_bytes(2 * k_chunk + 1);
  for (const std::size_t size :
       {std::size_t{1}, k_chunk - 1, k_chunk, k_chunk + 1, 2 * k_chunk - 1, 2 * k_chunk, 2 * k_chunk + 1}) {
    const auto whole = as_span(bytes).first(size);
    EXPECT_EQ(crc32(0, whole), slow_crc32(whole)) << size;
    EXPECT_EQ(crc32(crc32(0, whole.first(size / 3)), whole.subspan(size / 3)), slow_crc32(whole)) << size;
  }
}

TEST(Crc32, OfTwoPartsIsThatOfTheirText) {
  const std::string bytes = random_bytes(1000);
  for (const std::size_t cut : {0, 1, 7, 500, 999, 1000}) {
    const auto first = as_span(bytes).first(cut), second = as_span(bytes).subspan(cut);
    EXPECT_EQ(joined_crc32(crc32(0, first), crc32(0, second), second.size()), crc32(0, as_span(bytes))) << cut;
  }
}

}  // namespace
}  // namespace kann::formats
