// The random numbers of the programs of this folder: the same on every machine.
#pragma once

#include <cstdint>

namespace kann::bench {

/// A linear congruential generator (Knuth's MMIX), of which the upper half of the state is used.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

  /// Uniform in [-1, 1), a multiple of 2⁻²³.
  double next_signed_unit() { return static_cast<double>(next() >> 8) * 0x1p-23 - 1.0; }

 private:
  std::uint64_t state_;
};

}  // namespace kann::bench
