// LZF by hand, and against a compressor that is written here.
#include "formats/pcd/lzf.hpp"

#include <algorithm>
#include <optional>

#include "formats/points/pcd/pcd_support.hpp"

namespace kann::formats {

using namespace test;
using namespace std::string_literals;

namespace {

std::optional<std::string> decompressed(const std::string& from, std::size_t size) {
  std::string to(size, '?');
  if (!decompress_lzf(from, to)) return std::nullopt;
  return to;
}

TEST(Lzf, LiteralsAndCopies) {
  EXPECT_EQ(decompressed("", 0), "");
  EXPECT_EQ(decompressed("\0a"s, 1), "a");
  EXPECT_EQ(decompressed("\1ab\x20\1"s, 5), "ababa");
  EXPECT_EQ(decompressed("\0a\xe0\xff\0"s, 265), std::string(265, 'a'));  // the longest copy, 264
  EXPECT_EQ(decompressed("\0a\xc0\0"s, 9), std::string(9, 'a'));          // the longest without a byte more, 8
}

TEST(Lzf, WhatIsWrongIsRefused) {
  EXPECT_FALSE(decompressed("\1a"s, 2));           // a literal is cut off
  EXPECT_FALSE(decompressed("\0a"s, 0));           // the output is longer
  EXPECT_FALSE(decompressed("\0a"s, 2));           // or shorter
  EXPECT_FALSE(decompressed("\0a\x20"s, 4));       // a copy without its distance
  EXPECT_FALSE(decompressed("\0a\xe0\x01"s, 11));  // a long copy without its distance
  EXPECT_FALSE(decompressed("\0a\x20\1"s, 4));     // a copy from before the beginning
  EXPECT_FALSE(decompressed("\x20\0"s, 3));        // or from nothing
  EXPECT_FALSE(decompressed("\0a\x20\0"s, 3));     // a copy past the end
}

/// Takes the longest copy of the last 8,192 bytes, if that is 3 bytes long at least.
std::string compressed(const std::string& text) {
  std::string out, literals;
  const auto flush = [&] {
    out += lzf_literals(literals);
    literals.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t best = 0, distance = 0;
    for (std::size_t back = 1; back <= std::min<std::size_t>(at, 8192); ++back) {
      std::size_t length = 0;
      while (length < 264 && at + length < text.size() && text[at + length] == text[at + length - back]) ++length;
      if (length > best) best = length, distance = back - 1;
    }
    if (best < 3) {
      literals += text[at++];
      continue;
    }
    flush();
    const std::size_t code = std::min<std::size_t>(best - 2, 7);
    out += static_cast<char>(code << 5 | distance >> 8);
    if (code == 7) out += static_cast<char>(best - 2 - 7);
    out += static_cast<char>(distance & 255);
    at += best;
  }
  flush();
  return out;
}

TEST(Lzf, GivesBackWhatWasCompressed) {
  Random random(5);
  for (const std::size_t size : {0u, 1u, 2u, 31u, 32u, 33u, 263u, 264u, 265u, 4096u, 12'000u})
    for (const std::uint64_t letters : {1u, 2u, 5u, 256u}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random.below(letters));
      EXPECT_EQ(decompressed(compressed(text), size), text) << size << " of " << letters;
    }
}

TEST(Lzf, EveryByteAndEveryCutOfAStreamIsReadOrRefused) {
  const std::string stream = compressed("abcabcabcabcabcabcabcaaaaaaaaaaaabcbcbcbc");
  for (std::size_t at = 0; at < stream.size(); ++at) {
    decompressed(stream.substr(0, at), 41);
    for (int byte = 0; byte < 256; ++byte) {
      std::string other = stream;
      other[at] = static_cast<char>(byte);
      decompressed(other, 41);
    }
  }
}

}  // namespace
}  // namespace kann::formats
